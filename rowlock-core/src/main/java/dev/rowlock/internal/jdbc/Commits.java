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

  /** Where that fails, the driver takes the transaction for ended, which it is not. */
  private static void switchOn(Connection connection) throws SQLException {
    try {
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      try (Statement statement = connection.createStatement()) {
        statement.execute("ROLLBACK");
      } catch (SQLException again) {
        e.addSuppressed(again);
      }
      throw e;
    }
  }
}
