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
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;

/** H2 2.2.220 and newer, in process or as a server. */
public final class H2 extends StandardDialect {

  // H2 locks rows as it reads them: FOR UPDATE here would lock every candidate that has to be
  // sorted, and hide it from all other claimers.
  private static final String CANDIDATES =
      """
      SELECT {q.key}
      FROM {table} q
      WHERE {ready}
      ORDER BY {order}
      FETCH FIRST :limit ROWS ONLY
      """;

  private static final String LOCK_ONE =
      """
      SELECT 1
      FROM {table} q
      WHERE {key=} AND {ready}
      FOR UPDATE SKIP LOCKED
      """;

  private static final String CLAIM_ONE =
      """
      UPDATE {table} t
      SET {set}
      WHERE {key=} AND {still}
      """;

  private static final String READ_ONE =
      """
      SELECT {q.out}
      FROM {table} q
      WHERE {key=}
      """;

  private static final String LOCK_EXPIRED =
      """
      SELECT {q.key}, {exhausted} AS rowlock_dead
      FROM {table} q
      WHERE {expired}
      FETCH FIRST :limit ROWS ONLY
      FOR UPDATE SKIP LOCKED
      """;

  private static final String UPDATE_BY_KEY =
      """
      UPDATE {table} t
      SET {set}
      WHERE {key=}
      """;

  private static final String UPDATE_CURRENT =
      """
      UPDATE {table} t
      SET {set}
      WHERE {current}
      """;

  private static final String DELETE_CURRENT =
      """
      DELETE FROM {table} t
      WHERE {current}
      """;

  private static final String ARCHIVE_CURRENT =
      """
      INSERT INTO {archive} ({archive.columns})
      SELECT {archive.select}
      FROM {table} t
      WHERE {current}
      """;

  private static final String LOCK_CURRENT =
      """
      SELECT 1
      FROM {table} t
      WHERE {current}
      FOR UPDATE SKIP LOCKED
      """;

  private static final String IS_CURRENT =
      """
      SELECT 1
      FROM {table} t
      WHERE {current}
      """;

  private static final String READ_HELD =
      """
      SELECT 1{q.held}
      FROM {table} q
      WHERE {key=}
      """;

  @Override
  public String name() {
    return "h2";
  }

  @Override
  public String supports() {
    return "H2 2.2.220 or newer";
  }

  @Override
  public boolean speaks(DatabaseMetaData metaData) throws SQLException {
    return metaData.getDatabaseProductName().equals("H2");
  }

  /** Asked of the engine itself: the version text of a server can differ from the driver's. */
  @Override
  public Optional<String> refusal(Connection connection) throws SQLException {
    String version =
        Jdbc.first(connection, "SELECT H2VERSION()", r -> r.getString(1)).orElse("unknown");
    try {
      Jdbc.query(
          connection,
          "SELECT 1 FROM INFORMATION_SCHEMA.USERS WHERE 1 = 0 FOR UPDATE SKIP LOCKED",
          r -> 1);
      return Optional.empty();
    } catch (SQLException e) {
      return e.getErrorCode() == 42000 || e.getErrorCode() == 42001
          ? Optional.of("H2 " + version + " has no SKIP LOCKED; use 2.2.220 or newer")
          : Optional.empty();
    }
  }

  @Override
  public Optional<String> readOnly(Connection connection) throws SQLException {
    return Jdbc.first(connection, "SELECT READONLY()", r -> r.getBoolean(1)).orElse(false)
        ? Optional.of("the database was opened read-only")
        : Optional.empty();
  }

  @Override
  public Optional<Table> inspect(Connection connection, TableName name) throws SQLException {
    return new H2Catalog(this, connection).table(name);
  }

  // In a transaction H2's clock stands at its first statement: leases made in a caller's long
  // transaction end early, which is the safe side. A column without zone gets the time in the
  // mapped zone, made
  // from the epoch, since a cast would use the session's zone.
  @Override
  public String now(Model model, Column target, Optional<String> plusMillis) {
    String now =
        target.kind() == Kind.LOCAL_TIMESTAMP
            ? "DATEADD(MICROSECOND, CAST((EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6))%s) * 1000000 AS BIGINT), TIMESTAMP '1970-01-01 00:00:00')"
                .formatted(offset(model))
            : "CURRENT_TIMESTAMP(6)";
    String then = plusMillis.map(ms -> "DATEADD(MILLISECOND, " + ms + ", " + now + ")").orElse(now);
    return target.type().isEmpty() ? then : "CAST(" + then + " AS " + target.type() + ")";
  }

  /** What a zone's clocks are ahead of UTC now, in seconds. */
  private static String offset(Model model) {
    String zone = model.mapping().timeZone().getId();
    String there = "CURRENT_TIMESTAMP(6) AT TIME ZONE '" + Sql.raw(zone) + "'";
    return zone.equals("Z")
        ? ""
        : " + EXTRACT(TIMEZONE_HOUR FROM %1$s) * 3600 + EXTRACT(TIMEZONE_MINUTE FROM %1$s) * 60"
            .formatted(there);
  }

