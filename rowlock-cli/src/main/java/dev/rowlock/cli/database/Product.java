package dev.rowlock.cli.database;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The databases that the command line brings drivers for: one line each. */
public enum Product {
  /** PostgreSQL. */
  POSTGRESQL(
      "jdbc:postgresql:",
      "postgres://…, jdbc:postgresql://…",
      "org.postgresql.Driver",
      Map.of(
          "connectTimeout", "8",
          "loginTimeout", "9",
          "ApplicationName", "rowlock",
          "tcpKeepAlive", "true")),
  /** SQL Server and Azure SQL. */
  SQLSERVER(
      "jdbc:sqlserver:",
      "sqlserver://…, jdbc:sqlserver://…",
      "com.microsoft.sqlserver.jdbc.SQLServerDriver",
      Map.of("loginTimeout", "8", "applicationName", "rowlock")) {
    @Override
    boolean mistake(SQLException e) {
      return SqlServerRefusal.mistake(e);
    }

    @Override
    String said(String message) {
      return SqlServerRefusal.said(message);
    }
  },
  /** MariaDB, and MySQL through the same driver, which may be shipped with this program. */
  MARIADB(
      "jdbc:mariadb:",
      "mariadb://…, mysql://…, jdbc:mariadb://…, jdbc:mysql://…",
      "org.mariadb.jdbc.Driver",
      Map.of(
          "connectTimeout", "8000",
          "connectionAttributes", "program_name:rowlock",
          "transactionIsolation", "READ_COMMITTED")),
  /** H2, embedded or as a server. */
  H2("jdbc:h2:", "jdbc:h2:…", "org.h2.Driver", Map.of()),
  /** SQLite, a file. */
  SQLITE(
      "jdbc:sqlite:",
      "sqlite:FILE, jdbc:sqlite:…",
      "org.sqlite.JDBC",
      Map.of("journal_mode", "WAL", "busy_timeout", "5000"));

  private final String prefix;
  private final String examples;
  private final String driver;
  private final Map<String, String> defaults;

  Product(String prefix, String examples, String driver, Map<String, String> defaults) {
    this.prefix = prefix;
    this.examples = examples;
    this.driver = driver;
    this.defaults = defaults;
  }

  /** Whose JDBC URL it is. */
  static Optional<Product> of(String jdbcUrl) {
    return Arrays.stream(values()).filter(p -> jdbcUrl.startsWith(p.prefix)).findFirst();
  }

  /** The kinds of URL that are understood, for messages. */
  public static String allowed() {
    String all = Arrays.stream(values()).map(p -> p.examples).collect(Collectors.joining(", "));
    int last = all.lastIndexOf(", ");
    return all.substring(0, last) + " and " + all.substring(last + 2);
  }

  /** The driver's class. */
  String driver() {
    return driver;
  }

  /** Whether a connection was refused for a reason that trying again does not mend. */
  boolean mistake(SQLException e) {
    String state = String.valueOf(e.getSQLState());
    return state.startsWith("28")
        || state.startsWith("3D")
        || state.equals("08004")
        || state.startsWith("90013");
  }

  /** What a driver said when it could not connect, for people. */
  String said(String message) {
    return message;
  }

  /** Driver properties that hold where neither the URL nor anything else says so. */
  Map<String, String> defaults() {
    return defaults;
  }
}
