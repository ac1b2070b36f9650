package dev.rowlock;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** What a handler says about the row that it worked on. */
public sealed interface Outcome {

  /**
   * The row is done.
   *
   * @return the outcome
   */
  static Outcome done() {
    return new Done(Map.of());
  }

  /**
   * The row is done, with one result.
   *
   * @param column a write column
   * @param value its new value, null for SQL NULL
   * @return the outcome
   */
  static Outcome done(String column, Object value) {
    return new Done(Collections.singletonMap(column, value));
  }

  /**
   * The row is done, with results.
   *
   * @param results write column to new value
   * @return the outcome
   */
  static Outcome done(Map<String, ?> results) {
    return new Done(new LinkedHashMap<>(results));
  }

  /**
   * The attempt failed; try again after the policy's backoff. Throwing an exception says the same.
   *
   * @param error what went wrong
   * @return the outcome
   */
  static Outcome retry(String error) {
    return new Retry(error, Optional.empty());
  }

  /**
   * The attempt failed; try again after a delay of the handler's choice.
   *
   * @param error what went wrong
   * @param delay not negative
   * @return the outcome
   */
  static Outcome retry(String error, Duration delay) {
    return new Retry(error, Optional.of(delay));
  }

  /**
   * Not now; try again later. Costs no attempt where a token is the fence. Needs run-at.
   *
   * @param delay not negative
   * @return the outcome
   */
  static Outcome snooze(Duration delay) {
    return new Snooze(delay);
  }

  /**
   * Refused for good, whatever attempts are left.
   *
   * @param error why
   * @return the outcome
   */
  static Outcome dead(String error) {
    return new Dead(error);
  }

  /**
   * The row is done.
   *
   * @param results write column to new value
   */
  record Done(Map<String, Object> results) implements Outcome {
    /**
     * Copies the results.
     *
     * @param results see above
     */
    public Done {
      results = Collections.unmodifiableMap(new LinkedHashMap<>(results));
    }
  }

  /**
   * The attempt failed.
   *
   * @param error what went wrong
   * @param delay empty for the policy's backoff
   */
  record Retry(String error, Optional<Duration> delay) implements Outcome {
    /**
     * Checks.
     *
     * @param error see above
     * @param delay see above
     */
    public Retry {
      Objects.requireNonNull(delay, "delay");
    }
  }

  /**
   * Not now.
   *
   * @param delay how long to wait
   */
  record Snooze(Duration delay) implements Outcome {
    /**
     * Checks.
     *
     * @param delay see above
     */
    public Snooze {
      Objects.requireNonNull(delay, "delay");
    }
  }

  /**
   * Refused for good.
   *
   * @param error why
   */
  record Dead(String error) implements Outcome {}

  /**
   * The change that carries this outcome out.
   *
   * @param claim the claim that was worked on
   * @return the fenced write
   */
  default Change change(Claim claim) {
    if (this instanceof Done done) {
      return new Change.Complete(claim, done.results());
    } else if (this instanceof Retry retry) {
      return new Change.Fail(claim, retry.error(), retry.delay());
    } else if (this instanceof Snooze snooze) {
      return new Change.Snooze(claim, snooze.delay());
    }
    return new Change.Dead(claim, ((Dead) this).error());
  }
}
