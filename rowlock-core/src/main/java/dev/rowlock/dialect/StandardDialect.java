package dev.rowlock.dialect;

import dev.rowlock.Fault;
import dev.rowlock.Role;
import dev.rowlock.RowState;
import dev.rowlock.spi.Assignments;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Dialect;
import dev.rowlock.spi.InsertPlan;
import dev.rowlock.spi.Model;
import dev.rowlock.spi.Predicates;
import dev.rowlock.spi.RowStates;
import dev.rowlock.spi.Sql;
import dev.rowlock.spi.Table;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The statements that are the same on every database that speaks standard SQL: no claims among
 * them.
 */
abstract class StandardDialect implements Dialect {

  private static final String RESET =
      """
      UPDATE {table} AS t
      SET {set}
      WHERE {key=} AND {resettable}
      """;

  private static final String INSERT =
      """
      INSERT INTO {table} ({columns})
      VALUES ({values})
      """;

  private static final String STATS =
      """
      SELECT rowlock_state, COUNT(*), {age}
      FROM (SELECT {state} AS rowlock_state, {due} AS rowlock_due FROM {table} q) s
      GROUP BY rowlock_state
      """;

  private static final String LEFT =
      """
      SELECT 1
      FROM {table} q
      WHERE {left}
      {order.by}
      {limit.one}
      """;

  private static final String LIST =
      """
      SELECT rowlock_state, {s.columns}
      FROM (SELECT {state} AS rowlock_state, {q.used} FROM {table} q) s
      WHERE rowlock_state = :row_state
      ORDER BY {order}
      {limit}
      """;

  private static final String SHOW =
      """
      SELECT {state} AS rowlock_state, {q.columns}
      FROM {table} q
      WHERE {key=}
      """;

  /** Whether the place of NULL must be said because the database would choose another. */
  abstract boolean sayNulls(Model.OrderItem item);

  /** A row's due time as a point in time. */
  abstract String due(Model model, Column runAt);

  /** How many seconds ago the oldest due time was. */
  abstract String age(Model model, String oldest);

  @Override
  public String quote(String name) {
    return Sql.raw("\"" + name.replace("\"", "\"\"") + "\"");
  }

  /** Every statement is made here: where a database needs something around all of them. */
  Sql statement(String template, Map<String, String> fragments) {
    return Sql.of(template, fragments);
  }

  @Override
  public Sql reset(Model model) {
    Map<String, String> f = model.fragments();
    f.put("set", Assignments.sql(new Assignments(model, "t").recoverReady()));
    f.put("key=", keyEquals(model, "t"));
    f.put("resettable", "(" + new RowStates(model).resettable("t") + ")");
    return statement(RESET, f);
  }

  // Compared as the column compares: a union takes the collation of its only column. No row is
  // read. Counted, since MySQL makes SQL text of a condition on a derived table, parses that again,
  // and gets the quotes wrong under NO_BACKSLASH_ESCAPES.
  private static final String DIFFERENT =
      """
      SELECT COUNT(DISTINCT x.v)
      FROM (
        SELECT q.{column} AS v FROM {table} q WHERE 1 = 0
        {values}
      ) x
      """;

  @Override
  public final Sql different(Model model, Column column, int values) {
    return statement(
        DIFFERENT,
        Map.of(
            "column", column.quoted(),
            "table", model.table().quoted(),
            "values",
                IntStream.range(0, values)
                    .mapToObj(i -> "UNION ALL SELECT " + typed(":v" + i, column) + " AS v")
                    .collect(Collectors.joining("\n"))));
  }

  @Override
  public InsertPlan insert(Model model, List<Column> columns) {
    return new InsertPlan.Keys(statement(INSERT, inserted(model, columns)));
  }

  /** The columns and values of an insert. */
  final Map<String, String> inserted(Model model, List<Column> columns) {
    Map<String, String> f = model.fragments();
    f.put("columns", columns.stream().map(Column::quoted).collect(Collectors.joining(", ")));
    StringBuilder values = new StringBuilder();
    for (int i = 0; i < columns.size(); i++) {
      values.append(i == 0 ? "" : ", ").append(typed(":v" + i, columns.get(i)));
    }
    f.put("values", values.toString());
    return f;
  }

  @Override
  public Sql stats(Model model) {
    Map<String, String> f = model.fragments();
    f.put("state", new RowStates(model).rowState("q"));
    f.put("due", model.role(Role.RUN_AT).map(c -> due(model, c)).orElse("NULL"));
    f.put("age", model.has(Role.RUN_AT) ? age(model, "MIN(rowlock_due)") : "NULL");
    return statement(STATS, f);
  }

