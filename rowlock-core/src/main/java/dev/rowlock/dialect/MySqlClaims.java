package dev.rowlock.dialect;

import dev.rowlock.Role;
import dev.rowlock.State;
import dev.rowlock.spi.Assignments;
import dev.rowlock.spi.ClaimPlan;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Model;
import dev.rowlock.spi.Predicates;
import dev.rowlock.spi.RecoverPlan;
import dev.rowlock.spi.RowsSql;
import dev.rowlock.spi.Sql;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Claims and recovery on MariaDB and MySQL. */
record MySqlClaims(MySqlFamily dialect, Model model) {

  // InnoDB locks every row that a locking read touches, and with a filesort that is every
  // candidate: one claim would hide the whole queue from all others. So candidates are read
  // without a lock, as a derived table that is walked in its order, and each is locked by its key.
  // STRAIGHT_JOIN and FORCE INDEX leave no other way: on a small table the optimizer would read
  // all of it, and lock or wait for rows that are somebody else's. A derived table with a LIMIT is
  // never merged into the outer query, and its own read is a consistent one. The LIMIT outside
  // stops the locking. No LIMIT stands in a statement that writes: a log of statements is safe.
  private static final String LOCK =
      """
      SELECT {t.key}
      FROM (
        {candidates}
      ) AS c STRAIGHT_JOIN {table} AS t FORCE INDEX ({index}) ON {t=c}
      WHERE {ready}
      LIMIT :limit
      FOR UPDATE SKIP LOCKED
      """;

  private static final String CANDIDATES =
      """
      {candidates}
      """;

  private static final String CLAIM =
      """
      UPDATE {table} AS t FORCE INDEX ({index})
      SET {set}
      WHERE {rows}
      """;

  // By the keys that this transaction has locked and changed: by a worker's name, rows of an
  // earlier claim would come back as new. The state is looked at because a trigger may have kept
  // it.
  private static final String READ =
      """
      SELECT {q.out}
      FROM {table} AS q FORCE INDEX ({index})
      WHERE {rows}{claimed}
      """;

  // A claim of another row of the group that is not committed yet shows as a lock alone: in the
  // outer join it is passed over, and so comes as NULL. The first thousand rows of a group are
  // looked at. Shared locks, so that two that look do not see each other.
  private static final String GROUP_BUSY =
      """
      SELECT 1
      FROM (
        SELECT {keys.b}
        FROM {table} AS g FORCE INDEX ({index}) STRAIGHT_JOIN {table} AS b ON {b.group} = {g.group}
        WHERE {g.key=} AND {ready.b}
        ORDER BY {order.b}
        LIMIT 1000
      ) AS c LEFT JOIN {table} AS t FORCE INDEX ({index}) ON {t=c}
      WHERE {t.some} IS NULL
      LIMIT 1
      {for.share} SKIP LOCKED
      """;

  private static final String GROUP_FIRST =
      """
      SELECT 1
      FROM {table} AS q FORCE INDEX ({index})
      WHERE {q.key=} AND {ready.q}
      """;

  // Locked by key for the same reason: a row that is held, and not ended, must not be locked even
  // for a moment while its worker completes it.
  private static final String LOCK_EXPIRED =
      """
      SELECT {t.key}, {exhausted} AS rowlock_dead
      FROM (
        SELECT {keys.q}
        FROM {table} AS q
        WHERE {expired.q}
        {order.by}
        LIMIT :window
      ) AS c STRAIGHT_JOIN {table} AS t FORCE INDEX ({index}) ON {t=c}
      WHERE {expired.t}
      LIMIT :limit
      FOR UPDATE SKIP LOCKED
      """;

  ClaimPlan claim(int ready) {
    Predicates where = new Predicates(model);
    Map<String, String> f = fragments();
    String candidates = candidates(ready);
    f.put("candidates", candidates);
    f.put("ready", where.ready("t", ready));
    Map<Column, String> set = new Assignments(model, "t").claim();
    f.put("set", Assignments.sql(set));
    f.put("claimed", set.isEmpty() ? "" : stillProcessing(where));
    return new ClaimPlan.LockThenSet(
        dialect.statement(CANDIDATES, f),
        dialect.statement(LOCK, f),
        model.has(Role.GROUP) ? Optional.of(group(f, ready)) : Optional.empty(),
        set.isEmpty() ? Optional.empty() : Optional.of(byKey(CLAIM, f, "t")),
        byKey(READ, f, "q"));
  }

  private String stillProcessing(Predicates where) {
    return model.mapping().state().flatMap(State::processing).isPresent()
        ? "\nAND " + where.claimed("q")
        : "";
  }

