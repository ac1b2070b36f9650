package dev.rowlock.internal.worker;

import dev.rowlock.Applied;
import dev.rowlock.Capability;
import dev.rowlock.Change;
import dev.rowlock.Outcome;
import dev.rowlock.internal.worker.Row.Stage;
import java.time.Duration;
import java.util.Optional;

/**
 * Decides what is written for a row when its handler has ended, and when. Where the table cannot
 * make a failed row wait (no run-at), the row stays in hand instead, parked under its lease, so
 * that it neither spins nor keeps new work from its turn (C-013). Thread-safe.
 */
final class Settlement {
  private final QueueRules rules;
  private final Hand<LeaseRow> hand;
  private final Outbox outbox;
  private final WorkerEvents events;
  private final LocalBackoff failures;

  Settlement(QueueRules rules, Hand<LeaseRow> hand, Outbox outbox, WorkerEvents events) {
    this.rules = rules;
    this.hand = hand;
    this.outbox = outbox;
    this.events = events;
    this.failures = new LocalBackoff(rules.queue().retry());
  }

  /** After a run on its own thread. */
  void settle(LeaseRow row, HandlerCall.Result result) {
    if (result.kind() == HandlerCall.Result.Kind.STOPPED) {
      release(row);
      return;
    }
    if (row.completedByHandler()) {
      if (result.outcome() instanceof Outcome.Done) {
        events.applied(Applied.Status.COMPLETED);
        hand.gone(row);
        return;
      }
      row.doubtful(); // it must have rolled back to say so; if it did not, LOST is right
    }
    if (result.outcome() instanceof Outcome.Retry retry) {
      fail(row, retry, true);
    } else {
      row.decide(result.outcome()::change);
      send(row);
    }
  }

  /**
   * The row's outcome is written: only then its failures are over, since the database may refuse
   * it.
   */
  void written(LeaseRow row, Applied.Status status) {
    if (status == Applied.Status.COMPLETED || status == Applied.Status.DEAD) {
      failures.succeeded(row.claim().key());
    }
  }

  /** Gives a row back that nobody has worked on. */
  void release(LeaseRow row) {
    row.decide(Change.Release::new);
    send(row);
  }

  /** Fails a row that cannot be worked on, or whose result was refused. */
  void fail(LeaseRow row, String error) {
    fail(row, new Outcome.Retry(error, Optional.empty()), true);
  }

  /** Fails a row whose run was given up: at once, so that others can have it. */
  void failNow(LeaseRow row, Outcome outcome) {
    fail(row, (Outcome.Retry) outcome, false);
  }

  private void fail(LeaseRow row, Outcome.Retry failure, boolean mayPark) {
    Outcome.Retry retry = rules.timed(row.claim(), failure, failures);
    row.decide(retry::change);
    boolean parks =
        mayPark && !rules.has(Capability.DELAY) && !rules.lastFailure(row.claim(), retry);
    if (parks && hand.move(row, Stage.PARKED)) {
      Duration delay = rules.delay(row.claim(), retry);
      outbox.putAt(row, System.nanoTime() + Nanos.of(delay));
    } else {
      send(row);
    }
  }

  private void send(LeaseRow row) {
    if (hand.move(row, Stage.WRITING)) {
      outbox.put(row);
    }
  }
}
