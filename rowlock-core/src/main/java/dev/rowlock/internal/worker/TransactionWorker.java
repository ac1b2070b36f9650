package dev.rowlock.internal.worker;

import dev.rowlock.Handler;
import dev.rowlock.Worker;
import dev.rowlock.WorkerOptions;

final class TransactionWorker {
  TransactionWorker(WorkerContext context, WorkerOptions options, Handler handler) {
    throw new UnsupportedOperationException("being built " + context + options + handler);
  }

  Worker start() {
    return null;
  }
}
