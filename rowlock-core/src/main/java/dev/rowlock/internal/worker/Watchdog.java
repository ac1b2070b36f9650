package dev.rowlock.internal.worker;

import dev.rowlock.internal.worker.Row.Cancel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Watches the clock of running handlers: their time limit, and whether they went on after it. A
 * step of one thread.
 *
 * @param <R> the kind of row
 */
final class Watchdog<R extends Row> implements Loop.Step {
  static final String OPERATION = "watch";

  private static final long LONGEST_GRACE = Nanos.ofMillis(5_000);
  private static final long SHORTEST_GRACE = Nanos.ofMillis(100);
  private static final long SHORTEST_WAIT = Nanos.ofMillis(1);

  private final Supplier<List<R>> running;
  private final long limit;
  private final long grace;
  private final Consumer<R> onTimeUp;
  private final Consumer<R> onStuck;
  private final Loop.Step more;
  private final WorkerEvents events;
  private final WorkerLog log;

  /**
   * @param running the rows whose handlers run
   * @param limit their time limit
   * @param onTimeUp called once for a row at its limit, after its handler was interrupted
   * @param onStuck called once for a row whose handler ignored that; the row is the callee's to
   *     settle
   * @param more what else is to be looked at each time; says when next
   */
  Watchdog(
      Supplier<List<R>> running,
      Optional<Duration> limit,
      Consumer<R> onTimeUp,
      Consumer<R> onStuck,
      Loop.Step more,
      WorkerEvents events,
      WorkerLog log) {
    this.running = running;
    this.limit = limit.map(Nanos::of).orElse(Nanos.FOREVER);
    this.grace = Nanos.clamp(this.limit, SHORTEST_GRACE, LONGEST_GRACE);
    this.onTimeUp = onTimeUp;
    this.onStuck = onStuck;
    this.more = more;
    this.events = events;
    this.log = log;
  }

  @Override
  public long run() throws Exception {
    // A handler that starts while this waits cannot reach its limit before the wait is over.
    long next = Math.min(limit, more.run());
    for (R row : running.get()) {
      next = Math.min(next, untilNextLook(row));
    }
    return Math.max(next, SHORTEST_WAIT);
  }

  private long untilNextLook(R row) {
    if (row.started() == 0) {
      return limit;
    }
    long over = System.nanoTime() - row.started() - limit;
    if (over >= grace && row.timedOut()) {
      stuck(row);
      return limit;
    } else if (over >= 0 && !row.timedOut()) {
      timeUp(row);
      return grace;
    }
    return over < 0 ? -over : grace - over;
  }

  private void timeUp(R row) {
    if (row.cancel(Cancel.TIME_LIMIT)) {
      events.timedOut(row.claim(), false);
      onTimeUp.accept(row);
    }
  }

  private void stuck(R row) {
    Optional<Thread> thread = row.thread();
    if (!row.abandon()) {
      return; // it ended just now
    }
    log.warn(
        "stuck",
        () ->
            "handler of row %s ignored its time limit; its thread %s was given up and replaced%s"
                .formatted(row.claim().key(), thread.map(Thread::getName).orElse("?"), at(thread)));
    events.timedOut(row.claim(), true);
    onStuck.accept(row);
  }

  private static String at(Optional<Thread> thread) {
    return thread
        .map(Thread::getStackTrace)
        .filter(stack -> stack.length > 0)
        .map(stack -> "; it is at " + stack[0])
        .orElse("");
  }
}
