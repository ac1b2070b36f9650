package dev.rowlock.dialect;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** The end of a transaction on SQLite. */
final class SqliteCommit {
  private SqliteCommit() {}

  /**
   * The driver's commit() begins the next transaction at once: with transaction_mode=IMMEDIATE that
   * waits for the lock again, and may fail when everything is committed already. Where this one
   * fails in the database, the driver takes the transaction for ended, which it is not; where it
   * did not get there, both know that it goes on, and whoever rolls back ends it.
   */
  static void run(Connection connection) throws SQLException {
    try {
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      rollBackIfForgotten(connection, e);
      throw e;
    }
  }

  private static void rollBackIfForgotten(Connection connection, SQLException why) {
    try {
      if (connection.getAutoCommit()) {
        try (Statement statement = connection.createStatement()) {
          statement.execute("ROLLBACK");
        }
      }
    } catch (SQLException e) {
      why.addSuppressed(e);
    }
  }
}
