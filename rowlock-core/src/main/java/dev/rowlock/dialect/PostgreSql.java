package dev.rowlock.dialect;

import dev.rowlock.Fault;
import dev.rowlock.OnDone;
import dev.rowlock.Role;
import dev.rowlock.SqlListing;
import dev.rowlock.TableName;
import dev.rowlock.internal.jdbc.Jdbc;
import dev.rowlock.spi.Assignments;
import dev.rowlock.spi.ClaimPlan;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.ExtendPlan;
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
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** PostgreSQL 12 and newer. */
public final class PostgreSql extends StandardDialect {

  // MATERIALIZED: as a subselect (and worse, as IN (… LIMIT)) the planner may run the locking read
  // once
  // per outer row and claim far more than the limit.
  // FOR NO KEY UPDATE: FOR UPDATE would block (and be skipped for) inserts of rows that refer to
  // this one.
  // The state is compared again in the UPDATE, opaquely: with the bare comparison the planner may
  // join through an index on the state instead of the key.
  // RETURNING comes in join order, so the position is carried along; a row that a trigger kept from
  // being updated shows as NULLs.
  private static final String CLAIM =
      """
      WITH next AS MATERIALIZED (
        SELECT {q.key}
        FROM {table} AS q
        WHERE {ready}
        ORDER BY {order}
        LIMIT {limit}
        FOR NO KEY UPDATE OF q SKIP LOCKED
      ), numbered AS MATERIALIZED (
        SELECT *, row_number() OVER () AS rowlock_n FROM next
      ), claimed AS (
        UPDATE {table} AS t
        SET {set}
        FROM numbered AS n
        WHERE {t=n} AND {still}
        RETURNING n.rowlock_n, {t.out}
      )
      SELECT {c.out}
      FROM numbered AS n LEFT JOIN claimed AS c ON c.rowlock_n = n.rowlock_n
      ORDER BY n.rowlock_n
      """;

  // Nothing to write: the row lock is the claim.
  private static final String CLAIM_BY_LOCK =
      """
      SELECT {q.out}
      FROM {table} AS q
      WHERE {ready}
      ORDER BY {order}
      LIMIT {limit}
      FOR NO KEY UPDATE OF q SKIP LOCKED
      """;

  // Skips rows that are locked: somebody completes or extends them right now. The next pass sees
  // them.
  private static final String RECOVER =
      """
      WITH ended AS MATERIALIZED (
        SELECT {q.key}, ({exhausted}) AS rowlock_dead
        FROM {table} AS q
        WHERE {expired}
        {order.by}
        LIMIT {limit}
        FOR NO KEY UPDATE OF q SKIP LOCKED
      )
      UPDATE {table} AS t
      SET {set}
      FROM ended AS n
      WHERE {t=n}
      RETURNING {t.key}, n.rowlock_dead
      """;

  private static final String UPDATE_ONE =
      """
      UPDATE {table} AS t
      SET {set}
      WHERE {current}
      """;

  private static final String DELETE_ONE =
      """
      DELETE FROM {table} AS t
      WHERE {current}
      """;

  private static final String ARCHIVE_ONE =
      """
      WITH moved AS (
        DELETE FROM {table} AS t
        WHERE {current}
        RETURNING {archive.select}
      )
      INSERT INTO {archive} ({archive.columns})
      SELECT * FROM moved
      """;

  // Rows are locked in key order before any is changed, so that two such statements cannot
  // deadlock.
  // Values arrive as arrays of text and are cast row by row: one text for every column type.
  private static final String MANY_HEAD =
      """
      WITH given AS MATERIALIZED (
        SELECT *
        FROM unnest({arrays}) WITH ORDINALITY AS u ({names}, rowlock_n)
      ), locked AS MATERIALIZED (
        SELECT g.*
        FROM given AS g JOIN {table} AS t ON {current}
        ORDER BY {t.key}
        FOR NO KEY UPDATE OF t
      )
      """;

  private static final String UPDATE_MANY =
      MANY_HEAD
          + """
          UPDATE {table} AS t
          SET {set}
          FROM locked AS g
          WHERE {current}
          RETURNING g.rowlock_n
          """;

  private static final String DELETE_MANY =
      MANY_HEAD
          + """
          DELETE FROM {table} AS t
          USING locked AS g
          WHERE {current}
          RETURNING g.rowlock_n
          """;

  private static final String ARCHIVE_MANY =
      MANY_HEAD
          + """
          , moved AS (
            DELETE FROM {table} AS t
            USING locked AS g
            WHERE {current}
            RETURNING g.rowlock_n, {archive.select}
          ), kept AS (
            INSERT INTO {archive} ({archive.columns})
            SELECT {archive.columns} FROM moved
          )
          SELECT rowlock_n FROM moved
          """;

