package dev.rowlock.dialect;

import dev.rowlock.Fault;
import dev.rowlock.Mapping;
import dev.rowlock.OnDone;
import dev.rowlock.Role;
import dev.rowlock.SqlListing;
import dev.rowlock.TableName;
import dev.rowlock.internal.jdbc.Jdbc;
import dev.rowlock.spi.Assignments;
import dev.rowlock.spi.ClaimPlan;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.ExtendPlan;
import dev.rowlock.spi.InsertPlan;
import dev.rowlock.spi.Kind;
import dev.rowlock.spi.Model;
import dev.rowlock.spi.Predicates;
import dev.rowlock.spi.RecoverPlan;
import dev.rowlock.spi.Sql;
import dev.rowlock.spi.Table;
import dev.rowlock.spi.Write;
import dev.rowlock.spi.WritePlan;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * SQLite 3.35 and newer: one file, one writer at a time. Every transaction of Rowlock's own begins
 * with a statement that writes, so it takes the write lock before it reads anything: a read
 * snapshot can never be refused the lock afterwards (SQLITE_BUSY_SNAPSHOT), whatever kind of BEGIN
 * the pool's connections use.
 */
public final class Sqlite extends StandardDialect {

  // The list of keys is complete before the first row is changed, and nobody else can write
  // meanwhile. RETURNING comes in any order, knows only the table's own name (not its alias), and
  // shows the values after the change.
  private static final String CLAIM =
      """
      UPDATE {table} AS t
      SET {set}
      WHERE {t.keys} IN (
        SELECT {q.key}
        FROM {table} AS q
        WHERE {ready}
        ORDER BY {order}
        LIMIT :limit
      )
      RETURNING {out}, {ranks}
      """;

  // Changes no row and fires no trigger, but a statement that may write takes the lock all the
  // same.
  private static final String LOCK =
      """
      UPDATE {table} AS t
      SET {nothing}
      WHERE 1 = 0
      """;

  private static final String CANDIDATES =
      """
      SELECT {q.selected}
      FROM {table} AS q
      WHERE {ready}
      ORDER BY {order}
      LIMIT :limit
      """;

  private static final String UPDATE_BY_KEY =
      """
      UPDATE {table} AS t
      SET {set}
      WHERE {key=}
      """;

  private static final String READ_ONE =
      """
      SELECT {q.out}
      FROM {table} AS q
      WHERE {q.key=}
      """;

  // Attempts and their limit are the same before and after, or both say "dead".
  private static final String RECOVER =
      """
      UPDATE {table} AS t
      SET {set}
      WHERE {t.keys} IN (
        SELECT {q.key}
        FROM {table} AS q
        WHERE {expired}
        LIMIT :limit
      )
      RETURNING {own.key}, {own.exhausted}
      """;

  private static final String UPDATE_CURRENT =
      """
      UPDATE {table} AS t
      SET {set}
      WHERE {current}
      """;

  private static final String DELETE_CURRENT =
      """
      DELETE FROM {table} AS t
      WHERE {current}
      """;

  private static final String ARCHIVE_CURRENT =
      """
      INSERT INTO {archive} ({archive.columns})
      SELECT {archive.select}
      FROM {table} AS t
      WHERE {current}
      """;

  private static final String EXTEND =
      """
      UPDATE {table} AS t
      SET {set}
      WHERE {current}
      RETURNING {held}
      """;

  private static final String INSERT =
      """
      INSERT INTO {table} ({columns})
      VALUES ({values})
      RETURNING {own.key}
      """;

  @Override
  public String name() {
    return "sqlite";
  }

  @Override
  public String supports() {
    return "SQLite 3.35 or newer";
  }

  @Override
  public boolean speaks(DatabaseMetaData metaData) throws SQLException {
    return metaData.getDatabaseProductName().equals("SQLite");
  }

  @Override
  public Optional<String> refusal(Connection connection) throws SQLException {
    return SqliteCatalog.refusal(connection);
  }

  @Override
  public Optional<String> readOnly(Connection connection) throws SQLException {
    return Jdbc.first(connection, "PRAGMA query_only", r -> r.getBoolean(1)).orElse(false)
        ? Optional.of("PRAGMA query_only is on")
        : Optional.empty();
  }

  /** SQLite is serializable, and no driver of it has anything less that is safe. */
  @Override
  public int isolation(Connection connection) {
    return Connection.TRANSACTION_SERIALIZABLE;
  }

  /**
   * The driver takes a query timeout for the time to wait for the write lock; tries multiply it.
   */
  @Override
  public int queryTimeoutSeconds(int seconds) {
    return Math.min(seconds, 5);
  }

