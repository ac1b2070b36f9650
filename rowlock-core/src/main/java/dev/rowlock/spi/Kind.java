package dev.rowlock.spi;

import dev.rowlock.ConfigurationException;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.HexFormat;
import java.util.Locale;
import java.util.UUID;

/** What kind of values a column holds, as far as Rowlock treats them differently. */
public enum Kind {
  /** Whole numbers; {@code Long} in Java. */
  INTEGER,
  /** Exact numbers with a scale; {@code BigDecimal} in Java. */
  DECIMAL,
  /** Binary floating point. */
  FLOAT,
  /** True or false. */
  BOOLEAN,
  /** Text of variable length. */
  TEXT,
  /** Text that the database pads with blanks. */
  CHAR,
  /** UUID. */
  UUID,
  /** Bytes. */
  BINARY,
  /** A point in time. */
  INSTANT,
  /** Date and time of day without a zone. */
  LOCAL_TIMESTAMP,
  /** A date. */
  DATE,
  /** A time of day. */
  TIME,
  /** JSON documents. */
  JSON,
  /** Anything else, handled as the database's own text form: enums, arrays, ranges, intervals. */
  OTHER,
  /** No column was looked at: a database that is not connected. */
  UNKNOWN;

  /**
   * Whether leases and delays can be kept in such a column.
   *
   * @return true for the two timestamp kinds (and when nothing is known)
   */
  public boolean holdsTime() {
    return this == INSTANT || this == LOCAL_TIMESTAMP || this == UNKNOWN;
  }

  /**
   * Whether a counter can be kept in such a column.
   *
   * @return true for integers and decimals (and when nothing is known)
   */
  public boolean holdsCounter() {
    return this == INTEGER || this == DECIMAL || this == UNKNOWN;
  }

  /**
   * Reads a key value from text.
   *
   * @param column the column's name, for the message
   * @param text the text
   * @return a value of the Java type that {@link dev.rowlock.Key} holds for this kind
   * @throws ConfigurationException if the text does not fit
   */
  public Object parse(String column, String text) {
    try {
      return switch (this) {
        case INTEGER -> Long.valueOf(text.strip());
        case DECIMAL -> new BigDecimal(text.strip());
        case UUID -> java.util.UUID.fromString(text.strip());
        case BOOLEAN -> bool(text);
        case BINARY -> HexFormat.of().parseHex(text.startsWith("\\x") ? text.substring(2) : text);
        case CHAR -> unpadded(text);
        default -> text;
      };
    } catch (IllegalArgumentException e) {
      throw new ConfigurationException(
          "column '%s' is %s; '%s' does not fit it"
              .formatted(column, name().toLowerCase(Locale.ROOT).replace('_', ' '), text),
          e);
    }
  }

  /**
   * Reads a value as JDBC has it.
   *
   * @param row a result
   * @param index 1-based
   * @return null, or an object of the Java type of this kind; text for all that has none
   * @throws SQLException if the driver cannot make it one
   */
  public Object read(ResultSet row, int index) throws SQLException {
    return switch (this) {
      case INTEGER -> nullable(row.getLong(index), row);
      case FLOAT -> nullable(row.getDouble(index), row);
      case BOOLEAN -> nullable(row.getBoolean(index), row);
      case DECIMAL -> row.getBigDecimal(index);
      case CHAR -> unpadded(row.getString(index));
      case UUID -> row.getObject(index, java.util.UUID.class);
      case BINARY -> row.getBytes(index);
      case INSTANT -> instant(row.getObject(index, OffsetDateTime.class));
      case LOCAL_TIMESTAMP -> row.getObject(index, LocalDateTime.class);
      case DATE -> row.getObject(index, LocalDate.class);
      default -> row.getString(index);
    };
  }

  private static Object nullable(Object value, ResultSet row) throws SQLException {
    return row.wasNull() ? null : value;
  }

  private static Instant instant(OffsetDateTime time) {
    return time == null ? null : time.toInstant();
  }

  /**
   * Takes off the blanks that a database pads text with, and no other white space.
   *
   * @param text a value, or null
   * @return the value without blanks at its end
   */
  public static String unpadded(String text) {
    int end = text == null ? 0 : text.length();
    while (end > 0 && text.charAt(end - 1) == ' ') {
      end--;
    }
    return text == null ? null : text.substring(0, end);
  }

  private static Boolean bool(String text) {
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "true", "t", "1", "yes", "on" -> true;
      case "false", "f", "0", "no", "off" -> false;
      default -> throw new IllegalArgumentException(text);
    };
  }
}
