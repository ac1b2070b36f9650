package dev.rowlock.internal.jdbc;

import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * One connection that is kept for a long time, in autocommit at READ COMMITTED, and replaced when
 * it is broken. Not thread-safe.
 */
public final class HeldConnection implements AutoCloseable {
  private final DataSource dataSource;
  private final int networkTimeoutMillis;
  private Connection connection;
  private Runnable restore = () -> {};

  /**
   * Opens nothing yet.
   *
   * @param dataSource where the connection comes from
   * @param networkTimeout after which silence of the server breaks the connection (C-066)
   */
  public HeldConnection(DataSource dataSource, Duration networkTimeout) {
    this.dataSource = dataSource;
    this.networkTimeoutMillis =
        (int) Math.max(1, Math.min(networkTimeout.toMillis(), Integer.MAX_VALUE));
  }

  /** The connection, opened if there is none. */
  public Connection get() {
    if (connection == null) {
      try {
        connection = dataSource.getConnection();
        prepare();
      } catch (SQLException | RuntimeException e) {
        discard();
        SQLException cause = e instanceof SQLException sql ? sql : new SQLException(e);
        throw new DatabaseException(
            "no connection for the lease keeper: " + e.getMessage(), Fault.CONNECTION, cause);
      }
    }
    return connection;
  }

  private void prepare() throws SQLException {
    Connection mine = connection;
    boolean autoCommit = mine.getAutoCommit();
    int isolation = mine.getTransactionIsolation();
    int networkTimeout = networkTimeout(mine);
    restore =
        () -> {
          try {
            setNetworkTimeout(mine, networkTimeout);
            mine.setTransactionIsolation(isolation);
            mine.setAutoCommit(autoCommit);
          } catch (SQLException e) {
            // Only a pool would care, and it throws broken connections away.
          }
        };
    mine.setAutoCommit(true);
    mine.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    setNetworkTimeout(mine, networkTimeoutMillis);
  }

  /** Throws the connection away; the next {@link #get()} opens another. */
  public void discard() {
    Connection broken = connection;
    connection = null;
    restore = () -> {};
    if (broken != null) {
      // Abort first: a pool must not hand it out again, nor close() wait for a silent server.
      Connections.abort(broken);
      Connections.closeQuietly(broken);
    }
  }

  /** Gives the connection back as it came. */
  @Override
  public void close() {
    Connection mine = connection;
    connection = null;
    if (mine != null) {
      restore.run();
      Connections.closeQuietly(mine);
    }
  }

  private static int networkTimeout(Connection connection) {
    try {
      return connection.getNetworkTimeout();
    } catch (SQLException | RuntimeException | LinkageError e) {
      return -1; // the driver knows no such thing
    }
  }

  private static void setNetworkTimeout(Connection connection, int millis) {
    if (millis < 0) {
      return;
    }
    try {
      connection.setNetworkTimeout(Runnable::run, millis);
    } catch (SQLException | RuntimeException | LinkageError e) {
      // The query timeout of every statement remains.
    }
  }
}
