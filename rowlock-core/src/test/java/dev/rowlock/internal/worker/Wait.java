package dev.rowlock.internal.worker;

import java.util.function.BooleanSupplier;

/** Waits for a condition; the time limit is far beyond what any test needs. */
final class Wait {
  private Wait() {}

  static void until(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + 20_000_000_000L;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("waited 20 s until " + what);
      }
      try {
        Thread.sleep(2);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
