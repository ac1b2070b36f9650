package dev.rowlock.spi;

import dev.rowlock.Role;
import dev.rowlock.RowState;
import dev.rowlock.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Where a row is in its life, as SQL; the same for every database. */
public final class RowStates {
  private final Model model;
  private final Predicates where;

  /**
   * For a queue.
   *
   * @param model the queue
   */
  public RowStates(Model model) {
    this.model = model;
    this.where = new Predicates(model);
  }

  /**
   * The label of the state that a row is in.
   *
   * @param alias the table's alias
   * @return a CASE expression
   */
  public String rowState(String alias) {
    StringBuilder sql = new StringBuilder("CASE");
    Optional<State> state = model.mapping().state();
    if (state.isPresent()) {
      state.get().done().ifPresent(v -> when(sql, equal(alias, "done"), RowState.DONE));
      state.get().dead().ifPresent(v -> when(sql, equal(alias, "dead"), RowState.DEAD));
    } else {
      model
          .role(Role.DONE_AT)
          .ifPresent(c -> when(sql, c.of(alias) + " IS NOT NULL", RowState.DONE));
      model
          .role(Role.DEAD_AT)
          .ifPresent(c -> when(sql, c.of(alias) + " IS NOT NULL", RowState.DEAD));
    }
    if (!model.expiredIsReady()) {
      where.expired(alias).ifPresent(e -> when(sql, e, RowState.EXPIRED));
      when(sql, stuck(alias), RowState.STUCK);
    }
    held(alias).ifPresent(h -> when(sql, h, RowState.PROCESSING));
    model.deadMarker().ifPresent(c -> when(sql, c.of(alias) + " IS NOT NULL", RowState.DEAD));
    model.mapping().where().ifPresent(w -> when(sql, outside(w), RowState.OTHER));
    String ready = where.inAnyReadyState(alias);
    where
        .attemptsLeft(alias)
        .ifPresent(l -> when(sql, join(ready, where.exhausted(alias)), exhaustedState()));
    Optional<String> due = where.due(alias);
    when(sql, due.map(d -> join(ready, d)).orElse(ready), RowState.READY);
    due.ifPresent(d -> when(sql, ready, RowState.SCHEDULED));
    state
        .filter(State::failedIsTerminal)
        .ifPresent(
            s ->
                when(
                    sql,
                    equal(alias, "failed"),
                    s.dead().isEmpty() ? RowState.DEAD : RowState.FAILED));
    return sql.append("\n  ELSE '").append(RowState.OTHER.label()).append("' END").toString();
  }

  /** A predicate that is unknown keeps a row out as one that is false does. */
  private static String outside(String where) {
    return "CASE WHEN " + Predicates.trusted(where) + " THEN 0 ELSE 1 END = 1";
  }

  private RowState exhaustedState() {
    return model.expiredIsReady() ? RowState.EXPIRED : RowState.FAILED;
  }

  /**
   * Held rows; on a visibility-timeout table only a holder tells a held row from one that waits.
   */
  private Optional<String> held(String alias) {
    if (!model.expiredIsReady()) {
      return Optional.of(where.claimed(alias));
    }
    return model
        .role(Role.WORKER)
        .or(() -> model.role(Role.CLAIMED_AT))
        .map(holder -> where.claimed(alias) + " AND " + holder.of(alias) + " IS NOT NULL");
  }

  private String stuck(String alias) {
    List<Column> times = new ArrayList<>();
    model.role(Role.LEASE_UNTIL).ifPresent(times::add);
    model.role(Role.CLAIMED_AT).ifPresent(times::add);
    List<String> all = new ArrayList<>();
    all.add(where.claimed(alias));
    times.forEach(c -> all.add(c.of(alias) + " IS NULL"));
    return Predicates.and(all);
  }

  /**
   * Claimed rows that no automatic recovery may touch, and expired ones: what a person may reset.
   *
   * @param alias the table's alias
   * @return a condition
   */
  public String resettable(String alias) {
    return where
        .expired(alias)
        .filter(e -> !model.expiredIsReady())
        .map(e -> "(" + stuck(alias) + "\nOR " + e + ")")
        .orElseGet(() -> where.claimed(alias));
  }

  private String equal(String alias, String value) {
    Column column = model.state().orElseThrow();
    return column.of(alias) + " = " + where.value(value, column);
  }

  private static void when(StringBuilder sql, String condition, RowState state) {
    sql.append("\n  WHEN ").append(condition.replace("\n", "\n    "));
    sql.append(" THEN '").append(state.label()).append("'");
  }

  private static String join(String a, String b) {
    return a.isEmpty() ? b : a + " AND " + b;
  }
}
