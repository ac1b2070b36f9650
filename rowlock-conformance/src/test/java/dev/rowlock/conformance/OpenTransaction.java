package dev.rowlock.conformance;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** A transaction of another program that stays open as long as the test wants. */
final class OpenTransaction implements AutoCloseable {
  private final Connection connection;

  OpenTransaction(DataSource dataSource) {
    try {
      connection = dataSource.getConnection();
      connection.setAutoCommit(false);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  OpenTransaction run(String sql) {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
      return this;
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  Connection connection() {
    return connection;
  }

  void commit() {
    try {
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  void rollback() {
    try {
      connection.rollback();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    try (connection) {
      if (!connection.isClosed()) {
        connection.rollback();
      }
    } catch (SQLException e) {
      // The server ended it: nothing is open any more.
      return;
    }
  }
}
