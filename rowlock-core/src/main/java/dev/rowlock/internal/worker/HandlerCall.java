package dev.rowlock.internal.worker;

import dev.rowlock.Handler;
import dev.rowlock.Outcome;
import java.time.Duration;
import java.util.Optional;

/** Calls the user's code. Whatever it does, a row comes out with an outcome (P11, C-123). */
final class HandlerCall {
  private static final Outcome OUT_OF_MEMORY = Outcome.retry(OutOfMemoryError.class.getName());
  private static final Outcome NULL =
      Outcome.retry("the handler returned null; return an outcome, for example Outcome.done()");
  private static final Outcome UNREPORTABLE =
      Outcome.retry("the handler failed, and so did making a text of it");

  /** For a row that is to be given back without a run. */
  static final Result STOPPED = new Result(Result.Kind.STOPPED, NULL, null);

  private final Handler handler;
  private final WorkerEvents events;
  private final WorkerLog log;
  private final Optional<Duration> limit;

  HandlerCall(Handler handler, WorkerEvents events, WorkerLog log, Optional<Duration> limit) {
    this.handler = handler;
    this.events = events;
    this.log = log;
    this.limit = limit;
  }

  /**
   * How a run ended.
   *
   * @param kind what became of the run
   * @param outcome what to do with the row
   * @param thrown what the handler threw, null if it returned
   */
  record Result(Kind kind, Outcome outcome, Throwable thrown) {
    /** What became of a run. */
    enum Kind {
      /** It ended; the outcome counts. */
      ENDED,
      /** It was stopped before or while it ran, through no fault of its own: give the row back. */
      STOPPED,
      /** It was given up; others have settled the row, and this thread has been replaced. */
      ABANDONED
    }
  }

  /** Runs the handler on this thread. */
  Result run(Row row) {
    Thread.interrupted();
    if (!row.begin()) {
      return STOPPED;
    }
    quietly(() -> events.started(row.claim()));
    Outcome outcome;
    Throwable thrown = null;
    try {
      outcome = handler.handle(row);
      outcome = outcome == null ? NULL : outcome;
    } catch (Throwable t) {
      thrown = t;
      outcome = failure(t);
    }
    if (!row.end()) {
      return new Result(Result.Kind.ABANDONED, outcome, thrown);
    }
    Outcome counted = row.timedOut() && !quietCompletion(row, thrown) ? timeLimit() : outcome;
    report(row, counted, thrown);
    boolean stopped = row.whyCancelled() == Row.Cancel.STOP && interrupted(thrown);
    return new Result(stopped ? Result.Kind.STOPPED : Result.Kind.ENDED, counted, thrown);
  }

  /** The outcome of an attempt that ran longer than it may. */
  Outcome timeLimit() {
    return Outcome.retry(
        "time limit of " + limit.map(Nanos::text).orElse("the handler") + " exceeded");
  }

  private static boolean quietCompletion(Row row, Throwable thrown) {
    return row.completedByHandler() && thrown == null;
  }

  private static Outcome failure(Throwable thrown) {
    if (thrown instanceof OutOfMemoryError) {
      return OUT_OF_MEMORY; // nothing that would need memory
    }
    try {
      return Outcome.retry(FailureText.of(thrown));
    } catch (Throwable t) {
      return UNREPORTABLE;
    }
  }

  private void report(Row row, Outcome outcome, Throwable thrown) {
    if (thrown != null) {
      quietly(() -> logThrown(row, thrown));
      quietly(() -> events.threw(row.claim(), thrown));
    }
    Duration took = Duration.ofNanos(System.nanoTime() - row.started());
    quietly(() -> events.handled(row.claim(), outcome, took));
  }

  private void logThrown(Row row, Throwable thrown) {
    Row.Cancel why = row.whyCancelled();
    if (why != null && interrupted(thrown)) {
      log.debug(() -> "handler of row " + row.claim().key() + " stopped: " + why.reason());
      return;
    }
    log.warn(
        "handler",
        () -> "handler of row %s failed: %s".formatted(row.claim().key(), FailureText.of(thrown)));
    log.debug(() -> "handler of row " + row.claim().key() + " failed", thrown);
  }

  /** Whether it ended because it was interrupted, however that was wrapped. */
  private static boolean interrupted(Throwable thrown) {
    Throwable current = thrown;
    for (int depth = 0; current != null && depth < 10; depth++) {
      if (current instanceof InterruptedException
          || current instanceof java.nio.channels.ClosedByInterruptException) {
        return true;
      }
      current = current.getCause();
    }
    return false;
  }

  /** What listeners and loggers do is never a reason to lose a row. */
  private static void quietly(Runnable report) {
    try {
      report.run();
    } catch (Throwable t) {
      // Events and System.Logger have done what could be done.
    }
  }
}
