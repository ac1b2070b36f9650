package dev.rowlock;

import java.util.Locale;

/** Where a row is in its life, whatever values or markers its table uses for it. */
public enum RowState {
  /** Claimable now (if nobody has it locked). */
  READY,
  /** Waits for its time. */
  SCHEDULED,
  /** Held under a lease that has not ended. */
  PROCESSING,
  /** Held under a lease that has ended. */
  EXPIRED,
  /**
   * Held by a claim that has no end: nothing says when it was made. Never recovered automatically.
   */
  STUCK,
  /** Completed. */
  DONE,
  /** Out of attempts, or in a failed state that cannot be claimed, without being a dead letter. */
  FAILED,
  /** A dead letter. */
  DEAD,
  /** None of these: an unknown state value, {@code NULL}, or outside the extra predicate. */
  OTHER;

  /**
   * The state in lower case, as it is printed.
   *
   * @return for example {@code ready}
   */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