  /** With transaction_mode=IMMEDIATE that waits for the lock again, in vain perhaps. */
  @Override
  public boolean commitBegins() {
    return true;
  }

  @Override
  public boolean oneWriter() {
    return true;
  }

  @Override
  public Optional<Table> inspect(Connection connection, TableName name) throws SQLException {
    return new SqliteCatalog(this, connection).table(name);
  }

  @Override
  public Table mapped(Mapping mapping, Table table) {
    return SqliteTimes.mapped(mapping, table);
  }

  @Override
  public String now(Model model, Column target, Optional<String> plusMillis) {
    return SqliteTimes.now(model, target, plusMillis);
  }

  @Override
  public String moment(Model model, String expression, Column column) {
    return SqliteTimes.moment(model, expression, column);
  }

  @Override
  public String greatest(String a, String b) {
    return "MAX(" + a + ", " + b + ")";
  }

  @Override
  public String typed(String expression, Column column) {
    // The text of an error goes into a document as a string of JSON.
    return column.kind() == Kind.JSON && expression.endsWith("error")
        ? "json_quote(" + expression + ")"
        : expression;
  }

  /** A unique key is always chosen before an index on the state. */
  @Override
  public String opaque(String condition) {
    return condition;
  }

  @Override
  public String text(String expression, Column column) {
    return "CAST(" + expression + " AS TEXT)";
  }

  @Override
  public TextUnit textUnit() {
    return TextUnit.CODE_POINTS;
  }

  @Override
  public void bind(PreparedStatement statement, int index, Object value, Column column)
      throws SQLException {
    SqliteValues.bind(statement, index, value, column);
  }

  @Override
  public Object read(ResultSet row, int index, Column column) throws SQLException {
    return SqliteValues.read(row, index, column);
  }

  @Override
  public ClaimPlan claim(Model model, int ready, OptionalInt limit) {
    Map<String, String> f = fragments(model);
    f.put("ready", keyed(model) + new Predicates(model).ready("q", ready));
    f.put("order", keysLast(model));
    Map<Column, String> set = new Assignments(model, "t").claim();
    if (set.isEmpty()) {
      f.put("q.selected", f.get("q.out"));
      return locked(f, model, new ClaimPlan.LockOnly(Sql.of(CANDIDATES, f)));
    }
    f.put("set", Assignments.sql(set));
    Optional<String> ranks = ranks(model, set.keySet());
    if (ranks.isPresent()) {
      f.put("ranks", ranks.get());
      return new ClaimPlan.Unordered(Sql.of(CLAIM, f));
    }
    f.put("q.selected", f.get("q.key"));
    return locked(
        f,
        model,
        new ClaimPlan.LockThenUpdate(
            Sql.of(CANDIDATES, f), Sql.of(UPDATE_BY_KEY, f), Sql.of(READ_ONE, f)));
  }

  private static ClaimPlan locked(Map<String, String> f, Model model, ClaimPlan then) {
    Column any =
        model.table().columns().values().stream()
            .filter(Column::writable)
            .findFirst()
            .orElse(model.key().get(0));
    f.put("nothing", any.quoted() + " = " + any.of("t"));
    return new ClaimPlan.WriteLock(Sql.of(LOCK, f), then);
  }

  /**
   * A PRIMARY KEY that is not INTEGER accepts NULL, and outside STRICT tables any type of value.
   * Such a row has no name to be changed by, and must not keep the others from being claimed.
   */
  private static String keyed(Model model) {
    return model.key().stream()
        .map(c -> SqliteValues.isKey(c, "q", model.key().size() == 1))
        .flatMap(Optional::stream)
        .map(condition -> condition + "\nAND ")
        .collect(Collectors.joining());
  }

  /** A key is never NULL here, also where nobody has looked at the table. */
  private String keysLast(Model model) {
    String order = order(model, "q");
    for (Column c : model.key()) {
      order = order.replace(c.of("q") + " IS NULL, ", "");
    }
    return order;
  }

  /**
   * The values that the changed rows are sorted by; empty where the claim itself changes them, or
   * where they sort by rules that are not known here.
   */
  private Optional<String> ranks(Model model, Set<Column> changed) {
    List<String> all = new ArrayList<>();
    for (Model.OrderItem item : model.order()) {
      Column column = item.column();
      Optional<String> rank = SqliteValues.rank(column.of(own(model)), column);
      if (changed.contains(column) || rank.isEmpty()) {
        return Optional.empty();
      }
      all.add(rank.get());
    }
    return Optional.of(String.join(", ", all));
  }

  private String own(Model model) {
    return quote(model.table().name());
  }

