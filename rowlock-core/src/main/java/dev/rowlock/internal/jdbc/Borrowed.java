package dev.rowlock.internal.jdbc;

import dev.rowlock.spi.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import javax.sql.DataSource;

/**
 * A connection from somebody's pool, set up for Rowlock's statements (isolation, writable, a
 * network timeout) and given back as it came. A connection that cannot be restored, or that turned
 * out to be useless, is aborted so that no pool hands it out again.
 */
final class Borrowed implements AutoCloseable {

  // Asking for the isolation level is a round trip on some drivers. A physical connection that was
  // at the wanted level once is taken to be so until a serialization failure says otherwise: the
  // level decides only how often statements must be repeated, never whether they are right.
  private static final Set<Connection> AT_LEVEL =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private static final Set<Connection> DOUBTED =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  // The level that the dialect wants on it, kept for as long: to ask may be a round trip too.
  private static final Map<Connection, Integer> WANTED =
      Collections.synchronizedMap(new WeakHashMap<>());

  private final Connection connection;
  private final boolean autoCommit;
  private final boolean readOnly;
  private Integer isolation;
  private Integer networkTimeout;
  private volatile boolean useless;

  /**
   * @param networkTimeoutMillis negative leaves the connection's own
   */
  Borrowed(Source source, boolean wantAutoCommit, int networkTimeoutMillis) throws SQLException {
    this(
        source.dataSource(),
        (connection, physical) -> wanted(source.dialect(), connection, physical),
        wantAutoCommit,
        networkTimeoutMillis);
  }

  /** For the time before the dialect is known. */
  Borrowed(DataSource source, int networkTimeoutMillis) throws SQLException {
    this(source, (c, p) -> Connection.TRANSACTION_READ_COMMITTED, true, networkTimeoutMillis);
  }

  private interface Level {
    int of(Connection connection, Connection physical) throws SQLException;
  }

  private Borrowed(DataSource source, Level level, boolean wantAutoCommit, int networkTimeoutMillis)
      throws SQLException {
    connection = source.getConnection();
    try {
      autoCommit = connection.getAutoCommit();
      readOnly = connection.isReadOnly();
      limitNetwork(networkTimeoutMillis);
      if (!autoCommit) {
        connection.setAutoCommit(true);
      }
      if (readOnly) {
        makeWritable();
      }
      isolate(level);
      if (!wantAutoCommit) {
        begin();
      }
    } catch (SQLException | RuntimeException e) {
      discard();
      throw e;
    }
  }

  Connection connection() {
    return connection;
  }

  /** Where a transaction could not begin, a driver may think it did: nobody else shall. */
  private void begin() throws SQLException {
    try {
      connection.setAutoCommit(false);
    } catch (SQLException e) {
      try {
        connection.setAutoCommit(true);
      } catch (SQLException again) {
        e.addSuppressed(again);
      }
      throw e;
    }
  }

  /** Not every driver can do that; then the first statement that writes tells. */
  private void makeWritable() {
    try {
      connection.setReadOnly(false);
    } catch (SQLException e) {
      // It stays read-only.
    }
  }

  private void isolate(Level level) throws SQLException {
    Connection physical = physical();
    if (AT_LEVEL.contains(physical)) {
      return;
    }
    int wanted = level.of(connection, physical);
    int before = connection.getTransactionIsolation();
    if (DOUBTED.remove(physical) && before == wanted) {
      // Some drivers remember the level and know nothing of a SET that somebody else has run.
      connection.setTransactionIsolation(wanted);
    } else if (before == wanted) {
      AT_LEVEL.add(physical);
    } else {
      isolation = before;
      connection.setTransactionIsolation(wanted);
    }
  }

  private static int wanted(Dialect dialect, Connection connection, Connection physical)
      throws SQLException {
    Integer level = WANTED.get(physical);
    if (level == null) {
      level = dialect.isolation(connection);
      WANTED.put(physical, level);
    }
    return level;
  }

  private Connection physical() {
    try {
      return connection.isWrapperFor(Connection.class)
          ? connection.unwrap(Connection.class)
          : connection;
    } catch (SQLException | RuntimeException e) {
      return connection;
    }
  }

  private void limitNetwork(int millis) throws SQLException {
    if (millis < 0) {
      return;
    }
    try {
      int before = connection.getNetworkTimeout();
      connection.setNetworkTimeout(Runnable::run, millis);
      networkTimeout = before;
    } catch (SQLFeatureNotSupportedException | AbstractMethodError e) {
      networkTimeout = null;
    }
  }

  /** The level may have been changed behind our back: look again next time, and set it anew. */
  void doubtIsolation() {
    Connection physical = physical();
    AT_LEVEL.remove(physical);
    WANTED.remove(physical);
    DOUBTED.add(physical);
  }

  /** The connection must not be used again by anyone. */
  void markUseless() {
    useless = true;
  }

  void rollback() {
    try {
      if (!connection.getAutoCommit()) {
        connection.rollback();
      }
    } catch (SQLException | RuntimeException e) {
      useless = true;
    }
  }

  @Override
  public void close() {
    if (!useless) {
      try {
        restore();
        connection.close();
        return;
      } catch (SQLException | RuntimeException e) {
        useless = true;
      }
    }
    discard();
  }

  private void restore() throws SQLException {
    if (isolation != null) {
      if (!connection.getAutoCommit()) {
        connection.setAutoCommit(true);
      }
      connection.setTransactionIsolation(isolation);
    }
    if (readOnly) {
      if (!connection.getAutoCommit()) {
        connection.setAutoCommit(true);
      }
      connection.setReadOnly(true);
    }
    if (connection.getAutoCommit() != autoCommit) {
      connection.setAutoCommit(autoCommit);
    }
    if (networkTimeout != null) {
      connection.setNetworkTimeout(Runnable::run, networkTimeout);
    }
  }

  private void discard() {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException | RuntimeException | AbstractMethodError e) {
      // It is broken already.
    }
    undo();
    try {
      connection.close();
    } catch (SQLException | RuntimeException e) {
      // It is broken already.
    }
  }

  /** For drivers that cannot abort: whoever gets it next shall at least not see our transaction. */
  private void undo() {
    try {
      if (!connection.isClosed()) {
        if (!connection.getAutoCommit()) {
          connection.rollback();
        }
        restore();
      }
    } catch (SQLException | RuntimeException e) {
      // It is broken already.
    }
  }
}
