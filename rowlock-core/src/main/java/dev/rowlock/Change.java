package dev.rowlock;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A fenced write to a claimed row; {@link Queue#apply(java.util.List)} carries out many at once.
 */
public sealed interface Change {

  /**
   * The claim that the write belongs to.
   *
   * @return never null
   */
  Claim claim();

  /**
   * The row is done.
   *
   * @param claim the claim
   * @param results values for write columns; SQL NULL is null
   */
  record Complete(Claim claim, Map<String, Object> results) implements Change {
    /**
     * Copies the results.
     *
     * @param claim see above
     * @param results see above
     */
    public Complete {
      Objects.requireNonNull(claim, "claim");
      results = Collections.unmodifiableMap(new LinkedHashMap<>(results));
    }

    /**
     * Without results.
     *
     * @param claim the claim
     */
    public Complete(Claim claim) {
      this(claim, Map.of());
    }
  }

  /**
   * The attempt failed. The row is tried again after the delay, or becomes a dead letter if its
   * attempts are used up.
   *
   * @param claim the claim
   * @param error what went wrong; made safe and cut to the column; null keeps the column as it is
   * @param delay when to try again; empty for the policy's backoff
   */
  record Fail(Claim claim, String error, Optional<Duration> delay) implements Change {
    /**
     * Checks.
     *
     * @param claim see above
     * @param error see above
     * @param delay see above
     */
    public Fail {
      Objects.requireNonNull(claim, "claim");
      Objects.requireNonNull(delay, "delay");
      delay.ifPresent(d -> notNegative("delay", d));
    }
  }

  /**
   * The row is refused for good.
   *
   * @param claim the claim
   * @param error why; made safe and cut to the column; null keeps the column as it is
   */
  record Dead(Claim claim, String error) implements Change {
    /**
     * Checks.
     *
     * @param claim see above
     * @param error see above
     */
    public Dead {
      Objects.requireNonNull(claim, "claim");
    }
  }

  /**
   * The handler asks for a delay; that is no failure.
   *
   * @param claim the claim
   * @param delay how long to wait, not negative
   */
  record Snooze(Claim claim, Duration delay) implements Change {
    /**
     * Checks.
     *
     * @param claim see above
     * @param delay see above
     */
    public Snooze {
      Objects.requireNonNull(claim, "claim");
      notNegative("snooze", delay);
    }
  }

  /**
   * The row goes back untouched, for anybody to claim.
   *
   * @param claim the claim
   */
  record Release(Claim claim) implements Change {
    /**
     * Checks.
     *
     * @param claim see above
     */
    public Release {
      Objects.requireNonNull(claim, "claim");
    }
  }

  /**
   * The lease is to end later.
   *
   * @param claim the claim
   * @param by how long from now, by the database's clock; more than 0
   */
  record Extend(Claim claim, Duration by) implements Change {
    /**
     * Checks.
     *
     * @param claim see above
     * @param by see above
     */
    public Extend {
      Objects.requireNonNull(claim, "claim");
      notNegative("extend", by);
      if (by.isZero()) {
        throw new IllegalArgumentException("extend by PT0S; allowed: more than 0");
      }
    }
  }

  private static void notNegative(String what, Duration duration) {
    if (Objects.requireNonNull(duration, what).isNegative()) {
      throw new IllegalArgumentException(what + " " + duration + "; allowed: 0 or more");
    }
  }
}
