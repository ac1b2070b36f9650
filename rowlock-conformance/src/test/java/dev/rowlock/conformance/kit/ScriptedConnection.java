package dev.rowlock.conformance.kit;

import dev.rowlock.conformance.kit.ScriptedServer.Asked;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A connection to a {@link ScriptedServer}. */
final class ScriptedConnection implements InvocationHandler {
  private static final Set<String> AFTER_CLOSE =
      Set.of("close", "isClosed", "abort", "isValid", "hashCode", "equals", "toString");

  private final ScriptedServer server;
  private final int number;
  private final int isolationBefore;
  private final List<String> effects = new ArrayList<>();
  private boolean autoCommit = true;
  private boolean readOnly;
  private int isolation;
  private int networkTimeout;
  private boolean closed;
  private boolean broken;

  ScriptedConnection(ScriptedServer server, int number, int isolation) {
    this.server = server;
    this.number = number;
    this.isolation = isolation;
    this.isolationBefore = isolation;
  }

  Connection proxy() {
    return (Connection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {Connection.class}, this);
  }

  @Override
  public Object invoke(Object self, Method method, Object[] args) throws Throwable {
    String name = method.getName();
    if ((closed || broken) && !AFTER_CLOSE.contains(name)) {
      throw new SQLException("The connection is closed.", "08003", 0);
    }
    return switch (name) {
      case "prepareStatement" -> {
        if (args.length > 1) {
          server.problem("generated keys are asked for, which the driver has for identities only");
        }
        yield new ScriptedStatement(this, (Connection) self, (String) args[0]).proxy();
      }
      case "getMetaData" -> metaData();
      case "getAutoCommit" -> autoCommit;
      case "getTransactionIsolation" -> isolation;
      case "isReadOnly" -> readOnly;
      case "getNetworkTimeout" -> networkTimeout;
      case "isClosed" -> closed;
      case "isValid" -> !closed && !broken;
      case "isWrapperFor" -> false;
      case "hashCode" -> System.identityHashCode(self);
      case "equals" -> self == args[0];
      case "toString" -> "scripted connection " + number;
      default -> change(name, args);
    };
  }

  private Object change(String name, Object[] args) throws SQLException {
    switch (name) {
      case "setAutoCommit" -> {
        autoCommit = (Boolean) args[0];
        server.event(number, name + " " + autoCommit);
        if (autoCommit) {
          commit();
        }
      }
      case "setTransactionIsolation" -> {
        isolation = (Integer) args[0];
        server.event(number, name + " " + isolation);
      }
      case "setReadOnly" -> readOnly = (Boolean) args[0];
      case "setNetworkTimeout" -> networkTimeout = (Integer) args[1];
      case "setSavepoint" -> {
        return savepoint();
      }
      case "commit" -> {
        server.event(number, name);
        lose();
      }
      case "rollback" -> {
        server.event(number, name);
        effects.clear();
      }
      case "abort" -> end(name, false);
      case "close" -> end(name, true);
      default -> throw new UnsupportedOperationException("Connection." + name);
    }
    return null;
  }

  private void lose() throws SQLException {
    ScriptedServer.Lost lost = server.nextCommit();
    if (lost == null || lost.afterwards()) {
      commit();
    }
    if (lost != null) {
      broken = true;
      effects.clear();
      throw lost.error();
    }
  }

  private void commit() {
    server.committed(effects);
    effects.clear();
  }

  private void end(String how, boolean whole) {
    if (closed) {
      return;
    }
    closed = true;
    server.event(number, how);
    server.closed();
    effects.clear();
    if (whole && !broken) {
      checkReturned();
    }
  }

  /** Whether it is as it was when it was handed out. */
  private void checkReturned() {
    boolean asItCame =
        autoCommit && !readOnly && networkTimeout == 0 && isolation == isolationBefore;
    if (!asItCame) {
      server.problem(
          "connection %d came back with autocommit %s, level %d, network timeout %d"
              .formatted(number, autoCommit, isolation, networkTimeout));
    }
  }

  /** This connection as a pool hands it out: closing gives it back. */
  Connection lent(Connection physical) {
    return (Connection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Connection.class},
            (self, method, args) -> {
              switch (method.getName()) {
                case "close":
                  checkReturned();
                  return null;
                case "isWrapperFor":
                  return true;
                case "unwrap":
                  return physical;
                default:
                  return invoke(physical, method, args);
              }
            });
  }

  Answer run(String sql, List<ScriptedServer.Bound> values) {
    return server.answer(new Asked(sql, List.copyOf(values), autoCommit, isolation, number));
  }

  /** The statement is through: what it did is to stay, at once or with its transaction. */
  void succeeded(String effect) {
    effects.add(effect);
    if (autoCommit) {
      commit();
    }
  }

  /** The transaction is undone, as the server does for a deadlock's victim. */
  void undone() {
    effects.clear();
  }

  void lost() {
    broken = true;
  }

  ScriptedServer server() {
    return server;
  }

  private DatabaseMetaData metaData() {
    return (DatabaseMetaData)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {DatabaseMetaData.class},
            (self, method, args) ->
                switch (method.getName()) {
                  case "getDatabaseProductName" -> server.product();
                  case "getDatabaseProductVersion" -> "16.00.4135";
                  case "getURL" -> "jdbc:scripted:";
                  default ->
                      throw new UnsupportedOperationException(
                          "DatabaseMetaData." + method.getName());
                });
  }

  private Savepoint savepoint() {
    return (Savepoint)
        Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {Savepoint.class}, (s, m, a) -> null);
  }
}
