package dev.rowlock;

import java.time.Duration;
import java.util.Objects;

/**
 * How often and how soon a failed row is tried again: exponential backoff with a cap and jitter.
 * Immutable.
 *
 * @param maxAttempts starts of the handler before the row is a dead letter, at least 1; counts only
 *     where {@code attempts} is mapped
 * @param initial delay after the first failure, not negative
 * @param factor by what the delay grows with each further failure, at least 1
 * @param max the longest delay, not below {@code initial}
 * @param jitter how much of the delay is random: with 0.2 a delay of 10 s becomes 10 s to 12 s,
 *     never less than 10 s; from 0 to 1
 */
public record RetryPolicy(
    int maxAttempts, Duration initial, double factor, Duration max, double jitter) {

  private static final RetryPolicy DEFAULTS =
      new RetryPolicy(5, Duration.ofSeconds(1), 2, Duration.ofHours(1), 0.2);

  /**
   * Checks the bounds.
   *
   * @param maxAttempts see above
   * @param initial see above
   * @param factor see above
   * @param max see above
   * @param jitter see above
   */
  public RetryPolicy {
    Objects.requireNonNull(initial, "initial");
    Objects.requireNonNull(max, "max");
    require(maxAttempts >= 1, "max-attempts", maxAttempts, "1 or more");
    require(!initial.isNegative(), "initial", initial, "0 or more");
    require(factor >= 1 && Double.isFinite(factor), "factor", factor, "1 or more");
    require(max.compareTo(initial) >= 0, "max", max, "not below initial (" + initial + ")");
    require(jitter >= 0 && jitter <= 1, "jitter", jitter, "0 to 1");
  }

  /**
   * 5 attempts, 1 s, doubled each time up to 1 h, jitter 0.2.
   *
   * @return the default policy
   */
  public static RetryPolicy defaults() {
    return DEFAULTS;
  }

  /**
   * The same policy with another limit.
   *
   * @param attempts 1 or more
   * @return a new policy
   */
  public RetryPolicy withMaxAttempts(int attempts) {
    return new RetryPolicy(attempts, initial, factor, max, jitter);
  }

  /**
   * The same policy with other delays.
   *
   * @param first delay after the first failure
   * @param longest the longest delay
   * @return a new policy
   */
  public RetryPolicy withBackoff(Duration first, Duration longest) {
    return new RetryPolicy(maxAttempts, first, factor, longest, jitter);
  }

  /**
   * The same policy with another share of randomness.
   *
   * @param share 0 to 1
   * @return a new policy
   */
  public RetryPolicy withJitter(double share) {
    return new RetryPolicy(maxAttempts, initial, factor, max, share);
  }

  /**
   * The delay before the next attempt.
   *
   * @param failedAttempts how many attempts have failed, 1 or more (smaller values count as 1)
   * @param random a number from 0 (inclusive) to 1 (exclusive), the source of the jitter
   * @return the capped delay with jitter added; the jitter may exceed {@code max} by its share, so
   *     that rows at the cap are spread too
   */
  public Duration delay(int failedAttempts, double random) {
    double exponent = Math.max(0, failedAttempts - 1);
    double millis = Math.min(initial.toMillis() * Math.pow(factor, exponent), max.toMillis());
    return Duration.ofMillis(Math.round(millis * (1 + jitter * random)));
  }

  private static void require(boolean ok, String what, Object found, String allowed) {
    if (!ok) {
      throw new ConfigurationException(
          "retry %s is %s; allowed: %s".formatted(what, found, allowed));
    }
  }
}
