package dev.rowlock.internal.store;

import dev.rowlock.spi.Column;
import dev.rowlock.spi.Dialect;
import dev.rowlock.spi.Kind;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.UUID;

/** Column values between JDBC and Java, by kind of column. */
final class Fields {
  private Fields() {}

  /** Reads a value in the Java type that belongs to the column's kind. */
  static Object read(ResultSet row, int index, Column column, Dialect dialect) throws SQLException {
    return column.kind() == Kind.INSTANT ? dialect.instant(row, index) : read(row, index, column);
  }

  private static Object read(ResultSet row, int index, Column column) throws SQLException {
    return switch (column.kind()) {
      case INTEGER -> nullable(row.getLong(index), row);
      case FLOAT -> nullable(row.getDouble(index), row);
      case BOOLEAN -> nullable(row.getBoolean(index), row);
      case DECIMAL -> row.getBigDecimal(index);
      case CHAR -> Kind.unpadded(row.getString(index));
      case UUID -> uuid(row.getString(index));
      case BINARY -> row.getBytes(index);
      case LOCAL_TIMESTAMP -> row.getObject(index, LocalDateTime.class);
      case DATE -> row.getObject(index, LocalDate.class);
      default -> row.getString(index);
    };
  }

  /** Reads a key value: text for everything that {@link Kind#parse} leaves as text. */
  static Object readKey(ResultSet row, int index, Column column) throws SQLException {
    return switch (column.kind()) {
      case INTEGER, DECIMAL, BOOLEAN, CHAR, UUID, BINARY -> read(row, index, column);
      default -> row.getString(index);
    };
  }

  /** Reads a point in time from a column with or without zone. */
  static Instant readInstant(ResultSet row, int index, Column column, ZoneId zone, Dialect dialect)
      throws SQLException {
    if (column.kind() == Kind.LOCAL_TIMESTAMP) {
      LocalDateTime local = row.getObject(index, LocalDateTime.class);
      return local == null ? null : local.atZone(zone).toInstant();
    }
    return dialect.instant(row, index);
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

  private static Object nullable(Object value, ResultSet row) throws SQLException {
    return row.wasNull() ? null : value;
  }

  private static UUID uuid(String text) {
    return text == null ? null : UUID.fromString(text);
  }
}
