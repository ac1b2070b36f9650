package dev.rowlock.spi;

import dev.rowlock.Role;
import dev.rowlock.State;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What every change of a row writes, the same for every database: column to SQL expression. Values
 * that differ from row to row are referred to by name; a dialect decides whether that is a
 * parameter or a column of a list.
 */
public final class Assignments {
  private final Model model;
  private final Dialect dialect;
  private final String alias;
  private final BiFunction<String, Column, String> reference;

  /**
   * For statements whose per-row values are parameters.
   *
   * @param model the queue
   * @param alias what the table is called on the right side of an assignment
   */
  public Assignments(Model model, String alias) {
    this(model, alias, (name, column) -> model.dialect().typed(":" + name, column));
  }

  /**
   * For statements whose per-row values come from somewhere else.
   *
   * @param model the queue
   * @param alias what the table is called on the right side of an assignment
   * @param reference name and column of a per-row value to SQL
   */
  public Assignments(Model model, String alias, BiFunction<String, Column, String> reference) {
    this.model = model;
    this.dialect = model.dialect();
    this.alias = alias;
    this.reference = reference;
  }

  /**
   * A claim.
   *
   * @return assignments; empty where the mapping has nothing to write
   */
  public Map<Column, String> claim() {
    Map<Column, String> set = new LinkedHashMap<>();
    state("processing", model.mapping().state().flatMap(State::processing), set);
    model.role(Role.ATTEMPTS).ifPresent(c -> set.put(c, counted(c, "+ 1")));
    model.role(Role.TOKEN).ifPresent(c -> set.put(c, counted(c, "+ 1")));
    now(Role.CLAIMED_AT, set);
    model.role(Role.LEASE_UNTIL).ifPresent(c -> set.put(c, later(c, constant("lease_ms"))));
    model.role(Role.WORKER).ifPresent(c -> set.put(c, dialect.typed(":worker", c)));
    return set;
  }

  /**
   * A fenced write.
   *
   * @param write which
   * @return assignments
   */
  public Map<Column, String> write(Write write) {
    Map<Column, String> set = assignments(write);
    if (set.isEmpty()) {
      // A failure with nowhere to be written: the statement still tells whether the claim is
      // current.
      Column any = model.role(Role.DONE_AT).orElseGet(this::anyWritable);
      set.put(any, any.of(alias));
    }
    return set;
  }

  /** Not every key can be set, not even to itself. */
  private Column anyWritable() {
    return Stream.of(model.write(), model.key(), model.table().columns().values())
        .flatMap(Collection::stream)
        .filter(Column::writable)
        .findFirst()
        .orElse(model.key().get(0));
  }

  private Map<Column, String> assignments(Write write) {
    return switch (write.kind()) {
      case COMPLETE -> complete(write);
      case RETRY -> retry(perRow("error"), Optional.of(perRow("delay_ms")));
      case DEAD -> dead(perRow("error"));
      case SNOOZE -> snooze();
      case RELEASE -> release();
    };
  }

  private Map<Column, String> complete(Write write) {
    Map<Column, String> set = new LinkedHashMap<>();
    state("done", model.mapping().state().flatMap(State::done), set);
    now(Role.DONE_AT, set);
    endLease(set);
    for (Column c : write.results()) {
      set.put(c, reference.apply(model.parameter("set", c), c));
    }
    return set;
  }

  private Map<Column, String> retry(Optional<String> error, Optional<Optional<String>> delay) {
    Map<Column, String> set = new LinkedHashMap<>();
    model.state().ifPresent(c -> set.put(c, stateOrNull("retry", c)));
    giveBack(set);
    delay
        .flatMap(d -> d)
        .ifPresent(ms -> model.role(Role.RUN_AT).ifPresent(c -> set.put(c, later(c, ms))));
    error(error, set);
    return set;
  }

  private Map<Column, String> dead(Optional<String> error) {
    Map<Column, String> set = new LinkedHashMap<>();
    Optional<State> state = model.mapping().state();
    Optional<String> value = state.flatMap(State::deadValue);
    if (value.isPresent()) {
      state("dead", value, set);
    } else {
      // Nowhere to put a dead letter: the used-up attempts keep it from being claimed.
      model.state().ifPresent(c -> set.put(c, stateOrNull("retry", c)));
    }
    if (value.isEmpty() && !model.has(Role.DEAD_AT)) {
      model
          .role(Role.ATTEMPTS)
          .ifPresent(
              c ->
                  set.put(
                      c,
                      dialect.greatest(counted(c, ""), new Predicates(model).maxAttempts(alias))));
      giveBack(set);
    }
    now(Role.DEAD_AT, set);
    endLease(set);
    error(error, set);
    return set;
  }

  private Map<Column, String> snooze() {
    Map<Column, String> set = release();
    model.role(Role.RUN_AT).ifPresent(c -> set.put(c, later(c, perRow("delay_ms").orElseThrow())));
    return set;
  }