  /**
   * The first rows in claim order. NULL stands first in an index here; where it is wanted last, the
   * rows with and without a value are read apart, each in index order, and the few that are found
   * are sorted: a sort of all that are ready would read all of them.
   */
  private String candidates(int ready) {
    List<Model.OrderItem> split = model.order().stream().filter(this::mayBeNull).toList();
    String where = dialect.finding(model).ready("q", ready);
    if (split.isEmpty() || split.size() > 2) {
      return "SELECT %s\nFROM %s AS q\nWHERE %s\nORDER BY %s%s\nLIMIT :window"
          .formatted(
              keys("q"), model.table().quoted(), where, MySqlFamily.stateFirst(model), order());
    }
    List<String> parts = new ArrayList<>();
    for (String branch : branches(split)) {
      parts.add(
          "(SELECT %s\nFROM %s AS q\nWHERE %s%s\nORDER BY %s%s\nLIMIT :window)"
              .formatted(
                  selected(),
                  model.table().quoted(),
                  where,
                  branch,
                  MySqlFamily.stateFirst(model),
                  MySqlFamily.indexOrder(model, "q")));
    }
    return "SELECT %s\nFROM (\n  %s\n) AS q\nORDER BY %s\nLIMIT :window"
        .formatted(keys("q"), String.join("\nUNION ALL\n", parts).replace("\n", "\n  "), order());
  }

  /** The claim order; a key is never NULL, also where nothing is known of its column. */
  private String order() {
    return model.order().stream()
        .map(
            o ->
                mayBeNull(o)
                    ? dialect.orderItem(o, "q")
                    : o.column().of("q") + (o.by().descending() ? " DESC" : ""))
        .collect(Collectors.joining(", "));
  }

  private boolean mayBeNull(Model.OrderItem item) {
    return dialect.sayNulls(item) && !model.key().contains(item.column());
  }

  /** Every way in which the columns can have a value or none. */
  private static List<String> branches(List<Model.OrderItem> split) {
    List<String> all = List.of("");
    for (Model.OrderItem item : split) {
      String column = item.column().of("q");
      List<String> more = new ArrayList<>();
      for (String before : all) {
        more.add(before + "\nAND " + column + " IS NOT NULL");
        more.add(before + "\nAND " + column + " IS NULL");
      }
      all = more;
    }
    return all;
  }

  /** The columns of the order, the key among them. */
  private String selected() {
    return model.order().stream().map(o -> o.column().of("q")).collect(Collectors.joining(", "));
  }

  private ClaimPlan.Group group(Map<String, String> f, int ready) {
    Predicates where = new Predicates(model);
    Column group = model.role(Role.GROUP).orElseThrow();
    List<String> any = new ArrayList<>();
    for (int i = 0; i < model.readyValues(); i++) {
      any.add("(" + where.inReadyState("b", i) + ")");
    }
    f.put("keys.b", keys("b"));
    f.put("b.group", group.of("b"));
    f.put("g.group", group.of("g"));
    f.put("g.key=", dialect.keyEquals(model, "g"));
    f.put("q.key=", dialect.keyEquals(model, "q"));
    f.put("ready.b", "(" + String.join(" OR ", any) + ")");
    f.put("ready.q", where.ready("q", ready));
    f.put("order.b", dialect.order(model, "b"));
    f.put("t.some", model.key().get(0).of("t"));
    f.put("for.share", dialect.forShare());
    return new ClaimPlan.Group(dialect.statement(GROUP_FIRST, f), dialect.statement(GROUP_BUSY, f));
  }

  RecoverPlan recover() {
    Predicates where = new Predicates(model);
    Map<String, String> f = fragments();
    f.put("keys.q", keys("q"));
    f.put("expired.q", dialect.finding(model).expired("q").orElseThrow());
    f.put("expired.t", where.expired("t").orElseThrow());
    f.put("exhausted", where.exhausted("t"));
    f.put("order.by", dialect.orderForIndex(model));
    Sql lock = dialect.statement(LOCK_EXPIRED, f);
    f.put("set", Assignments.sql(new Assignments(model, "t").recoverReady()));
    RowsSql ready = byKey(CLAIM, f, "t");
    f.put("set", Assignments.sql(new Assignments(model, "t").recoverDead()));
    return new RecoverPlan.LockThenSet(lock, ready, byKey(CLAIM, f, "t"));
  }

  /** What all statements here and in {@link MySqlWrites} are made of. */
  Map<String, String> fragments() {
    Map<String, String> f = model.fragments();
    f.put("index", index());
    List<String> match = new ArrayList<>();
    for (int i = 0; i < model.key().size(); i++) {
      match.add(model.key().get(i).of("t") + " = c.rowlock_k" + i);
    }
    f.put("t=c", String.join(" AND ", match));
    return f;
  }

  /** Names of their own: the extra predicate may name a key column without a table. */
  private String keys(String alias) {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < model.key().size(); i++) {
      all.add(model.key().get(i).of(alias) + " AS rowlock_k" + i);
    }
    return String.join(", ", all);
  }

  /** The index by which a row is found from its key. */
  private String index() {
    List<String> key = model.key().stream().map(Column::name).toList();
    return model.table().indexes().stream()
        .filter(i -> key.containsAll(i.columns()) && model.table().unique().contains(i.columns()))
        .findFirst()
        .map(i -> dialect.quote(i.name()))
        .orElseGet(() -> dialect.quote("PRIMARY"));
  }

  /** A statement about the rows with given keys. */
  RowsSql byKey(String template, Map<String, String> fragments, String alias) {
    String pinned = dialect.pinned(template);
    if (model.key().size() > 1) {
      return RowsSql.any(pinned, fragments, dialect.keyEquals(model, alias));
    }
    Column key = model.key().get(0);
    return RowsSql.in(
        pinned, fragments, key.of(alias), dialect.typed(":" + model.parameter("key", key), key));
  }
}
