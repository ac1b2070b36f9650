package dev.rowlock.internal.worker;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/** Spans of this machine's monotonic clock: never overflowing, and jittered. */
final class Nanos {
  /** Long enough for "for ever", short enough that it can be added to a clock reading. */
  static final long FOREVER = Long.MAX_VALUE / 4;

  private Nanos() {}

  static long of(Duration duration) {
    try {
      return Math.max(0, Math.min(duration.toNanos(), FOREVER));
    } catch (ArithmeticException e) {
      return duration.isNegative() ? 0 : FOREVER;
    }
  }

  static long ofMillis(long millis) {
    return millis * 1_000_000;
  }

  static long clamp(long nanos, long least, long most) {
    return Math.max(least, Math.min(nanos, most));
  }

  /** Up to a quarter less, so that workers that started together drift apart (C-150). */
  static long jittered(long nanos) {
    return (long) (nanos * (1 - 0.25 * random()));
  }

  /** A fifth more or less. */
  static long around(long nanos) {
    return (long) (nanos * (0.8 + 0.4 * random()));
  }

  static double random() {
    return ThreadLocalRandom.current().nextDouble();
  }

  /** For people: {@code 1m30s}. */
  static String text(Duration duration) {
    return duration.toString().substring(2).toLowerCase(Locale.ROOT);
  }
}
