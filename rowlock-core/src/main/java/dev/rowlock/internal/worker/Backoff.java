package dev.rowlock.internal.worker;

import java.time.Duration;

/**
 * Waits that double with every failure in a row, up to a cap, with jitter. {@link #next} is for one
 * thread.
 */
final class Backoff {
  private static final long FIRST = Nanos.ofMillis(100);

  private volatile long longest;
  private int failures;

  Backoff(Duration longest) {
    this(Nanos.of(longest));
  }

  Backoff(long longestNanos) {
    this.longest = longestNanos;
  }

  /** Counts a failure and says how many nanoseconds to wait. */
  synchronized long next() {
    long cap = longest;
    double wait = Math.min(FIRST, cap) * Math.pow(2, Math.min(failures, 40));
    failures++;
    return Nanos.jittered((long) Math.min(wait, cap));
  }

  /** Lowers the cap. */
  void hasten(long longestNanos) {
    longest = Math.min(longest, longestNanos);
  }

  synchronized void reset() {
    failures = 0;
  }
}
