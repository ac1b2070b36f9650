package dev.rowlock.spi;

import dev.rowlock.Role;
import dev.rowlock.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/** The conditions of all statements, the same for every database. */
public final class Predicates {
  private final Model model;
  private final Dialect dialect;
  private final boolean ranged;
  private final String beside;

  /**
   * For a queue.
   *
   * @param model the queue
   */
  public Predicates(Model model) {
    this(model, false, "");
  }

  private Predicates(Model model, boolean ranged, String beside) {
    this.model = model;
    this.dialect = model.dialect();
    this.ranged = ranged;
    this.beside = beside;
  }

  /**
   * The same conditions, for databases on which a statement must say how it reads the other rows of
   * a group.
   *
   * @param model the queue
   * @param beside what follows the name of the table where those rows are read
   * @return conditions
   */
  public static Predicates reading(Model model, String beside) {
    return new Predicates(model, false, beside);
  }

  /**
   * The same conditions, with the state of the rows that are looked for written as a range of one
   * value. Together with the state at the head of ORDER BY it leaves a planner one good choice, the
   * index on state and order: for an equal state it may walk any index in the wanted order, such as
   * the primary key's, through every row that is done.
   *
   * @param model the queue
   * @return conditions for the alias q
   */
  public static Predicates ranged(Model model) {
    return new Predicates(model, true, "");
  }

  private String stateIs(String alias, Column column, String value) {
    return ranged && alias.equals("q")
        ? "%1$s >= %2$s\nAND %1$s <= %2$s".formatted(column.of(alias), value)
        : column.of(alias) + " = " + value;
  }

  /**
   * A row that may be claimed now.
   *
   * @param alias the table's alias
   * @param ready which ready value
   * @return a condition
   */
  public String ready(String alias, int ready) {
    List<String> all = new ArrayList<>();
    all.add(inReadyState(alias, ready));
    due(alias).ifPresent(all::add);
    attemptsLeft(alias).ifPresent(all::add);
    model.mapping().where().ifPresent(w -> all.add("(" + trusted(w) + ")"));
    model.role(Role.GROUP).ifPresent(group -> all.add(firstOfGroup(alias, group)));
    return and(all);
  }

  /**
   * A row that is ready now or will be, as far as attempts and the extra predicate let it.
   *
   * @param alias the table's alias
   * @param ready which ready value
   * @return a condition
   */
  public String readySometime(String alias, int ready) {
    List<String> all = new ArrayList<>();
    all.add(inReadyState(alias, ready));
    if (!model.expiredIsReady()) {
      attemptsLeft(alias).ifPresent(all::add);
    }
    model.mapping().where().ifPresent(w -> all.add("(" + trusted(w) + ")"));
    return and(all);
  }

  /**
   * A row that is held by a claim that has an end, whether it has ended or not.
   *
   * @param alias the table's alias
   * @return a condition; empty where no claim has an end, or held rows count as ready
   */
  public Optional<String> heldForATime(String alias) {
    List<String> times = new ArrayList<>();
    model.role(Role.LEASE_UNTIL).ifPresent(c -> times.add(c.of(alias) + " IS NOT NULL"));
    model.role(Role.CLAIMED_AT).ifPresent(c -> times.add(c.of(alias) + " IS NOT NULL"));
    return times.isEmpty() || model.expiredIsReady()
        ? Optional.empty()
        : Optional.of(claimed(alias) + "\nAND (" + String.join(" OR ", times) + ")");
  }

  /**
   * Whether a row is still in the ready state that it was found in; without the other conditions.
   *
   * @param alias the table's alias
   * @param ready which ready value
   * @return a condition
   */
  public String inReadyState(String alias, int ready) {
    Optional<State> state = model.mapping().state();
    if (state.isPresent()) {
      Column column = model.state().orElseThrow();
      String found =
          state.get().ready().get(ready) == null
              ? column.of(alias) + " IS NULL"
              : stateIs(alias, column, value("ready" + (ready == 0 ? "" : "_" + ready), column));
      return model.deadMarker().map(c -> found + "\nAND " + c.of(alias) + " IS NULL").orElse(found);
    }
    List<String> all = unfinished(alias);
    if (!model.expiredIsReady()) {
      model.role(Role.CLAIMED_AT).ifPresent(c -> all.add(c.of(alias) + " IS NULL"));
      model.role(Role.LEASE_UNTIL).ifPresent(c -> all.add(c.of(alias) + " IS NULL"));
    }
    return and(all);
  }

