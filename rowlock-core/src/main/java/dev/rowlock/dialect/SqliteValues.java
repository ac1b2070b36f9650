package dev.rowlock.dialect;

import dev.rowlock.Fault;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Kind;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Types;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What SQLite's columns hold, on the way in and out, and what its errors mean. */
final class SqliteValues {
  private static final DateTimeFormatter WRITTEN =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS", Locale.ROOT);
  private static final Pattern SCALE = Pattern.compile("\\(\\s*\\d+\\s*,\\s*(\\d+)\\s*\\)");
  private static final Pattern OFFSET = Pattern.compile("(.*T.*)([+-]\\d\\d):?(\\d\\d)?");
  private static final Pattern COLLATION = Pattern.compile(".* COLLATE (\\S+)");

  private SqliteValues() {}

  static void bind(PreparedStatement statement, int index, Object value, Column column)
      throws SQLException {
    if (value == null) {
      statement.setNull(index, Types.NULL);
    } else if (value instanceof Long number) {
      statement.setLong(index, number);
    } else if (value instanceof Boolean flag) {
      statement.setInt(index, flag ? 1 : 0);
    } else if (value instanceof byte[] bytes) {
      statement.setBytes(index, bytes);
    } else if (value instanceof BigDecimal number) {
      // As text: the column's affinity makes it the number that it would be if written in SQL.
      statement.setString(index, number.toPlainString());
    } else {
      time(statement, index, value.toString(), column);
    }
  }

  private static void time(PreparedStatement statement, int index, String text, Column column)
      throws SQLException {
    switch (column.kind()) {
      case INSTANT -> {
        boolean number = text.matches("-?\\d+");
        statement.setLong(
            index,
            number ? Long.parseLong(text) : local(text).toInstant(ZoneOffset.UTC).toEpochMilli());
      }
      case LOCAL_TIMESTAMP -> statement.setString(index, canonical(text));
      default -> statement.setString(index, text);
    }
  }

  /** As Rowlock writes times itself; what is no time stays as it is. */
  private static String canonical(String text) {
    try {
      return WRITTEN.format(local(text));
    } catch (DateTimeException e) {
      return text;
    }
  }

  /** A date and time of day; an instant if the text has an offset. */
  private static Object time(String text) {
    String iso = text.strip().replaceFirst("^(\\d{4}-\\d\\d-\\d\\d) ", "$1T");
    Matcher offset = OFFSET.matcher(iso);
    if (iso.endsWith("Z")) {
      return Instant.parse(iso);
    } else if (offset.matches()) {
      String minutes = offset.group(3) == null ? "00" : offset.group(3);
      return OffsetDateTime.parse(offset.group(1) + offset.group(2) + ":" + minutes).toInstant();
    }
    return iso.contains("T") ? LocalDateTime.parse(iso) : LocalDate.parse(iso).atStartOfDay();
  }

  /** With an offset, the date and time of day in UTC. */
  private static LocalDateTime local(String text) {
    return time(text) instanceof Instant instant
        ? LocalDateTime.ofInstant(instant, ZoneOffset.UTC)
        : (LocalDateTime) time(text);
  }

  static Object read(ResultSet row, int index, Column column) throws SQLException {
    Object value = row.getObject(index);
    if (value == null) {
      return null;
    }
    try {
      return switch (column.kind()) {
        case INTEGER -> number(value, column).longValueExact();
        case FLOAT -> number(value, column).doubleValue();
        case DECIMAL -> scaled(number(value, column), column);
        case BOOLEAN -> number(value, column).signum() != 0;
        case UUID -> UUID.fromString(value.toString());
        case BINARY -> row.getBytes(index);
        case INSTANT -> Instant.ofEpochMilli(number(value, column).longValueExact());
        case LOCAL_TIMESTAMP -> value instanceof Number ms ? instant(ms) : time(value.toString());
        case DATE -> local(value).toLocalDate();
        default -> row.getString(index);
      };
    } catch (ArithmeticException | IllegalArgumentException | DateTimeException e) {
      throw unfit(value, column);
    }
  }

