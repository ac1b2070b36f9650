package dev.rowlock.internal.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.Set;

/**
 * A connection as a handler sees it in transactional mode: everything works but ending the
 * transaction, which is the worker's to end. Savepoints of the handler's own are fine. A guard
 * against mistakes, not against intent: {@code unwrap} gives the driver's connection.
 */
final class GuardedConnection implements InvocationHandler {
  private static final Set<String> REFUSED =
      Set.of("commit", "close", "abort", "setAutoCommit", "setTransactionIsolation");

  private final Connection connection;
  private final Connection proxy;
  private volatile boolean revoked;

  GuardedConnection(Connection connection) {
    this.connection = connection;
    this.proxy =
        (Connection)
            Proxy.newProxyInstance(
                GuardedConnection.class.getClassLoader(), new Class<?>[] {Connection.class}, this);
  }

  Connection connection() {
    return proxy;
  }

  /**
   * The handler has ended: a thread that it left behind must not write into the next transaction.
   */
  void revoke() {
    revoked = true;
  }

  @Override
  public Object invoke(Object self, Method method, Object[] arguments) throws Throwable {
    String name = method.getName();
    if (method.getDeclaringClass() == Object.class) {
      return ofObject(self, name, arguments);
    }
    boolean whole = name.equals("rollback") && method.getParameterCount() == 0;
    if (whole || REFUSED.contains(name)) {
      throw new IllegalStateException(
          "%s() is refused: the transaction holds the row and is ended by the worker; return an outcome, or throw to roll back"
              .formatted(name));
    } else if (revoked) {
      throw new IllegalStateException(
          "%s() is refused: the handler has ended, and its transaction with it".formatted(name));
    }
    try {
      return method.invoke(connection, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private Object ofObject(Object self, String name, Object[] arguments) {
    return switch (name) {
      case "equals" -> self == arguments[0];
      case "hashCode" -> System.identityHashCode(self);
      default -> "the worker's transaction on " + connection;
    };
  }
}