  // Never waits: a row locked by another transaction (a handler that completes in its own) would
  // hold
  // up the leases of all others. Such a row is still current if its fence fits, and is told apart.
  private static final String EXTEND =
      """
      WITH given AS MATERIALIZED (
        SELECT *
        FROM unnest({arrays}) WITH ORDINALITY AS u ({names}, rowlock_n)
      ), free AS MATERIALIZED (
        SELECT g.*
        FROM given AS g JOIN {table} AS t ON {current}
        FOR NO KEY UPDATE OF t SKIP LOCKED
      ), extended AS (
        UPDATE {table} AS t
        SET {set}
        FROM free AS g
        WHERE {current}
        RETURNING g.rowlock_n{t.held}
      )
      SELECT g.rowlock_n, e.rowlock_n IS NOT NULL AS rowlock_extended{e.held}
      FROM given AS g
      JOIN {table} AS t ON {current}
      LEFT JOIN extended AS e ON e.rowlock_n = g.rowlock_n
      """;

  @Override
  public String name() {
    return "postgresql";
  }

  @Override
  public String supports() {
    return "PostgreSQL 12 or newer";
  }

  @Override
  public boolean speaks(DatabaseMetaData metaData) throws SQLException {
    return metaData.getDatabaseProductName().equals("PostgreSQL");
  }

  @Override
  public Optional<String> refusal(Connection connection) throws SQLException {
    return new PostgreSqlServers(connection).refusal();
  }

  @Override
  public Optional<String> readOnly(Connection connection) throws SQLException {
    return Jdbc.first(
            connection,
            "SELECT pg_is_in_recovery(), current_setting('transaction_read_only') = 'on'",
            r ->
                r.getBoolean(1)
                    ? "the server is a standby"
                    : r.getBoolean(2) ? "default_transaction_read_only is on" : "")
        .filter(reason -> !reason.isEmpty());
  }

  @Override
  public Optional<Table> inspect(Connection connection, TableName name) throws SQLException {
    return new PostgreSqlCatalog(this, connection).table(name);
  }

  // statement_timestamp(), not now(): in the caller's transaction now() may be hours old. And not
  // clock_timestamp(): that is volatile, so no index range could be made with it.
  @Override
  public String now(Model model, Column target, Optional<String> plusMillis) {
    String now =
        plusMillis
            .map("(statement_timestamp() + (%s) * interval '1 ms')"::formatted)
            .orElse("statement_timestamp()");
    String there = target.kind() == Kind.LOCAL_TIMESTAMP ? now + atZone(model) : now;
    // What was stored as "now" in whole seconds may have been rounded up: so is what it is compared
    // with, else a row that is due at once is not due yet.
    return target.type().contains("(") ? "CAST(" + there + " AS " + target.type() + ")" : there;
  }

  private static String atZone(Model model) {
    String zone = model.mapping().timeZone().getId();
    return " AT TIME ZONE '" + Sql.raw(zone.equals("Z") ? "UTC" : zone) + "'";
  }

  @Override
  public String typed(String expression, Column column) {
    return column.type().isEmpty()
        ? expression
        : "CAST(" + expression + " AS " + column.type() + ")";
  }

  @Override
  public String opaque(String condition) {
    return "COALESCE(" + condition + ", FALSE)";
  }

  @Override
  public String text(String expression, Column column) {
    return "CAST(" + expression + " AS text)";
  }

  @Override
  public TextUnit textUnit() {
    return TextUnit.CODE_POINTS;
  }

  @Override
  public void bind(PreparedStatement statement, int index, Object value, Column column)
      throws SQLException {
    if (value instanceof Long number && column == Column.NUMBER) {
      statement.setLong(index, number);
    } else if (value instanceof Object[] elements) {
      String[] texts = Arrays.stream(elements).map(PostgreSql::asText).toArray(String[]::new);
      Jdbc.bindTexts(statement, index, texts);
    } else {
      statement.setString(index, asText(value));
    }
  }

  /** The text from which PostgreSQL reads a value of any type. */
  private static String asText(Object value) {
    return value instanceof byte[] bytes
        ? "\\x" + HexFormat.of().formatHex(bytes)
        : value == null ? null : value.toString();
  }

  @Override
  public ClaimPlan claim(Model model, int ready, OptionalInt limit) {
    if (model.has(Role.GROUP)) {
      return new PostgreSqlGroups(this, model).claim(ready, limit(limit));
    }
    Predicates where = finding(model);
    Map<String, String> f = model.fragments();
    f.put("limit", limit(limit));
    f.put("ready", where.ready("q", ready));
    f.put("order", stateFirst(model) + order(model, "q"));
    Map<Column, String> set = new Assignments(model, "t").claim();
    if (set.isEmpty()) {
      return new ClaimPlan.LockOnly(Sql.of(CLAIM_BY_LOCK, f));
    }
    f.put("set", Assignments.sql(set));
    f.put("t=n", model.match("t", "n"));
    f.put("still", opaque(where.inReadyState("t", ready)));
    return new ClaimPlan.OneStatement(Sql.of(CLAIM, f));
  }

