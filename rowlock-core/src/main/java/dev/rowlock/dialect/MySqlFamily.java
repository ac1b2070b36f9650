package dev.rowlock.dialect;

import dev.rowlock.Fault;
import dev.rowlock.Role;
import dev.rowlock.SqlListing;
import dev.rowlock.TableName;
import dev.rowlock.internal.jdbc.Jdbc;
import dev.rowlock.spi.ClaimPlan;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Dialect;
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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What MariaDB and MySQL have in common, which is all but a few words: how a statement gets its own
 * settings, how an insert tells its key. Claims are in {@link MySqlClaims}, fenced writes in {@link
 * MySqlWrites}.
 *
 * <p>Every statement runs with its own time zone (UTC) and SQL mode, whatever the session has. In a
 * session with summer time a TIMESTAMP is ambiguous for an hour each autumn, written and compared;
 * and without a strict mode a counter that is full stays as it is and an enum takes the empty
 * string, both without an error.
 */
abstract class MySqlFamily extends StandardDialect {
  private static final Pattern PRECISION = Pattern.compile("^\\w+\\((\\d)\\)");

  /** Puts a statement's own settings into its text. */
  abstract String pinned(String template);

  /** Whether a statement can have its own time zone. */
  boolean pinsZone() {
    return true;
  }

  /** What the strict mode is on this kind of server. */
  abstract String strictMode();

  /** The same dialect for sessions in which a backslash is a letter like any other. */
  abstract Dialect withoutBackslashEscapes();

  private final boolean backslashEscapes;

  MySqlFamily(boolean backslashEscapes) {
    this.backslashEscapes = backslashEscapes;
  }

  // NO_UNSIGNED_SUBTRACTION: 0 - 1 of a counter is no error. What a session says of backslashes has
  // to be kept: each answer tells it to the driver, which writes text in the next statement by it.
  // CONCAT(@@sql_mode, …) would keep all, but a log of statements calls it unsafe.
  final String sqlMode() {
    String mode = strictMode() + ",NO_UNSIGNED_SUBTRACTION";
    return backslashEscapes ? mode : mode + ",NO_BACKSLASH_ESCAPES";
  }

  @Override
  public Dialect tuned(Connection connection) throws SQLException {
    return forBackslashes(connection);
  }

  final Dialect forBackslashes(Connection connection) throws SQLException {
    return flag(connection, "SELECT @@SESSION.sql_mode LIKE '%NO_BACKSLASH_ESCAPES%'")
        ? withoutBackslashEscapes()
        : this;
  }

  /** The clause of a shared lock; {@code SKIP LOCKED} follows. */
  abstract String forShare();

  /** Whether a server that speaks the protocol is of this kind. */
  abstract boolean is(Connection connection) throws SQLException;

  /** The SELECT of whether this session is read-only. */
  abstract String sessionReadOnly();

  @Override
  public boolean speaks(DatabaseMetaData metaData) throws SQLException {
    String product = metaData.getDatabaseProductName().toLowerCase(Locale.ROOT);
    boolean protocol = product.contains("mysql") || product.contains("mariadb");
    return protocol && is(metaData.getConnection());
  }

  // Asked of the parser, not of the version text: MariaDB runs what stands in its own comments, and
  // no other server does. Drivers and proxies give either name and any version.
  static boolean runsMariaDbComments(Connection connection) throws SQLException {
    return Jdbc.first(connection, "SELECT 1 /*M! + 1 */", r -> r.getInt(1)).orElse(1) == 2;
  }

  @Override
  public Optional<String> refusal(Connection connection) throws SQLException {
    String version = Jdbc.first(connection, "SELECT VERSION()", r -> r.getString(1)).orElse("");
    String comment =
        Jdbc.first(connection, "SELECT @@version_comment", r -> r.getString(1)).orElse("");
    String all = (version + " " + comment).toLowerCase(Locale.ROOT);
    // These take the clause without a lock, or have no row locks at all.
    for (String other : new String[] {"tidb", "singlestore", "memsql", "doris", "starrocks"}) {
      if (all.contains(other)) {
        return Optional.of(
            "this server speaks MySQL's protocol but calls itself '%s' (%s) and cannot pass locked rows over; supported is %s"
                .formatted(version, comment, supports()));
      }
    }
    try {
      Jdbc.query(connection, "SELECT 1 FROM DUAL FOR UPDATE SKIP LOCKED", r -> 1);
      return Optional.empty();
    } catch (SQLException e) {
      return e.getErrorCode() == 1064 || e.getErrorCode() == 1235
          ? Optional.of(
              "%s (%s) has no SKIP LOCKED; use %s".formatted(version, comment, supports()))
          : Optional.empty();
    }
  }

