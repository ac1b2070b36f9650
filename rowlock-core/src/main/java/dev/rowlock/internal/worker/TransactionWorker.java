package dev.rowlock.internal.worker;

import dev.rowlock.Handler;
import dev.rowlock.WorkerOptions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A worker in transactional mode: every handler thread holds a connection while it works. Nothing
 * has to be extended or recovered: whatever happens, the database rolls back.
 */
final class TransactionWorker extends BaseWorker {
  private final WorkerContext context;
  private final TransactionParts parts;
  private final Runners runners;
  private final Optional<Loop> watching;

  TransactionWorker(WorkerContext context, TransactionParts parts, Handler handler) {
    super(context, parts.options(), parts.hand(), parts.events(), parts.health(), parts.log());
    this.context = context;
    this.parts = parts;
    WorkerOptions options = parts.options();
    HandlerCall call = new HandlerCall(handler, parts.events(), parts.log(), options.timeLimit());
    runners =
        new Runners(
            threadName("handler"), options, new TransactionRun(parts, call, polls), parts.log());
    watching = options.timeLimit().map(limit -> watch());
  }

  private Loop watch() {
    Watchdog<TransactionRow> watchdog =
        new Watchdog<>(
            parts.hand()::running,
            parts.options().timeLimit(),
            row -> {},
            this::giveUp,
            this::refill,
            parts.events(),
            parts.log());
    return new Loop(
            threadName("watch"),
            Watchdog.OPERATION,
            watchdog,
            parts.health(),
            new Backoff(Duration.ofSeconds(1)))
        .priority(Thread.MAX_PRIORITY);
  }

  /** If a replacement could not be started. */
  private long refill() {
    runners.fill();
    return Nanos.FOREVER;
  }

  /** The failure cannot be recorded, since a rollback frees the row; so it waits in memory. */
  private void giveUp(TransactionRow row) {
    parts.passedOver().failed(row.claim().key(), Optional.empty());
    row.transaction().abort();
    parts.hand().gone(row);
    runners.replaceOne();
  }

  TransactionWorker start() {
    try {
      watching.ifPresent(Loop::start);
      runners.fill();
      context.wakeups().add(polls);
      return this;
    } catch (RuntimeException | Error e) {
      stop(Duration.ZERO);
      throw e;
    }
  }

  @Override
  public void stopClaiming() {
    parts.hand().close();
    super.stopClaiming();
  }

  @Override
  public void end(long deadline) {
    for (TransactionRow row : parts.hand().running()) {
      if (row.abandon()) {
        row.transaction().abort();
      }
    }
    watching.ifPresent(Loop::end);
    watching.ifPresent(loop -> loop.join(deadline));
  }

  @Override
  public Report report() {
    return new Report(counts(), List.copyOf(parts.hand().keys()));
  }
}
