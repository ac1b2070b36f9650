package dev.rowlock.internal.worker;

import java.io.PrintWriter;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Connections to a {@link FakeTable}, with a record of what was done to them. */
final class FakeDataSource implements DataSource {
  final FakeTable table;
  final AtomicInteger open = new AtomicInteger();
  final AtomicInteger opened = new AtomicInteger();
  final List<String> calls = new CopyOnWriteArrayList<>();
  volatile SQLException refuse;
  volatile SQLException refuseCommit;

  FakeDataSource(FakeTable table) {
    this.table = table;
  }

  /** What a fake connection is. */
  final class Handle implements InvocationHandler {
    boolean autoCommit = true;
    int isolation = Connection.TRANSACTION_REPEATABLE_READ;
    boolean closed;

    @Override
    public Object invoke(Object proxy, Method method, Object[] args) throws SQLException {
      synchronized (table) {
        return call(method.getName(), args == null ? new Object[0] : args);
      }
    }

    private Object call(String name, Object[] args) throws SQLException {
      if (closed && !List.of("close", "isClosed", "isValid", "abort", "unwrap").contains(name)) {
        throw new SQLException("connection is closed", "08003");
      }
      switch (name) {
        case "getAutoCommit":
          return autoCommit;
        case "setAutoCommit":
          autoCommit = (Boolean) args[0];
          if (!autoCommit) {
            table.begin(this);
          }
          return null;
        case "getTransactionIsolation":
          return isolation;
        case "setTransactionIsolation":
          isolation = (Integer) args[0];
          return null;
        case "getNetworkTimeout":
          return 0;
        case "commit":
          if (refuseCommit != null) {
            throw refuseCommit;
          }
          calls.add(name);
          table.commit(this);
          return null;
        case "setSavepoint":
          Savepoint savepoint =
              (Savepoint)
                  Proxy.newProxyInstance(
                      getClass().getClassLoader(),
                      new Class<?>[] {Savepoint.class},
                      (p, m, a) -> m.getName().equals("hashCode") ? 1 : null);
          table.savepoint(this, savepoint);
          return savepoint;
        case "rollback":
          calls.add(args.length == 0 ? "rollback" : "rollback to savepoint");
          if (args.length == 0) {
            table.rollback(this);
          } else {
            table.rollback(this, (Savepoint) args[0]);
          }
          return null;
        case "abort", "close":
          if (!closed) {
            closed = true;
            open.decrementAndGet();
            calls.add(name);
            table.close(this);
          }
          return null;
        case "isClosed":
          return closed;
        case "isValid":
          return !closed;
        case "isReadOnly", "isWrapperFor":
          return false;
        case "unwrap":
          return this;
        case "hashCode":
          return System.identityHashCode(this);
        case "toString":
          return "fake connection";
        default:
          return null;
      }
    }
  }

  @Override
  public Connection getConnection() throws SQLException {
    if (refuse != null) {
      throw refuse;
    }
    open.incrementAndGet();
    opened.incrementAndGet();
    return (Connection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {Connection.class}, new Handle());
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return getConnection();
  }

  @Override
  public PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public void setLogWriter(PrintWriter out) {}

  @Override
  public void setLoginTimeout(int seconds) {}

  @Override
  public int getLoginTimeout() {
    return 0;
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getGlobal();
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    return null;
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }
}