  @Override
  public List<Sql> left(Model model) {
    Predicates where = finding(model);
    List<Sql> all = new ArrayList<>();
    for (int i = 0; i < model.readyValues(); i++) {
      all.add(left(model, where.readySometime("q", i)));
    }
    where.heldForATime("q").ifPresent(held -> all.add(left(model, held)));
    return all;
  }

  private Sql left(Model model, String condition) {
    Map<String, String> f = model.fragments();
    f.put("limit.one", first("1"));
    f.put("left", condition);
    f.put("order.by", orderForIndex(model));
    return statement(LEFT, f);
  }

  /** The conditions by which rows are found. */
  Predicates finding(Model model) {
    return new Predicates(model);
  }

  /** The end of a query that wants so many rows. */
  String first(String rows) {
    return "LIMIT " + rows;
  }

  /** An ORDER BY that makes the planner take the index on state and order; empty if not needed. */
  String orderForIndex(Model model) {
    return "";
  }

  @Override
  public Sql list(Model model, RowState state) {
    Map<String, String> f = look(model);
    f.put("order", order(model, "s"));
    // Not every column: this user may be allowed to read those that are mapped, and no others.
    Set<Column> used = new LinkedHashSet<>(model.everything());
    model.order().forEach(item -> used.add(item.column()));
    f.put("limit", first(":limit"));
    f.put("q.used", Model.columns("q", List.copyOf(used)));
    return statement(LIST, f);
  }

  @Override
  public Sql show(Model model) {
    return statement(SHOW, look(model));
  }

  private Map<String, String> look(Model model) {
    Map<String, String> f = model.fragments();
    f.put("state", new RowStates(model).rowState("q"));
    for (String alias : List.of("q", "s")) {
      f.put(
          alias + ".columns",
          model.everything().stream().map(c -> shown(alias, c)).collect(Collectors.joining(", ")));
    }
    f.put("key=", keyEquals(model, "q"));
    return f;
  }

  /** Times are shown as the database prints them. */
  private String shown(String alias, Column column) {
    return switch (column.kind()) {
      case INSTANT, LOCAL_TIMESTAMP, DATE, TIME, OTHER, JSON ->
          text(column.of(alias), column) + " AS " + column.quoted();
      default -> column.of(alias);
    };
  }

  /** That a row has the given key. */
  final String keyEquals(Model model, String alias) {
    return model.key().stream()
        .map(c -> c.of(alias) + " = " + typed(":" + model.parameter("key", c), c))
        .collect(Collectors.joining(" AND "));
  }

  /** The claim order. */
  final String order(Model model, String alias) {
    return model.order().stream()
        .map(item -> orderItem(item, alias))
        .collect(Collectors.joining(", "));
  }

  /** One part of the claim order. */
  String orderItem(Model.OrderItem item, String alias) {
    return item.column().of(alias)
        + (item.by().descending() ? " DESC" : "")
        + (item.column().nullable() && sayNulls(item)
            ? item.by().nullsFirst() ? " NULLS FIRST" : " NULLS LAST"
            : "");
  }

  /** The name of a new index and what it is on. */
  String indexOn(Model model, String name) {
    return quote(name) + " ON " + model.table().quoted();
  }

  /**
   * What an index must hold so that it can be read in the order of one part; empty where it is the
   * column itself.
   */
  List<Advice.Part> indexed(Model.OrderItem item) {
    return List.of();
  }

  /** The archived row has the values that a completed row would have. */
  static void archive(Model model, Map<String, String> f, Map<Column, String> set) {
    Table archive = model.archive().orElseThrow();
    Map<String, String> columns = new LinkedHashMap<>();
    for (Column c : model.table().columns().values()) {
      Column target = archive.columns().get(c.name());
      if (target != null && target.writable()) {
        columns.put(c.quoted(), set.getOrDefault(c, c.of("t")) + " AS " + c.quoted());
      }
    }
    f.put("archive", archive.quoted());
    f.put("archive.columns", String.join(", ", columns.keySet()));
    f.put("archive.select", String.join(", ", columns.values()));
  }

  /** Sorts what the standard's SQLSTATE classes and JDBC's exception types say. */
  static Fault standard(SQLException e) {
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    if (state.startsWith("08")
        || e instanceof SQLRecoverableException
        || e instanceof SQLNonTransientConnectionException
        || e instanceof SQLTransientConnectionException) {
      return Fault.CONNECTION;
    }
    if (e instanceof SQLTimeoutException) {
      return Fault.TIMEOUT;
    }
    return switch (state.length() < 2 ? "" : state.substring(0, 2)) {
      case "40" -> Fault.SERIALIZATION;
      case "22", "21" -> Fault.DATA;
      case "23", "44" -> Fault.CONSTRAINT;
      case "28" -> Fault.PRIVILEGE;
      default -> Fault.OTHER;
    };
  }
}
