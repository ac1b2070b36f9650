package dev.rowlock.internal.worker;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A thread that repeats one step until it is told to end. Whatever the step throws is reported and
 * followed by a growing wait; nothing ends the thread but {@link #end()} (C-067, C-100).
 */
final class Loop {
  /** What is repeated. */
  @FunctionalInterface
  interface Step {
    /** Does it once; returns how many nanoseconds to wait before the next time. */
    long run() throws Exception;
  }

  private final String operation;
  private final Step step;
  private final HealthMonitor health;
  private final Backoff backoff;
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean woken;
  private volatile boolean ended;
  private Runnable atEnd = () -> {};

  Loop(String threadName, String operation, Step step, HealthMonitor health, Backoff backoff) {
    this.operation = operation;
    this.step = step;
    this.health = health;
    this.backoff = backoff;
    this.thread = Threads.platform(threadName, this::run);
  }

  /** Runs on the thread after the last step. */
  Loop atEnd(Runnable last) {
    atEnd = last;
    return this;
  }

  Loop priority(int priority) {
    thread.setPriority(priority);
    return this;
  }

  Loop start() {
    thread.start();
    return this;
  }

  boolean ended() {
    return ended;
  }

  /** Cuts the present or next wait short. */
  void wake() {
    lock.lock();
    try {
      woken = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Ends after the present step. Not by interrupt: some drivers break their connection then. */
  void end() {
    ended = true;
    wake();
  }

  /** Waits for the end, at most until {@code deadline}; whether it was reached. */
  boolean join(long deadline) {
    boolean interrupted = false;
    while (thread.isAlive() && thread != Thread.currentThread()) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        break;
      }
      try {
        TimeUnit.NANOSECONDS.timedJoin(thread, left);
      } catch (InterruptedException e) {
        interrupted = true;
        deadline = Math.min(deadline, System.nanoTime() + Nanos.ofMillis(100));
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }

  private void run() {
    try {
      while (!ended) {
        await(once());
      }
    } finally {
      atEnd.run();
    }
  }

  private long once() {
    try {
      long wait = step.run();
      backoff.reset();
      return wait;
    } catch (Throwable t) {
      return afterFailure(t);
    }
  }

  private long afterFailure(Throwable thrown) {
    try {
      health.failed(operation, thrown);
    } catch (Throwable t) {
      // Reporting failed too, most likely for want of memory; waiting is all that is left.
    }
    return backoff.next();
  }

  private void await(long nanos) {
    lock.lock();
    try {
      long left = nanos;
      while (left > 0 && !woken && !ended) {
        left = changed.awaitNanos(left);
      }
      woken = false;
    } catch (InterruptedException e) {
      // Nobody interrupts this thread with a purpose; an early round is harmless.
    } finally {
      lock.unlock();
    }
  }
}