  private static final String MAY_WRITE_ANYWAY =
      """
      SELECT 1 FROM information_schema.USER_PRIVILEGES
      WHERE PRIVILEGE_TYPE IN ('SUPER', 'READ_ONLY ADMIN', 'CONNECTION_ADMIN')
      """;

  @Override
  public Optional<String> readOnly(Connection connection) throws SQLException {
    if (flag(connection, sessionReadOnly())) {
      return Optional.of("this session's transactions are read-only (transaction_read_only)");
    }
    if (flag(connection, "SELECT @@GLOBAL.innodb_read_only")) {
      return Optional.of("the server was started with innodb_read_only");
    }
    boolean replica =
        flag(connection, "SELECT @@GLOBAL.read_only")
            && Jdbc.first(connection, MAY_WRITE_ANYWAY, r -> 1).isEmpty();
    return replica ? Optional.of("the server is a replica (read_only is on)") : Optional.empty();
  }

  private static boolean flag(Connection connection, String sql) throws SQLException {
    return Jdbc.first(connection, sql, r -> r.getBoolean(1)).orElse(false);
  }

  // A server that logs statements refuses writes at READ COMMITTED (error 1665), since their order
  // would not be enough to repeat them.
  @Override
  public int isolation(Connection connection) throws SQLException {
    return logsStatements(connection)
        ? Connection.TRANSACTION_REPEATABLE_READ
        : Connection.TRANSACTION_READ_COMMITTED;
  }

  static boolean logsStatements(Connection connection) throws SQLException {
    try {
      return flag(connection, "SELECT @@GLOBAL.log_bin AND @@SESSION.binlog_format = 'STATEMENT'");
    } catch (SQLException e) {
      if (e.getErrorCode() == 1193) {
        return false; // A later server that can only log rows.
      }
      throw e;
    }
  }

  @Override
  public Optional<Table> inspect(Connection connection, TableName name) throws SQLException {
    return new MySqlCatalog(this, connection).table(name);
  }

  @Override
  public Optional<String> objection(Connection connection, Model model) throws SQLException {
    return new MySqlObjections(this, model).first(connection);
  }

  /** Backticks work in every SQL mode; double quotes do not. */
  @Override
  public String quote(String name) {
    return Sql.raw("`" + name.replace("`", "``") + "`");
  }

  // UTC_TIMESTAMP is what the statement began with, in a long transaction too. Rounded as the
  // column is: MySQL rounds what it stores, MariaDB cuts it, and a cast does as the column would.
  @Override
  public String now(Model model, Column target, Optional<String> plusMillis) {
    String now =
        plusMillis
            .map("(UTC_TIMESTAMP(6) + INTERVAL (%s) * 1000 MICROSECOND)"::formatted)
            .orElse("UTC_TIMESTAMP(6)");
    String zone = zone(model);
    String there =
        target.kind() == Kind.LOCAL_TIMESTAMP && !zone.equals("+00:00")
            ? "CONVERT_TZ(" + now + ", '+00:00', '" + Sql.raw(zone) + "')"
            : now;
    int digits = precision(target);
    return digits == 6 ? there : "CAST(" + there + " AS DATETIME(" + digits + "))";
  }

  /** The mapped zone as the server has it: an offset where that is all it is. */
  static String zone(Model model) {
    ZoneId zone = model.mapping().timeZone();
    if (!zone.getRules().isFixedOffset()) {
      return zone.getId();
    }
    String offset = zone.getRules().getOffset(Instant.EPOCH).getId();
    return offset.equals("Z") ? "+00:00" : offset;
  }

  private static int precision(Column target) {
    if (target.type().isEmpty()) {
      return 6;
    }
    Matcher digits = PRECISION.matcher(target.type());
    return digits.find() ? Integer.parseInt(digits.group(1)) : 0;
  }

  @Override
  public String typed(String expression, Column column) {
    if (column == Column.NUMBER) {
      return "CAST(" + expression + " AS SIGNED)";
    }
    // A failure's text is no document; as a JSON string it is.
    boolean error = expression.equals(":error") || expression.equals(":expired_error");
    return column.kind() == Kind.JSON && error ? "JSON_QUOTE(" + expression + ")" : expression;
  }

  /** Rows are written by their key, with the index named: no statistics can mislead it. */
  @Override
  public String opaque(String condition) {
    return condition;
  }

