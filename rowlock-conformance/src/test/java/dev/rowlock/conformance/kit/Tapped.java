package dev.rowlock.conformance.kit;

import dev.rowlock.conformance.kit.Tap.Call;
import dev.rowlock.conformance.kit.Tap.Kind;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/** A data source whose connections and statements are watched by {@link Tap}s. */
public final class Tapped {
  private static final List<Class<?>> STATEMENTS =
      List.of(CallableStatement.class, PreparedStatement.class, Statement.class);

  private final List<Tap> taps;

  private Tapped(List<Tap> taps) {
    this.taps = taps;
  }

  /** The same data source, watched; the first tap is the outermost. */
  public static DataSource of(DataSource dataSource, Tap... taps) {
    return new Tapped(List.of(taps)).dataSource(dataSource);
  }

  private DataSource dataSource(DataSource real) {
    return proxy(
        DataSource.class,
        (self, method, args) -> {
          if (!method.getName().equals("getConnection")) {
            return call(real, method, args);
          }
          before(new Call(Kind.CONNECT, "", null));
          Connection connection = (Connection) call(real, method, args);
          after(new Call(Kind.CONNECT, "", connection));
          return connection(connection);
        });
  }

  private Connection connection(Connection real) {
    AtomicBoolean closed = new AtomicBoolean();
    AtomicBoolean dirty = new AtomicBoolean();
    return proxy(
        Connection.class,
        (self, method, args) -> {
          Kind kind = kind(method, args, dirty.get());
          if (kind == Kind.CLOSE && closed.getAndSet(true)) {
            return null;
          }
          if (kind == Kind.COMMIT || kind == Kind.ROLLBACK) {
            dirty.set(false);
          }
          if (kind != null) {
            return watched(new Call(kind, "", real), real, method, args);
          }
          Object result = call(real, method, args);
          if (result instanceof Statement statement) {
            String sql = args == null || args.length == 0 ? "" : args[0].toString();
            return statement(statement, (Connection) self, real, sql, dirty);
          }
          return result;
        });
  }

  /** Autocommit that is switched on in a transaction commits it. */
  private static Kind kind(Method method, Object[] args, boolean dirty) {
    boolean plain = args == null || args.length == 0;
    return switch (method.getName()) {
      case "commit" -> Kind.COMMIT;
      case "setAutoCommit" -> dirty && args[0].equals(true) ? Kind.COMMIT : null;
      case "rollback" -> plain ? Kind.ROLLBACK : null;
      case "close" -> Kind.CLOSE;
      default -> null;
    };
  }

  private Statement statement(
      Statement real, Connection owner, Connection driver, String prepared, AtomicBoolean dirty) {
    Class<?> type = STATEMENTS.stream().filter(t -> t.isInstance(real)).findFirst().orElseThrow();
    InvocationHandler handler =
        (self, method, args) -> {
          if (method.getName().equals("getConnection")) {
            return owner;
          }
          if (!method.getName().startsWith("execute")) {
            return call(real, method, args);
          }
          String sql = args != null && args.length > 0 ? args[0].toString() : prepared;
          dirty.set(dirty.get() || !driver.getAutoCommit());
          return watched(new Call(Kind.EXECUTE, sql, driver), real, method, args);
        };
    return (Statement) proxy(type, handler);
  }

  private Object watched(Call call, Object real, Method method, Object[] args) throws Throwable {
    before(call);
    Object result = call(real, method, args);
    after(call);
    return result;
  }

  private void before(Call call) throws Throwable {
    for (Tap tap : taps) {
      tap.before(call);
    }
  }

  private void after(Call call) throws Throwable {
    for (int i = taps.size() - 1; i >= 0; i--) {
      taps.get(i).after(call);
    }
  }

  private static Object call(Object real, Method method, Object[] args) throws Throwable {
    try {
      return method.invoke(real, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
