package dev.rowlock.dialect;

import dev.rowlock.ConfigurationException;
import dev.rowlock.internal.jdbc.Jdbc;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Dialect;
import dev.rowlock.spi.InsertPlan;
import dev.rowlock.spi.Model;
import dev.rowlock.spi.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** MySQL 8.0.1 and newer, and servers made from it. */
public final class MySql extends MySqlFamily {

  // Hold for the one statement, and cost no round trip. Without the modes about zero dates the
  // strict mode is warned of; before 8.0.17 the time zone is, and has no effect.
  private static final String ZONE = "SET_VAR(time_zone = '%s') ";
  private static final String SETTINGS = " /*+ %sSET_VAR(sql_mode = '%s') */";
  private static final String OTHER_ZONE = "+12:34";

  private static final String KEY =
      """
      SELECT {keys}
      """;

  private final boolean pinsZone;

  /** For sessions as a new server has them by itself. */
  public MySql() {
    this(true, true);
  }

  private MySql(boolean backslashEscapes, boolean pinsZone) {
    super(backslashEscapes);
    this.pinsZone = pinsZone;
  }

  @Override
  public String name() {
    return "mysql";
  }

  @Override
  public String supports() {
    return "MySQL 8.0.1 or newer";
  }

  @Override
  boolean is(Connection connection) throws SQLException {
    return !runsMariaDbComments(connection);
  }

  /** A hint stands behind the first word. */
  @Override
  String pinned(String template) {
    String zone = pinsZone ? ZONE.formatted("+00:00") : "";
    String settings = SETTINGS.formatted(zone, sqlMode());
    return template.replaceFirst(
        "^(\\w+)", "$1" + java.util.regex.Matcher.quoteReplacement(settings));
  }

  @Override
  String strictMode() {
    return "STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO";
  }

  @Override
  Dialect withoutBackslashEscapes() {
    return new MySql(false, pinsZone);
  }

  @Override
  public Dialect tuned(Connection connection) throws SQLException {
    String asked = "SELECT /*+ " + ZONE.formatted(OTHER_ZONE) + "*/ @@SESSION.time_zone";
    boolean pins =
        Jdbc.first(connection, asked, r -> r.getString(1)).equals(Optional.of(OTHER_ZONE));
    MySql here = pins == pinsZone ? this : new MySql(true, pins);
    return here.forBackslashes(connection);
  }

  @Override
  boolean pinsZone() {
    return pinsZone;
  }

  @Override
  String forShare() {
    return "FOR SHARE";
  }

  @Override
  String sessionReadOnly() {
    return "SELECT @@SESSION.transaction_read_only";
  }

  /** There is no RETURNING: the session remembers the number that it drew last. */
  @Override
  public InsertPlan insert(Model model, List<Column> columns) {
    Map<String, String> f = inserted(model, columns);
    f.put("keys", model.key().stream().map(c -> key(columns, c)).collect(Collectors.joining(", ")));
    return new InsertPlan.ThenRead(super.insert(model, columns).sql(), Sql.of(KEY, f));
  }

  private static String key(List<Column> given, Column column) {
    int position = given.indexOf(column);
    boolean counted = column.type().contains(MySqlCatalog.AUTO_INCREMENT);
    if (position < 0 && !counted && !column.type().isEmpty()) {
      throw new ConfigurationException(
          "MySQL does not tell what the default of key column '%s' made; give its value"
              .formatted(column.name()));
    }
    if (position < 0) {
      return "LAST_INSERT_ID()";
    }
    return counted ? "COALESCE(:v" + position + ", LAST_INSERT_ID())" : ":v" + position;
  }
}