  /** A release costs no attempt, unless attempts are what tells two claims apart. */
  private Map<Column, String> release() {
    Map<Column, String> set = new LinkedHashMap<>();
    model.state().ifPresent(c -> set.put(c, reference.apply("back_to", c)));
    giveBack(set);
    if (model.has(Role.TOKEN)) {
      model
          .role(Role.ATTEMPTS)
          .ifPresent(c -> set.put(c, dialect.greatest(counted(c, "- 1"), "0")));
    }
    return set;
  }

  /**
   * An extension: from now, by the database's clock.
   *
   * @return assignments
   */
  public Map<Column, String> extend() {
    Map<Column, String> set = new LinkedHashMap<>();
    String by = perRow("by_ms").orElseThrow();
    if (model.has(Role.LEASE_UNTIL)) {
      model.role(Role.LEASE_UNTIL).ifPresent(c -> set.put(c, later(c, by)));
    } else {
      // The lease ends at claimed-at plus its usual length, so claimed-at moves.
      model
          .role(Role.CLAIMED_AT)
          .ifPresent(c -> set.put(c, later(c, by + " - " + constant("lease_ms"))));
    }
    return set;
  }

  /**
   * Recovery of one row that has attempts left.
   *
   * @return assignments
   */
  public Map<Column, String> recoverReady() {
    return retry(Optional.empty(), Optional.empty());
  }

  /**
   * Recovery of one row that has used up its attempts.
   *
   * @return assignments
   */
  public Map<Column, String> recoverDead() {
    return dead(model.role(Role.ERROR).map(c -> dialect.typed(":expired_error", c)));
  }

  /**
   * Recovery of many rows at once.
   *
   * @param flag an SQL condition: the row has used up its attempts
   * @return assignments that choose by the flag
   */
  public Map<Column, String> recover(String flag) {
    Map<Column, String> ready = recoverReady();
    Map<Column, String> dead = recoverDead();
    Set<Column> all = new LinkedHashSet<>(ready.keySet());
    all.addAll(dead.keySet());
    Map<Column, String> set = new LinkedHashMap<>();
    for (Column c : all) {
      String ifDead = dead.getOrDefault(c, c.of(alias));
      String ifReady = ready.getOrDefault(c, c.of(alias));
      set.put(
          c,
          ifDead.equals(ifReady)
              ? ifDead
              : "CASE WHEN %s THEN %s ELSE %s END".formatted(flag, ifDead, ifReady));
    }
    return set;
  }

  /**
   * As the left and right sides of SET.
   *
   * @param set assignments
   * @return a comma separated list, a line each
   */
  public static String sql(Map<Column, String> set) {
    return set.entrySet().stream()
        .map(e -> e.getKey().quoted() + " = " + e.getValue())
        .collect(Collectors.joining(",\n"));
  }

  private void giveBack(Map<Column, String> set) {
    model.role(Role.CLAIMED_AT).filter(Column::nullable).ifPresent(c -> set.put(c, "NULL"));
    model.role(Role.WORKER).filter(Column::nullable).ifPresent(c -> set.put(c, "NULL"));
    endLease(set);
    if (model.expiredIsReady()) {
      // No state shows that the claim is over; a risen token does.
      model.role(Role.TOKEN).ifPresent(c -> set.put(c, counted(c, "+ 1")));
    }
  }

  private void endLease(Map<Column, String> set) {
    model
        .role(Role.LEASE_UNTIL)
        .ifPresent(
            c ->
                set.put(
                    c,
                    c.nullable() && !model.mapping().visibilityTimeout()
                        ? "NULL"
                        : dialect.now(model, c, Optional.empty())));
  }

  private void error(Optional<String> error, Map<Column, String> set) {
    error.ifPresent(
        e ->
            model
                .role(Role.ERROR)
                .ifPresent(c -> set.put(c, "COALESCE(" + e + ", " + c.of(alias) + ")")));
  }

  private void state(String parameter, Optional<String> value, Map<Column, String> set) {
    value.ifPresent(
        v -> model.state().ifPresent(c -> set.put(c, dialect.typed(":" + parameter, c))));
  }

  private String stateOrNull(String parameter, Column column) {
    boolean isNull = model.mapping().state().orElseThrow().retryValue() == null;
    return isNull ? "NULL" : dialect.typed(":" + parameter, column);
  }

  private void now(Role role, Map<Column, String> set) {
    model.role(role).ifPresent(c -> set.put(c, dialect.now(model, c, Optional.empty())));
  }

  private String later(Column column, String millis) {
    return dialect.now(model, column, Optional.of(millis));
  }

  private String counted(Column column, String change) {
    String value = column.nullable() ? "COALESCE(" + column.of(alias) + ", 0)" : column.of(alias);
    return change.isEmpty() ? value : value + " " + change;
  }

  private Optional<String> perRow(String name) {
    if (name.equals("error")) {
      return model.role(Role.ERROR).map(c -> reference.apply(name, c));
    }
    return Optional.of(reference.apply(name, Column.NUMBER));
  }

  private String constant(String name) {
    return dialect.typed(":" + name, Column.NUMBER);
  }
}
