package dev.rowlock.internal.worker;

import dev.rowlock.Worker.Health;
import dev.rowlock.Worker.Report;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The orderly end of a worker (P12), bounded whatever hangs (C-126). It runs once, on a thread of
 * its own; any number of callers wait for it, and the least patient of them sets the grace time. A
 * handler that stops its own worker does not wait: it would wait for itself. Thread-safe.
 */
final class Stopping {
  /** What a kind of worker does at each step. */
  interface Steps {
    /** Takes no new rows, gives back those that have not started. Waits for nothing. */
    void stopClaiming();

    /** Waits until nothing is in hand; whether that came before the deadline. */
    boolean awaitNothing(long deadline) throws InterruptedException;

    /** Interrupts the handlers that still run. */
    void interruptHandlers();

    /** Lets go of everything, waiting for threads at most until the deadline. */
    void end(long deadline);

    /** What was done and what is left. */
    Report report();
  }

  /** For interrupted handlers to end and their outcomes to be written. */
  private static final long LAST_MOMENT = Nanos.ofMillis(1_000);

  private static final long FOR_THREADS = Nanos.ofMillis(700);
  private static final long SLICE = Nanos.ofMillis(50);
  private static final long SPARE = Nanos.ofMillis(2_000);

  private final Steps steps;
  private final HealthMonitor health;
  private final WorkerLog log;
  private final String threadName;
  private final CompletableFuture<Report> ended = new CompletableFuture<>();
  private boolean begun;
  private long deadline;

  Stopping(Steps steps, HealthMonitor health, WorkerLog log, String threadName) {
    this.steps = steps;
    this.health = health;
    this.log = log;
    this.threadName = threadName;
  }

  Report stop(Duration grace, boolean fromHandler) {
    boolean first = hasten(Nanos.of(grace));
    if (first) {
      begin();
    }
    return fromHandler ? steps.report() : await();
  }

  /** Whether this is the first call. */
  private synchronized boolean hasten(long grace) {
    long wanted = System.nanoTime() + grace;
    boolean first = !begun;
    if (first || wanted - deadline < 0) {
      deadline = wanted;
    }
    begun = true;
    return first;
  }

  private void begin() {
    try {
      health.phase(Health.STOPPING);
      steps.stopClaiming();
    } catch (RuntimeException | Error e) {
      log.error("stopping went wrong", e);
    }
    try {
      Threads.platform(threadName, this::run).start();
    } catch (OutOfMemoryError e) {
      run(); // no thread to be had: this one must do
    }
  }

  private Report await() {
    boolean interrupted = false;
    try {
      while (true) {
        long left = deadline() + LAST_MOMENT + SPARE - System.nanoTime();
        try {
          return ended.get(Math.min(Math.max(left, 0), SLICE), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
          if (left <= 0) {
            return steps.report();
          }
        } catch (InterruptedException e) {
          interrupted = true;
          hasten(0);
        } catch (ExecutionException e) {
          return steps.report();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void run() {
    try {
      if (!awaitNothing()) {
        steps.interruptHandlers();
        steps.awaitNothing(System.nanoTime() + LAST_MOMENT);
      }
    } catch (InterruptedException | RuntimeException | Error e) {
      log.error("stopping went wrong", e);
    }
    finish();
  }

  private void finish() {
    Report report = steps.report();
    try {
      steps.end(System.nanoTime() + FOR_THREADS);
      health.phase(Health.STOPPED);
      if (!report.unfinished().isEmpty()) {
        log.warn(
            "unfinished",
            () ->
                "stopped with unfinished rows, whose leases end by themselves: "
                    + report.unfinished());
      }
    } finally {
      ended.complete(report);
    }
  }

  /** In slices, since a later call may shorten the grace time. */
  private boolean awaitNothing() throws InterruptedException {
    long left;
    while ((left = deadline() - System.nanoTime()) > 0) {
      if (steps.awaitNothing(System.nanoTime() + Math.min(left, SLICE))) {
        return true;
      }
    }
    return false;
  }

  private synchronized long deadline() {
    return deadline;
  }
}
