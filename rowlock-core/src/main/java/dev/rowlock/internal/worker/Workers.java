package dev.rowlock.internal.worker;

import dev.rowlock.Capability;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.Handler;
import dev.rowlock.Mode;
import dev.rowlock.Queue;
import dev.rowlock.Recovery;
import dev.rowlock.Worker;
import dev.rowlock.WorkerOptions;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Starts workers. */
public final class Workers {
  /** Faults that pass by themselves; a worker may start in spite of them. */
  private static final Set<Fault> PASSING =
      EnumSet.of(Fault.SERIALIZATION, Fault.DEADLOCK, Fault.LOCK_TIMEOUT, Fault.TIMEOUT);

  private Workers() {}

  public static Worker start(WorkerContext context, WorkerOptions options, Handler handler) {
    Objects.requireNonNull(handler, "handler");
    if (context.queue().mode() == Mode.TRANSACTIONAL) {
      tryOut(context.queue());
      return new TransactionWorker(context, TransactionParts.of(context, options), handler).start();
    }
    LeaseParts parts = LeaseParts.of(context, options);
    tryOut(context.queue()).ifPresent(parts.events()::recovered);
    return new LeaseWorker(context, parts, handler).start();
  }

  /**
   * A read, and a write that a read-only server refuses (C-064): better now than in the log later.
   */
  private static Optional<Recovery> tryOut(Queue queue) {
    try {
      if (queue.mode() == Mode.LEASE
          && queue.mapping().capabilities().contains(Capability.EXPIRY)) {
        return Optional.of(queue.recover(1));
      }
      queue.drained();
    } catch (DatabaseException e) {
      if (e.fault() == Fault.READ_ONLY && !e.getMessage().contains("read-only server")) {
        throw new DatabaseException(
            "queue '%s': connected to a read-only server: %s"
                .formatted(queue.name(), e.getMessage()),
            e.fault(),
            e.getCause() instanceof java.sql.SQLException sql ? sql : null);
      } else if (!PASSING.contains(e.fault())) {
        throw e;
      }
    }
    return Optional.empty();
  }
}
