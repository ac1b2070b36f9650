package dev.rowlock.internal.worker;

import dev.rowlock.Claim;
import dev.rowlock.Job;
import java.util.Optional;

/**
 * A claimed row and the run of its handler. Its monitor guards one question: whether the thread
 * that runs the handler still belongs to this row. So an interrupt can never hit the thread's next
 * row, and a run is either ended by its own thread or abandoned, never both.
 */
abstract class Row implements Job {
  /** Where a row is; guarded by the lock of the {@link Hand} that holds it. */
  enum Stage {
    /** Claimed; its handler has not started. */
    WAITING,
    /** Its handler runs. */
    RUNNING,
    /** Its outcome is on the way to the database. */
    WRITING,
    /** Its outcome is held back for a while; it takes no capacity. */
    PARKED,
    /** No longer held. */
    GONE
  }

  /** Why a handler was told to stop. */
  enum Cancel {
    TIME_LIMIT("its time limit was exceeded"),
    LEASE_LOST("its lease was lost"),
    LEASE_UNSURE("its lease could not be extended in time"),
    STOP("the worker was stopped");

    private final String reason;

    Cancel(String reason) {
      this.reason = reason;
    }

    String reason() {
      return reason;
    }
  }

  private volatile Claim claim;
  private volatile Cancel cancelled;
  private volatile boolean timedOut;
  private volatile boolean completedByHandler;
  private volatile long started;
  private Thread thread;
  private boolean abandoned;
  Stage stage = Stage.WAITING;

  Row(Claim claim) {
    this.claim = claim;
  }

  @Override
  public final Claim claim() {
    return claim;
  }

  @Override
  public final boolean cancelled() {
    return cancelled != null;
  }

  final Cancel whyCancelled() {
    return cancelled;
  }

  final void newClaim(Claim newest) {
    claim = newest;
  }

  /** The handler completed the row in its own transaction; its outcome is not to be written. */
  final void completedByHandler(boolean completed) {
    completedByHandler = completed;
  }

  final boolean completedByHandler() {
    return completedByHandler;
  }

  /** By {@link System#nanoTime()}; only meaningful once the handler runs. */
  final long started() {
    return started;
  }

  final boolean timedOut() {
    return timedOut;
  }

  /** The run starts on this thread; false if it was cancelled before. */
  final synchronized boolean begin() {
    if (cancelled != null) {
      return false;
    }
    started = System.nanoTime();
    thread = Thread.currentThread();
    return true;
  }

  /** The run is over; false if it was abandoned, so that another thread speaks for the row now. */
  final synchronized boolean end() {
    if (abandoned) {
      return false;
    }
    thread = null;
    Thread.interrupted(); // neither ours nor the handler's interrupt may leak into the next row
    return true;
  }

  /** Gives the run up; true if it was still going on and is now the caller's to settle. */
  final synchronized boolean abandon() {
    if (thread == null) {
      return false;
    }
    abandoned = true;
    thread = null;
    return true;
  }

  /** Tells the handler to stop; true if it runs. The first reason is kept. */
  final synchronized boolean cancel(Cancel why) {
    if (cancelled == null) {
      cancelled = why;
    }
    if (thread == null) {
      return false;
    }
    timedOut |= why == Cancel.TIME_LIMIT;
    if (thread != Thread.currentThread()) {
      thread.interrupt(); // the handler itself learns it from an exception or a return value
    }
    return true;
  }

  /** The thread that the handler runs on. */
  final synchronized Optional<Thread> thread() {
    return Optional.ofNullable(thread);
  }

  final synchronized boolean runsOn(Thread candidate) {
    return thread == candidate;
  }
}
