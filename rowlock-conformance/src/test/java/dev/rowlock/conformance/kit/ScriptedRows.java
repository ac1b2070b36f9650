package dev.rowlock.conformance.kit;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/** Rows as a driver gives them. */
final class ScriptedRows implements InvocationHandler {
  private final Answer.Rows content;
  private int at = -1;
  private boolean closed;
  private boolean wasNull;

  private ScriptedRows(Answer.Rows content) {
    this.content = content;
  }

  static ResultSet of(Answer.Rows content) {
    return (ResultSet)
        Proxy.newProxyInstance(
            ScriptedRows.class.getClassLoader(),
            new Class<?>[] {ResultSet.class},
            new ScriptedRows(content));
  }

  @Override
  public Object invoke(Object self, Method method, Object[] args) throws SQLException {
    String name = method.getName();
    return switch (name) {
      case "next" -> next();
      case "wasNull" -> wasNull;
      case "close" -> {
        closed = true;
        yield null;
      }
      case "isClosed" -> closed;
      case "hashCode" -> System.identityHashCode(self);
      case "equals" -> self == args[0];
      case "toString" -> "scripted rows";
      default -> value(name, args);
    };
  }

  private boolean next() throws SQLException {
    if (closed) {
      throw new SQLException("The result set is closed.");
    }
    at++;
    if (at == content.rows().size() && content.error() != null) {
      throw content.error();
    }
    return at < content.rows().size();
  }

  private Object value(String getter, Object[] args) throws SQLException {
    Answer.Row row = content.rows().get(at);
    int index = (Integer) args[0];
    if (index > row.size()) {
      throw new SQLException("The index " + index + " is out of range.");
    }
    Object value = row.get(index - 1);
    wasNull = value == null;
    Class<?> type = args.length > 1 ? (Class<?>) args[1] : Object.class;
    try {
      return converted(getter, value, type);
    } catch (ClassCastException e) {
      throw new SQLException(
          "The conversion from %s by %s is unsupported.".formatted(value.getClass(), getter), e);
    }
  }

  private static Object converted(String getter, Object value, Class<?> type) {
    return switch (getter) {
      case "getString" -> value == null ? null : value.toString();
      case "getLong" -> value == null ? 0L : ((Number) value).longValue();
      case "getInt" -> value == null ? 0 : ((Number) value).intValue();
      case "getDouble" -> value == null ? 0.0 : ((Number) value).doubleValue();
      case "getBoolean" -> value != null && truth(value);
      case "getBigDecimal" -> value == null ? null : new BigDecimal(value.toString());
      case "getBytes" -> value;
      case "getObject" -> value == null ? null : typed(value, type);
      default -> throw new UnsupportedOperationException("ResultSet." + getter);
    };
  }

  private static boolean truth(Object value) {
    return value instanceof Boolean b ? b : ((Number) value).intValue() != 0;
  }

  private static Object typed(Object value, Class<?> type) {
    return type == OffsetDateTime.class && value instanceof java.time.Instant instant
        ? instant.atOffset(ZoneOffset.UTC)
        : type.cast(value);
  }
}
