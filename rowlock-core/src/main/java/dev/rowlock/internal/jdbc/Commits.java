package dev.rowlock.internal.jdbc;

import dev.rowlock.spi.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Ends transactions of Rowlock's own. */
final class Commits {
  private Commits() {}

  static void commit(Connection connection, Dialect dialect) throws SQLException {
    if (dialect.commitBegins()) {
      switchOn(connection);
    } else {
      connection.commit();
    }
  }

  /**
   * Where this fails in the database, the driver takes the transaction for ended, which it is not;
   * where it did not get there, both know that it goes on, and whoever rolls back ends it.
   */
  private static void switchOn(Connection connection) throws SQLException {
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