  @Override
  public String typed(String expression, Column column) {
    if (column == Column.NUMBER) {
      return "CAST(" + expression + " AS BIGINT)";
    }
    // So that what is given is compared as the column is.
    if (column.type().equals(H2Catalog.ANY_CASE)) {
      return "CAST(" + expression + " AS " + H2Catalog.ANY_CASE + ")";
    }
    // Without this a document that comes as text would be stored as a JSON string.
    return column.kind() == Kind.JSON ? expression + " FORMAT JSON" : expression;
  }

  /** H2 has no statistics that could mislead it here. */
  @Override
  public String opaque(String condition) {
    return condition;
  }

  @Override
  public String text(String expression, Column column) {
    return "CAST(" + expression + " AS VARCHAR)";
  }

  @Override
  public TextUnit textUnit() {
    return TextUnit.UTF16;
  }

  @Override
  public void bind(PreparedStatement statement, int index, Object value, Column column)
      throws SQLException {
    if (value == null) {
      statement.setNull(index, Types.NULL);
    } else if (value instanceof Long
        || value instanceof BigDecimal
        || value instanceof Boolean
        || value instanceof UUID
        || value instanceof byte[]) {
      statement.setObject(index, value);
    } else {
      statement.setString(index, value.toString());
    }
  }

  @Override
  public ClaimPlan claim(Model model, int ready, OptionalInt limit) {
    Predicates where = new Predicates(model);
    Map<String, String> f = model.fragments();
    f.put("ready", where.ready("q", ready));
    f.put("order", order(model, "q"));
    f.put("key=", keyEquals(model, "q"));
    Sql candidates = Sql.of(CANDIDATES, f);
    Sql lock = Sql.of(LOCK_ONE, f);
    Sql read = Sql.of(READ_ONE, f);
    Map<Column, String> set = new Assignments(model, "t").claim();
    if (set.isEmpty()) {
      return new ClaimPlan.LockEach(candidates, lock, Optional.empty(), read);
    }
    f.put("key=", keyEquals(model, "t"));
    f.put("set", Assignments.sql(set));
    f.put("still", where.inReadyState("t", ready));
    return new ClaimPlan.LockEach(candidates, lock, Optional.of(Sql.of(CLAIM_ONE, f)), read);
  }

  @Override
  public RecoverPlan recover(Model model, OptionalInt limit) {
    Predicates where = new Predicates(model);
    Map<String, String> f = model.fragments();
    f.put("expired", where.expired("q").orElseThrow());
    f.put("exhausted", where.exhausted("q"));
    f.put("key=", keyEquals(model, "t"));
    Sql lock = Sql.of(LOCK_EXPIRED, f);
    f.put("set", Assignments.sql(new Assignments(model, "t").recoverReady()));
    Sql ready = Sql.of(UPDATE_BY_KEY, f);
    f.put("set", Assignments.sql(new Assignments(model, "t").recoverDead()));
    return new RecoverPlan.LockThenUpdate(lock, ready, Sql.of(UPDATE_BY_KEY, f));
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
    Map<String, String> f = model.fragments();
    f.put("current", current(model));
    f.put("key=", keyEquals(model, "q"));
    f.put("set", Assignments.sql(new Assignments(model, "t").extend()));
    return new ExtendPlan.Rows(
        Sql.of(LOCK_CURRENT, f),
        Sql.of(IS_CURRENT, f),
        Sql.of(UPDATE_CURRENT, f),
        Sql.of(READ_HELD, f));
  }

  private String current(Model model) {
    return new Predicates(model).current("t", (name, c) -> typed(":" + name, c));
  }

  @Override
  public List<SqlListing.Statement> advice(Model model) {
    return new Advice(model, "TIMESTAMP WITH TIME ZONE", "CHARACTER VARYING", "BIGINT").all();
  }

  /** In the modes of Oracle and SQL Server, H2 knows no LIMIT (C-118). */
  @Override
  String first(String rows) {
    return "FETCH FIRST " + rows + " ROWS ONLY";
  }

  @Override
  boolean sayNulls(Model.OrderItem item) {
    return true;
  }

  @Override
  String due(Model model, Column runAt) {
    return runAt.of("q");
  }

  @Override
  String age(Model model, String oldest) {
    String now = now(model, model.role(Role.RUN_AT).orElseThrow(), Optional.empty());
    return "DATEDIFF(MILLISECOND, " + oldest + ", " + now + ") / 1000.0";
  }

  @Override
  public Fault classify(SQLException e) {
    return switch (e.getErrorCode()) {
      case 40001 -> Fault.DEADLOCK;
      case 50200, 90131 -> Fault.LOCK_TIMEOUT;
      case 57014 -> Fault.TIMEOUT;
      case 90097 -> Fault.READ_ONLY;
      case 90096, 28000 -> Fault.PRIVILEGE;
      case 42102, 42103, 42104, 42122 -> Fault.MISSING_OBJECT;
      case 90067, 90098, 90121, 90020, 90013, 90146 -> Fault.CONNECTION;
      default -> standard(e);
    };
  }
}
