package dev.rowlock.conformance.kit;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * C-070: a borrowed connection goes back as it came, with no transaction left open. Watches every
 * connection of every test of the suite.
 */
public final class Hygiene implements Tap {
  private final Map<Connection, List<Object>> borrowed = new ConcurrentHashMap<>();
  private final Map<Connection, String> open = new ConcurrentHashMap<>();
  private final List<String> violations = new CopyOnWriteArrayList<>();

  @Override
  public void before(Call call) throws SQLException {
    Connection connection = call.connection();
    switch (call.kind()) {
      case EXECUTE -> {
        if (!connection.getAutoCommit()) {
          open.put(connection, call.sql());
        }
      }
      case CLOSE -> {
        List<Object> then = borrowed.remove(connection);
        String sql = open.remove(connection);
        check(connection, then, sql);
      }
      default -> {}
    }
  }

  @Override
  public void after(Call call) throws SQLException {
    switch (call.kind()) {
      case CONNECT -> borrowed.put(call.connection(), settings(call.connection()));
      case COMMIT, ROLLBACK -> open.remove(call.connection());
      default -> {}
    }
  }

  private void check(Connection connection, List<Object> then, String sql) {
    try {
      if (!connection.isValid(1)) {
        return;
      }
      List<Object> now = settings(connection);
      if (then != null && !then.equals(now)) {
        violations.add("borrowed with " + then + ", given back with " + now);
      }
    } catch (SQLException e) {
      return; // Broken: nothing to restore.
    }
    if (sql != null) {
      violations.add("given back in the middle of a transaction, last statement: " + sql);
    }
  }

  private static List<Object> settings(Connection connection) throws SQLException {
    return List.of(
        "auto-commit " + connection.getAutoCommit(),
        "isolation " + connection.getTransactionIsolation(),
        "read-only " + connection.isReadOnly(),
        "network timeout " + connection.getNetworkTimeout());
  }

  /** What was wrong so far. */
  public List<String> violations() {
    return List.copyOf(violations);
  }

  /** Connections that were never closed. */
  public int borrowed() {
    return borrowed.size();
  }
}
