package dev.rowlock;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The state column and the values that Rowlock reads and writes in it. Values are given as text and
 * converted by the column's type, so {@code "0"} fits a smallint and {@code "true"} a boolean.
 *
 * @param column the state column
 * @param ready the values that may be claimed, tried in this order; a null element means SQL {@code
 *     NULL}
 * @param processing the value of a claimed row; may be missing in {@link Mode#TRANSACTIONAL} only
 * @param done the value of a completed row; may be missing where completion deletes the row
 * @param failed the value after a failed attempt. If it is one of {@code ready} it is where retries
 *     wait; otherwise it is the last stop of a row that has used up its attempts
 * @param dead the value of a dead letter
 */
public record State(
    String column,
    List<String> ready,
    Optional<String> processing,
    Optional<String> done,
    Optional<String> failed,
    Optional<String> dead) {

  /**
   * Checks that the values can be told apart.
   *
   * @param column see above
   * @param ready see above
   * @param processing see above
   * @param done see above
   * @param failed see above
   * @param dead see above
   */
  public State {
    Objects.requireNonNull(column, "column");
    ready = Collections.unmodifiableList(new ArrayList<>(ready));
    if (ready.isEmpty()) {
      throw new ConfigurationException(
          "state column '%s' has no ready value; give at least one (null is allowed)"
              .formatted(column));
    }
    if (new HashSet<>(ready).size() != ready.size()) {
      throw new ConfigurationException(
          "state column '%s': a ready value is given twice: %s".formatted(column, ready));
    }
    Set<String> taken = new HashSet<>(ready);
    for (var named : List.of(named("processing", processing), named("done", done))) {
      distinct(column, taken, named);
    }
    dead.ifPresent(value -> distinct(column, taken, named("dead", dead)));
    failed.ifPresent(
        value -> {
          if (processing.filter(value::equals).isPresent()
              || done.filter(value::equals).isPresent()) {
            throw new ConfigurationException(
                "state column '%s': failed value '%s' is also the processing or done value; give it one of its own, or a ready value"
                    .formatted(column, value));
          }
        });
  }

  private record Named(String name, Optional<String> value) {}

  private static Named named(String name, Optional<String> value) {
    return new Named(name, value);
  }

  private static void distinct(String column, Set<String> taken, Named named) {
    if (named.value.isPresent() && !taken.add(named.value.get())) {
      throw new ConfigurationException(
          "state column '%s': %s value '%s' is used for another state too; each needs a value of its own"
              .formatted(column, named.name, named.value.get()));
    }
  }

  /**
   * A state with one ready value.
   *
   * @param column the state column
   * @param ready value of a row that waits
   * @param processing value of a claimed row
   * @param done value of a completed row
   * @return the state, without failed and dead values
   */
  public static State of(String column, String ready, String processing, String done) {
    return new State(
        column,
        Arrays.asList(ready),
        Optional.of(processing),
        Optional.of(done),
        Optional.empty(),
        Optional.empty());
  }

  /**
   * The same state with other ready values.
   *
   * @param values tried in this order; null means SQL {@code NULL}
   * @return a new state
   */
  public State withReady(String... values) {
    return new State(column, Arrays.asList(values), processing, done, failed, dead);
  }

  /**
   * The same state with a value for failed rows.
   *
   * @param value the value
   * @return a new state
   */
  public State withFailed(String value) {
    return new State(column, ready, processing, done, Optional.of(value), dead);
  }

  /**
   * The same state with a value for dead letters.
   *
   * @param value the value
   * @return a new state
   */
  public State withDead(String value) {
    return new State(column, ready, processing, done, failed, Optional.of(value));
  }

  /**
   * Whether the failed value is a last stop, not a place where retries wait.
   *
   * @return true if there is a failed value that cannot be claimed
   */
  public boolean failedIsTerminal() {
    return failed.isPresent() && !ready.contains(failed.get());
  }

  /**
   * The value that a row gets when it shall be tried again.
   *
   * @return a ready value; null means SQL {@code NULL}
   */
  public String retryValue() {
    return failed.isPresent() && ready.contains(failed.get()) ? failed.get() : ready.get(0);
  }

  /**
   * The value of a row that will not be tried again.
   *
   * @return the dead value, else a terminal failed value, else empty
   */
  public Optional<String> deadValue() {
    return dead.isPresent() || !failedIsTerminal() ? dead : failed;
  }
}
