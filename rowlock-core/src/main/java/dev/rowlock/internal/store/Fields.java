package dev.rowlock.internal.store;

import dev.rowlock.spi.Column;
import dev.rowlock.spi.Dialect;
import dev.rowlock.spi.Kind;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.UUID;

/** Column values between JDBC and Java, by kind of column. */
final class Fields {
  private Fields() {}

  /** Reads a key value: text for everything that {@link Kind#parse} leaves as text. */
  static Object readKey(Dialect dialect, ResultSet row, int index, Column column)
      throws SQLException {
    return switch (column.kind()) {
      case INTEGER, DECIMAL, BOOLEAN, CHAR, UUID, BINARY -> dialect.read(row, index, column);
      default -> row.getString(index);
    };
  }

  /** Reads a point in time from a column with or without zone. */
  static Instant readInstant(Dialect dialect, ResultSet row, int index, Column column, ZoneId zone)
      throws SQLException {
    Object value = dialect.read(row, index, column);
    return value instanceof LocalDateTime local ? local.atZone(zone).toInstant() : (Instant) value;
  }

  /**
   * A user's value in one of the types that dialects bind: text unless the kind has a type of its
   * own.
   */
  static Object bindable(Object value, Column column, ZoneId zone) {
    if (value == null
        || value instanceof Long
        || value instanceof BigDecimal
        || value instanceof Boolean
        || value instanceof UUID
        || value instanceof byte[]) {
      return value;
    }
    if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
      return ((Number) value).longValue();
    }
    if (value instanceof java.sql.Date || value instanceof java.sql.Time) {
      return value.toString();
    }
    if (value instanceof Date date) {
      return time(date.toInstant(), column, zone);
    }
    if (value instanceof Instant instant) {
      return time(instant, column, zone);
    }
    if (value instanceof OffsetDateTime time) {
      return time(time.toInstant(), column, zone);
    }
    if (value instanceof ZonedDateTime time) {
      return time(time.toInstant(), column, zone);
    }
    if (value instanceof Enum<?> constant) {
      return constant.name();
    }
    return value.toString();
  }

  private static String time(Instant instant, Column column, ZoneId zone) {
    return column.kind() == Kind.LOCAL_TIMESTAMP
        ? LocalDateTime.ofInstant(instant, zone).toString()
        : instant.toString();
  }
}