  private Map<String, String> fragments(Model model) {
    Map<String, String> f = model.fragments();
    String keys = f.get("t.key");
    f.put("t.keys", model.key().size() == 1 ? keys : "(" + keys + ")");
    f.put("key=", keyEquals(model, "t"));
    f.put("q.key=", keyEquals(model, "q"));
    f.put("out", model.outputs(own(model), model.outputs()));
    f.put("held", model.outputs(own(model), model.heldOutputs()));
    f.put("own.key", Model.columns(own(model), model.key()));
    return f;
  }

  @Override
  public RecoverPlan recover(Model model, OptionalInt limit) {
    Predicates where = new Predicates(model);
    Map<String, String> f = fragments(model);
    f.put("expired", keyed(model) + where.expired("q").orElseThrow());
    f.put("own.exhausted", where.exhausted(own(model)));
    f.put("set", Assignments.sql(new Assignments(model, "t").recover(where.exhausted("t"))));
    return new RecoverPlan.OneStatement(Sql.of(RECOVER, f));
  }

  @Override
  public WritePlan write(Model model, Write write) {
    Map<String, String> f = model.fragments();
    f.put("current", current(model));
    Map<Column, String> set = new Assignments(model, "t").write(write);
    f.put("set", Assignments.sql(set));
    OnDone onDone = model.mapping().onDone();
    if (write.kind() != Write.Kind.COMPLETE || onDone instanceof OnDone.Update) {
      return new WritePlan.Rows(List.of(Sql.of(UPDATE_CURRENT, f)));
    }
    if (onDone instanceof OnDone.Delete) {
      return new WritePlan.Rows(List.of(Sql.of(DELETE_CURRENT, f)));
    }
    archive(model, f, set);
    return new WritePlan.Rows(List.of(Sql.of(ARCHIVE_CURRENT, f), Sql.of(DELETE_CURRENT, f)));
  }

  @Override
  public ExtendPlan extend(Model model) {
    Map<String, String> f = fragments(model);
    f.put("current", current(model));
    f.put("set", Assignments.sql(new Assignments(model, "t").extend()));
    return new ExtendPlan.Each(Sql.of(EXTEND, f));
  }

  private String current(Model model) {
    return new Predicates(model).current("t", (name, c) -> typed(":" + name, c));
  }

  @Override
  public InsertPlan insert(Model model, List<Column> columns) {
    Map<String, String> f = inserted(model, columns);
    f.put("own.key", Model.columns(own(model), model.key()));
    return new InsertPlan.Returning(Sql.of(INSERT, f));
  }

  @Override
  public List<SqlListing.Statement> advice(Model model) {
    return new Advice(model, "TEXT", "TEXT", "INTEGER").all();
  }

  /** NULL is the smallest value, so it comes first unless the order is a descending one. */
  @Override
  boolean sayNulls(Model.OrderItem item) {
    return item.by().descending() == item.by().nullsFirst();
  }

  // NULLS LAST has no index to be read from. That a value is NULL has one, as an expression.
  @Override
  String orderItem(Model.OrderItem item, String alias) {
    String column = item.column().of(alias);
    return nulls(item, column).map(n -> n + ", ").orElse("")
        + column
        + (item.by().descending() ? " DESC" : "");
  }

  private Optional<String> nulls(Model.OrderItem item, String column) {
    return item.column().nullable() && sayNulls(item)
        ? Optional.of(column + (item.by().nullsFirst() ? " IS NOT NULL" : " IS NULL"))
        : Optional.empty();
  }

  // The schema stands before the name of the index, not of the table.
  @Override
  String indexOn(Model model, String name) {
    String table = model.table().quoted();
    String schema = table.substring(0, table.length() - own(model).length());
    return schema + quote(name) + " ON " + own(model);
  }

  @Override
  List<Advice.Part> indexed(Model.OrderItem item) {
    Column column = item.column();
    List<Advice.Part> all = new ArrayList<>();
    nulls(item, column.quoted())
        .ifPresent(n -> all.add(new Advice.Part(Sql.of(n, Map.of()).named(), n)));
    all.add(
        new Advice.Part(column.name(), column.quoted() + (item.by().descending() ? " DESC" : "")));
    return all;
  }

  @Override
  String due(Model model, Column runAt) {
    return moment(model, runAt.of("q"), runAt);
  }

  @Override
  String age(Model model, String oldest) {
    return SqliteTimes.age(model, oldest, model.role(Role.RUN_AT).orElseThrow());
  }

  @Override
  public Fault classify(SQLException e) {
    return SqliteValues.fault(e).orElseGet(() -> standard(e));
  }
}