  /** Any ready value. */
  String inAnyReadyState(String alias) {
    List<String> any = new ArrayList<>();
    for (int i = 0; i < model.readyValues(); i++) {
      any.add(inReadyState(alias, i));
    }
    return any.size() == 1 ? any.get(0) : "(" + String.join(" OR ", any) + ")";
  }

  private List<String> unfinished(String alias) {
    List<String> all = new ArrayList<>();
    model.role(Role.DONE_AT).ifPresent(c -> all.add(c.of(alias) + " IS NULL"));
    model.role(Role.DEAD_AT).ifPresent(c -> all.add(c.of(alias) + " IS NULL"));
    return all;
  }

  Optional<String> due(String alias) {
    return model
        .role(Role.RUN_AT)
        .map(
            c -> {
              String due = moment(alias, c) + " <= " + dialect.now(model, c, Optional.empty());
              return c.nullable() ? "(" + c.of(alias) + " IS NULL OR " + due + ")" : due;
            });
  }

  Optional<String> attemptsLeft(String alias) {
    return model.role(Role.ATTEMPTS).map(c -> attempts(alias, c) + " < " + maxAttempts(alias));
  }

  /**
   * A row that has used up its attempts.
   *
   * @param alias the table's alias
   * @return a condition; never true where attempts are not mapped
   */
  public String exhausted(String alias) {
    return model
        .role(Role.ATTEMPTS)
        .map(c -> attempts(alias, c) + " >= " + maxAttempts(alias))
        .orElse("1 = 0");
  }

  private static String attempts(String alias, Column column) {
    return column.nullable() ? "COALESCE(" + column.of(alias) + ", 0)" : column.of(alias);
  }

  /**
   * How many attempts a row may use: its own limit, else the policy's.
   *
   * @param alias the table's alias
   * @return an SQL expression
   */
  String maxAttempts(String alias) {
    String policy = value("max_attempts", Column.NUMBER);
    return model
        .role(Role.MAX_ATTEMPTS)
        .map(c -> c.nullable() ? "COALESCE(" + c.of(alias) + ", " + policy + ")" : c.of(alias))
        .orElse(policy);
  }

  /**
   * Strict order for each group: no row of the group is being worked on, and none that still may be
   * comes before. Two claimers that race see the same first row as ready, so the later rows are
   * barred for both.
   */
  private String firstOfGroup(String alias, Column group) {
    String before = before("b", alias);
    String left = attemptsLeft("b").map(l -> " AND " + l).orElse("");
    // Rows that this queue never claims hold nothing back; in the subselect, bare names are b's.
    String inside = model.mapping().where().map(w -> " AND (" + trusted(w) + ")").orElse("");
    return """
        (%s IS NULL OR NOT EXISTS (
          SELECT 1 FROM %s b%s
          WHERE %s = %s
            AND (%s OR (%s%s%s AND (%s)))))"""
        .formatted(
            group.of(alias),
            model.table().quoted(),
            beside,
            group.of("b"),
            group.of(alias),
            claimed("b"),
            inAnyReadyState("b"),
            left,
            inside,
            before);
  }

  /** That row {@code a} comes before row {@code b} in claim order. */
  private String before(String a, String b) {
    List<String> any = new ArrayList<>();
    List<String> equal = new ArrayList<>();
    for (Model.OrderItem item : model.order()) {
      Column c = item.column();
      List<String> all = new ArrayList<>(equal);
      all.add(precedes(item, c.of(a), c.of(b)));
      any.add(and(all));
      equal.add(
          c.nullable()
              ? "(%1$s = %2$s OR (%1$s IS NULL AND %2$s IS NULL))".formatted(c.of(a), c.of(b))
              : c.of(a) + " = " + c.of(b));
    }
    return String.join(" OR ", any);
  }

  private static String precedes(Model.OrderItem item, String a, String b) {
    String less = a + (item.by().descending() ? " > " : " < ") + b;
    if (!item.column().nullable()) {
      return less;
    }
    return item.by().nullsFirst()
        ? "(%s OR (%s IS NULL AND %s IS NOT NULL))".formatted(less, a, b)
        : "(%s OR (%s IS NOT NULL AND %s IS NULL))".formatted(less, a, b);
  }

