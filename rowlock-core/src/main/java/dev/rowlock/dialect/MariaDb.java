package dev.rowlock.dialect;

import dev.rowlock.spi.Column;
import dev.rowlock.spi.Dialect;
import dev.rowlock.spi.InsertPlan;
import dev.rowlock.spi.Model;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** MariaDB 10.6 and newer. */
public final class MariaDb extends MySqlFamily {

  private static final String SET = "SET STATEMENT ";

  // Holds for the one statement, and costs no round trip.
  private static final String SETTINGS = SET + "time_zone = '+00:00', sql_mode = '%s' FOR\n";

  private static final String INSERT_RETURNING =
      """
      INSERT INTO {table} ({columns})
      VALUES ({values})
      RETURNING {key}
      """;

  /** For sessions as a server has them by itself. */
  public MariaDb() {
    this(true);
  }

  private MariaDb(boolean backslashEscapes) {
    super(backslashEscapes);
  }

  @Override
  public String name() {
    return "mariadb";
  }

  @Override
  public String supports() {
    return "MariaDB 10.6 or newer";
  }

  @Override
  boolean is(Connection connection) throws SQLException {
    return runsMariaDbComments(connection);
  }

  @Override
  String pinned(String template) {
    return SETTINGS.formatted(sqlMode()) + template;
  }

  // The driver puts a SET STATEMENT of its own in front, and of two only the inner one holds.
  @Override
  public String limited(String jdbc, int seconds) {
    return jdbc.startsWith(SET)
        ? SET + "max_statement_time = " + seconds + ", " + jdbc.substring(SET.length())
        : jdbc;
  }

  @Override
  String strictMode() {
    return "STRICT_ALL_TABLES";
  }

  @Override
  Dialect withoutBackslashEscapes() {
    return new MariaDb(false);
  }

  @Override
  String forShare() {
    return "LOCK IN SHARE MODE";
  }

  @Override
  String sessionReadOnly() {
    return "SELECT @@SESSION.tx_read_only";
  }

  @Override
  public InsertPlan insert(Model model, List<Column> columns) {
    return new InsertPlan.Returning(statement(INSERT_RETURNING, inserted(model, columns)));
  }
}