  @Override
  public String text(String expression, Column column) {
    return "CAST(" + expression + " AS CHAR)";
  }

  // As text, in the statement's own zone: drivers would convert it from a zone of their choice.
  @Override
  public String returned(String expression, Column column) {
    return column.kind() == Kind.INSTANT ? text(expression, column) : expression;
  }

  @Override
  public Object read(ResultSet row, int index, Column column) throws SQLException {
    return switch (column.kind()) {
      case INSTANT -> MySqlTimes.parse(row.getString(index));
      // One of the two drivers has no such type.
      case UUID -> uuid(row.getString(index));
      default -> column.kind().read(row, index);
    };
  }

  private static UUID uuid(String text) {
    return text == null ? null : UUID.fromString(text);
  }

  @Override
  public TextUnit textUnit() {
    return TextUnit.CODE_POINTS;
  }

  @Override
  public boolean holds(int codePoint, Column column) {
    return MySqlCharsets.holds(codePoint, column);
  }

  @Override
  public void bind(PreparedStatement statement, int index, Object value, Column column)
      throws SQLException {
    if (value == null) {
      statement.setNull(index, Types.NULL);
    } else if (value instanceof Long number) {
      statement.setLong(index, number);
    } else if (value instanceof BigDecimal number) {
      statement.setBigDecimal(index, number);
    } else if (value instanceof Boolean bool) {
      statement.setBoolean(index, bool);
    } else if (value instanceof byte[] bytes) {
      statement.setBytes(index, bytes);
    } else if (value instanceof UUID || column.kind() != Kind.INSTANT) {
      statement.setString(index, value.toString());
    } else {
      statement.setString(index, MySqlTimes.inUtc(value.toString()));
    }
  }

  @Override
  Sql statement(String template, Map<String, String> fragments) {
    return Sql.of(pinned(template), fragments);
  }

  @Override
  public ClaimPlan claim(Model model, int ready, OptionalInt limit) {
    return new MySqlClaims(this, model).claim(ready);
  }

  @Override
  public RecoverPlan recover(Model model, OptionalInt limit) {
    return new MySqlClaims(this, model).recover();
  }

  @Override
  public WritePlan write(Model model, Write write) {
    return new MySqlWrites(this, model).write(write);
  }

  @Override
  public ExtendPlan extend(Model model) {
    return new MySqlWrites(this, model).extend();
  }

  // As a range of one value with the state at the head of the order: for "state = 'ready' ORDER BY
  // id" the optimizer may walk the primary key, through every row that is done.
  static boolean byIndex(Model model) {
    return model.state().isPresent() && Advice.indexed(model);
  }

  @Override
  Predicates finding(Model model) {
    return byIndex(model) ? Predicates.ranged(model) : new Predicates(model);
  }

  @Override
  String orderForIndex(Model model) {
    return byIndex(model) ? "ORDER BY " + stateFirst(model) + indexOrder(model, "q") : "";
  }

  static String stateFirst(Model model) {
    return byIndex(model) ? model.state().orElseThrow().of("q") + ", " : "";
  }

  /** The order in which an index is read: NULL first, or last where it descends. */
  static String indexOrder(Model model, String alias) {
    return model.order().stream()
        .map(o -> o.column().of(alias) + (o.by().descending() ? " DESC" : ""))
        .collect(Collectors.joining(", "));
  }

  /** NULL stands first here, and last where the order descends: said by a sort of its own. */
  @Override
  String orderItem(Model.OrderItem item, String alias) {
    String column = item.column().of(alias) + (item.by().descending() ? " DESC" : "");
    return sayNulls(item) ? item.column().of(alias) + nullsFirst(item) + ", " + column : column;
  }

  private static String nullsFirst(Model.OrderItem item) {
    return item.by().nullsFirst() ? " IS NOT NULL" : " IS NULL";
  }

  @Override
  boolean sayNulls(Model.OrderItem item) {
    return item.column().nullable() && item.by().descending() == item.by().nullsFirst();
  }

  @Override
  String due(Model model, Column runAt) {
    return runAt.of("q");
  }

  @Override
  String age(Model model, String oldest) {
    String now = now(model, model.role(Role.RUN_AT).orElseThrow(), Optional.empty());
    return "TIMESTAMPDIFF(MICROSECOND, " + oldest + ", " + now + ") / 1000000";
  }

  @Override
  public java.util.List<SqlListing.Statement> advice(Model model) {
    return new Advice(model, "datetime(6)", "text", "bigint", false).all();
  }

  @Override
  public Fault classify(SQLException e) {
    return MySqlFaults.of(e);
  }
}