  private static LocalDateTime local(Object value) {
    return value instanceof Number ms
        ? LocalDateTime.ofInstant(instant(ms), ZoneOffset.UTC)
        : local(value.toString());
  }

  private static Instant instant(Number ms) {
    return Instant.ofEpochMilli(ms.longValue());
  }

  private static BigDecimal number(Object value, Column column) throws SQLException {
    if (value instanceof Number) {
      return new BigDecimal(value.toString());
    }
    throw unfit(value, column);
  }

  private static SQLException unfit(Object value, Column column) {
    String shown = value instanceof byte[] ? "bytes" : "'" + value + "'";
    return new SQLDataException(
        "column '%s' is declared %s but holds %s".formatted(column.name(), column.type(), shown));
  }

  /** SQLite forgets the zeros that a declared scale has. */
  private static BigDecimal scaled(BigDecimal number, Column column) {
    Matcher declared = SCALE.matcher(column.type());
    int scale = declared.find() ? Integer.parseInt(declared.group(1)) : 0;
    BigDecimal plain = number.stripTrailingZeros();
    return plain.scale() <= scale ? plain.setScale(scale, RoundingMode.UNNECESSARY) : plain;
  }

  /** That a key column holds what it is declared to; empty where SQLite sees to that itself. */
  static Optional<String> isKey(Column column, String alias, boolean alone) {
    // INTEGER PRIMARY KEY: the row's own number, which SQLite fills in.
    if (column.kind() == Kind.INTEGER && alone && column.hasDefault()) {
      return Optional.empty();
    }
    String value = column.of(alias);
    return Optional.of(
        switch (column.kind()) {
          case INTEGER -> "typeof(" + value + ") = 'integer'";
          case TEXT, CHAR -> "typeof(" + value + ") = 'text'";
          case BINARY -> "typeof(" + value + ") = 'blob'";
          case DECIMAL -> "typeof(" + value + ") IN ('integer', 'real')";
          default -> value + " IS NOT NULL";
        });
  }

  /** A value that sorts in Java as the column does in SQLite; empty for collations of others. */
  static Optional<String> rank(String expression, Column column) {
    Matcher collation = COLLATION.matcher(column.type());
    if (!collation.matches()) {
      return Optional.of(expression);
    }
    return switch (collation.group(1)) {
      case "NOCASE" -> Optional.of("lower(" + expression + ")");
      case "RTRIM" -> Optional.of("rtrim(" + expression + ")");
      default -> Optional.empty();
    };
  }

  /** By result code, and by the extended one's name, with which the driver begins its messages. */
  static Optional<Fault> fault(SQLException e) {
    String said = String.valueOf(e.getMessage());
    Fault found =
        switch (e.getErrorCode()) {
          case 5 ->
              said.startsWith("[SQLITE_BUSY_SNAPSHOT]") ? Fault.SERIALIZATION : Fault.LOCK_TIMEOUT;
          case 6, 15 -> Fault.LOCK_TIMEOUT; // SQLITE_LOCKED, SQLITE_PROTOCOL
          case 3, 23 -> Fault.PRIVILEGE; // SQLITE_PERM, SQLITE_AUTH
          case 8 ->
              said.startsWith("[SQLITE_READONLY_DBMOVED]") ? Fault.CONNECTION : Fault.READ_ONLY;
          case 9 -> Fault.TIMEOUT; // SQLITE_INTERRUPT
          case 10, 14 -> Fault.CONNECTION; // SQLITE_IOERR, SQLITE_CANTOPEN
          case 18, 20 -> Fault.DATA; // SQLITE_TOOBIG, SQLITE_MISMATCH
          case 19 ->
              said.startsWith("[SQLITE_CONSTRAINT_DATATYPE]") ? Fault.DATA : Fault.CONSTRAINT;
          case 1 ->
              said.contains("no such table") || said.contains("no such column")
                  ? Fault.MISSING_OBJECT
                  : null;
          default -> said.contains("connection closed") ? Fault.CONNECTION : null;
        };
    return Optional.ofNullable(found);
  }
}