  // A parameter as LIMIT is taken for a tenth of the table: every call would be planned anew, and a
  // cached plan would join by reading the whole table. The number itself lets one good plan be
  // kept.
  static String limit(OptionalInt limit) {
    return limit.isPresent() ? Integer.toString(limit.getAsInt()) : ":limit";
  }

  // The table's index on state and order, and no other, is to be walked: for "state = 'ready' ORDER
  // BY
  // id" the planner may take the primary key's index, which passes every row that is done. A range
  // of one value, with the state at the head of the order, leaves only the right index.
  private static boolean byIndex(Model model) {
    boolean ascending =
        model.order().stream().noneMatch(o -> o.by().descending() || o.by().nullsFirst());
    return model.state().isPresent() && ascending && Advice.indexed(model);
  }

  @Override
  Predicates finding(Model model) {
    return byIndex(model) ? Predicates.ranged(model) : new Predicates(model);
  }

  @Override
  String orderForIndex(Model model) {
    return byIndex(model) ? "ORDER BY " + stateFirst(model) + order(model, "q") : "";
  }

  private static String stateFirst(Model model) {
    return byIndex(model) ? model.state().orElseThrow().of("q") + ", " : "";
  }

  @Override
  public RecoverPlan recover(Model model, OptionalInt limit) {
    Predicates where = finding(model);
    Map<String, String> f = model.fragments();
    f.put("limit", limit(limit));
    f.put("order.by", orderForIndex(model));
    f.put("expired", where.expired("q").orElseThrow());
    f.put("exhausted", where.exhausted("q"));
    f.put("set", Assignments.sql(new Assignments(model, "t").recover("n.rowlock_dead")));
    f.put("t=n", model.match("t", "n"));
    return new RecoverPlan.OneStatement(Sql.of(RECOVER, f));
  }

  @Override
  public WritePlan write(Model model, Write write) {
    PostgreSqlRows rows = new PostgreSqlRows(this, model);
    Map<String, String> one = rows.oneFragments(write);
    Map<String, String> many = rows.manyFragments(write);
    OnDone onDone = model.mapping().onDone();
    if (write.kind() != Write.Kind.COMPLETE || onDone instanceof OnDone.Update) {
      return new WritePlan.Arrays(Sql.of(UPDATE_ONE, one), Sql.of(UPDATE_MANY, many));
    }
    if (onDone instanceof OnDone.Delete) {
      return new WritePlan.Arrays(Sql.of(DELETE_ONE, one), Sql.of(DELETE_MANY, many));
    }
    return new WritePlan.Arrays(Sql.of(ARCHIVE_ONE, one), Sql.of(ARCHIVE_MANY, many));
  }

  @Override
  public ExtendPlan extend(Model model) {
    return new ExtendPlan.Arrays(Sql.of(EXTEND, new PostgreSqlRows(this, model).extendFragments()));
  }

  @Override
  public List<SqlListing.Statement> advice(Model model) {
    return new Advice(model, "timestamptz", "text", "bigint").all();
  }

  // NULLS LAST is what an ascending index has by itself, so it is said only where it differs.
  @Override
  boolean sayNulls(Model.OrderItem item) {
    return item.by().descending() != item.by().nullsFirst();
  }

  @Override
  String due(Model model, Column runAt) {
    return runAt.of("q") + (runAt.kind() == Kind.LOCAL_TIMESTAMP ? atZone(model) : "");
  }

  @Override
  String age(Model model, String oldest) {
    return "EXTRACT(EPOCH FROM statement_timestamp() - " + oldest + ")";
  }

  @Override
  public Fault classify(SQLException e) {
    String state = String.valueOf(e.getSQLState());
    return switch (state) {
      case "40001" -> Fault.SERIALIZATION;
      case "40P01" -> Fault.DEADLOCK;
      case "55P03" -> Fault.LOCK_TIMEOUT;
      case "57014", "25P04" -> Fault.TIMEOUT;
      case "25006" -> Fault.READ_ONLY;
      case "42501" -> Fault.PRIVILEGE;
      case "42P01", "42703", "3F000", "42704" -> Fault.MISSING_OBJECT;
      case "26000", "42P05" -> Fault.POOLER;
      case "57P01", "57P02", "57P03", "57P05", "25P03", "53300" -> Fault.CONNECTION;
      default -> standard(e);
    };
  }
}