  /**
   * A row that somebody holds, whether or not the lease has ended.
   *
   * @param alias the table's alias
   * @return a condition; true for every unfinished row where nothing marks a claim
   */
  public String claimed(String alias) {
    Optional<String> processing = model.mapping().state().flatMap(State::processing);
    if (processing.isPresent()) {
      Column column = model.state().orElseThrow();
      return stateIs(alias, column, value("processing", column));
    }
    if (model.state().isPresent()) {
      return "1 = 0";
    }
    List<String> all = unfinished(alias);
    if (model.expiredIsReady()) {
      Column until = model.role(Role.LEASE_UNTIL).orElseThrow();
      all.add(moment(alias, until) + " > " + dialect.now(model, until, Optional.empty()));
      return and(all);
    }
    List<String> markers = new ArrayList<>();
    for (Role role : List.of(Role.CLAIMED_AT, Role.LEASE_UNTIL)) {
      model.role(role).ifPresent(c -> markers.add(c.of(alias) + " IS NOT NULL"));
    }
    all.add(markers.isEmpty() ? "1 = 0" : "(" + String.join(" OR ", markers) + ")");
    return and(all);
  }

  /**
   * A row whose lease has ended.
   *
   * @param alias the table's alias
   * @return a condition; empty where no time of the claim is mapped
   */
  public Optional<String> expired(String alias) {
    if (model.expiredIsReady()) {
      Column until = model.role(Role.LEASE_UNTIL).orElseThrow();
      List<String> all = unfinished(alias);
      all.add(ended(alias, until, Optional.empty()));
      all.add(exhausted(alias));
      return Optional.of(and(all));
    }
    Optional<String> until =
        model.role(Role.LEASE_UNTIL).map(c -> ended(alias, c, Optional.empty()));
    Optional<String> since =
        model
            .role(Role.CLAIMED_AT)
            .map(c -> ended(alias, c, Optional.of("- " + value("lease_ms", Column.NUMBER))));
    if (until.isEmpty()) {
      return since.map(s -> claimed(alias) + "\nAND " + s);
    }
    // A row that was claimed by other code may have a claim time but no lease end.
    Column column = model.role(Role.LEASE_UNTIL).orElseThrow();
    String end =
        since
            .map(s -> "(" + until.get() + " OR (" + column.of(alias) + " IS NULL AND " + s + "))")
            .orElse(until.get());
    return Optional.of(claimed(alias) + "\nAND " + end);
  }

  private String ended(String alias, Column column, Optional<String> plusMillis) {
    return moment(alias, column) + " <= " + dialect.now(model, column, plusMillis);
  }

  private String moment(String alias, Column column) {
    return dialect.moment(model, column.of(alias), column);
  }

  /**
   * That a claim is current: the row is the claim's, still held, and the fence fits. The state is
   * compared in a form that the planner does not match with an index: statistics call the
   * processing rows few, and an index on them can hold every dead entry of the last hours.
   *
   * @param alias the table's alias
   * @param reference how a per-row value is referred to: parameter name and column to SQL
   * @return a condition
   */
  public String current(String alias, BiFunction<String, Column, String> reference) {
    List<String> all = new ArrayList<>();
    for (Column c : model.key()) {
      all.add(c.of(alias) + " = " + reference.apply(model.parameter("key", c), c));
    }
    for (Role role : model.fenceRoles()) {
      Column c = model.role(role).orElseThrow();
      all.add(c.of(alias) + " = " + reference.apply("fence_" + role.label().replace('-', '_'), c));
    }
    if (model.mapping().state().flatMap(State::processing).isPresent()) {
      all.add(dialect.opaque(claimed(alias)));
    } else if (model.state().isEmpty()) {
      // Expired or not does not matter here, only that the row was not given back or finished.
      all.addAll(unfinished(alias));
      model.role(Role.CLAIMED_AT).ifPresent(c -> all.add(c.of(alias) + " IS NOT NULL"));
      if (!model.expiredIsReady()) {
        model.role(Role.LEASE_UNTIL).ifPresent(c -> all.add(c.of(alias) + " IS NOT NULL"));
      }
    }
    return and(all);
  }

  /** It may end in a comment, which must not swallow what follows. */
  static String trusted(String where) {
    return Sql.raw(where.contains("--") ? where + "\n" : where);
  }

  String value(String parameter, Column column) {
    return dialect.typed(":" + parameter, column);
  }

  static String and(List<String> conditions) {
    List<String> all = conditions.stream().filter(c -> !c.isBlank()).toList();
    return all.isEmpty() ? "1 = 1" : String.join("\nAND ", all);
  }
}
