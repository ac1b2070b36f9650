package dev.rowlock.conformance.kit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/** A data source that sends other statements than it is given: to look like another server. */
public final class Rewritten {
  private Rewritten() {}

  public static DataSource of(DataSource real, UnaryOperator<String> change) {
    return proxy(
        DataSource.class,
        real,
        (method, result) ->
            method.equals("getConnection") ? connection((Connection) result, change) : result,
        UnaryOperator.identity());
  }

  private static Connection connection(Connection real, UnaryOperator<String> change) {
    return proxy(Connection.class, real, (method, result) -> result, change);
  }

  private interface After {
    Object then(String method, Object result);
  }

  private static <T> T proxy(Class<T> type, T real, After after, UnaryOperator<String> change) {
    return type.cast(
        Proxy.newProxyInstance(
            Rewritten.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, args) -> {
              Object[] changed = args;
              if (method.getName().equals("prepareStatement")) {
                changed = args.clone();
                changed[0] = change.apply((String) args[0]);
              }
              try {
                return after.then(method.getName(), method.invoke(real, changed));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
