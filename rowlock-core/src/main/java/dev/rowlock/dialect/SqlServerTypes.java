package dev.rowlock.dialect;

import dev.rowlock.spi.Column;
import dev.rowlock.spi.Kind;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Set;

/**
 * What columns of SQL Server hold, and in which type a value reaches them. The driver sends every
 * text as nvarchar: compared with a varchar column that would convert the column, and read the
 * whole index instead of one row of it (C-094). So what is meant for a varchar column is cast.
 */
final class SqlServerTypes {
  /** What no value of a mapped column can have: nothing is read or compared reliably. */
  static final Set<String> REFUSED = Set.of("sql_variant", "text", "ntext", "image");

  private static final DateTimeFormatter LOCAL =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.nnnnnnnnn");
  private static final DateTimeFormatter OFFSET =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.nnnnnnnnnxxx");
  private static final int FRACTION = "2026-01-01T00:00:00.".length();

  private SqlServerTypes() {}

  /** The kind of a system type. */
  static Kind kind(String type) {
    return switch (type) {
      case "tinyint", "smallint", "int", "bigint" -> Kind.INTEGER;
      case "decimal", "numeric", "money", "smallmoney" -> Kind.DECIMAL;
      case "real", "float" -> Kind.FLOAT;
      case "bit" -> Kind.BOOLEAN;
      case "varchar", "nvarchar", "sysname", "text", "ntext" -> Kind.TEXT;
      case "char", "nchar" -> Kind.CHAR;
      case "uniqueidentifier" -> Kind.UUID;
      case "binary", "varbinary", "timestamp", "rowversion", "image" -> Kind.BINARY;
      case "datetimeoffset" -> Kind.INSTANT;
      case "datetime2", "datetime", "smalldatetime" -> Kind.LOCAL_TIMESTAMP;
      case "date" -> Kind.DATE;
      case "time" -> Kind.TIME;
      case "json" -> Kind.JSON;
      default -> Kind.OTHER;
    };
  }

  /**
   * A type that holds every value of a column, for CAST and DECLARE. Texts get the longest of their
   * kind, since a cast must never cut a value; times keep their precision, since the clock must be
   * rounded as they are.
   *
   * @param collation how a varchar column is encoded, empty if as the database is
   */
  static String declared(String type, int length, int precision, int scale, String collation) {
    String encoded = collation.isEmpty() ? "" : " COLLATE " + collation;
    return switch (type) {
      case "varchar", "char" -> (length < 0 ? "varchar(max)" : "varchar(8000)") + encoded;
      case "nvarchar", "nchar", "sysname" -> length < 0 ? "nvarchar(max)" : "nvarchar(4000)";
      case "varbinary" -> length < 0 ? "varbinary(max)" : "varbinary(8000)";
      case "binary" -> "binary(" + length + ")";
      case "timestamp", "rowversion" -> "binary(8)";
      case "decimal", "numeric" -> "decimal(" + precision + ", " + scale + ")";
      case "datetime2", "datetimeoffset", "time" -> type + "(" + scale + ")";
      default -> type;
    };
  }

  /** How many characters fit into a column, 0 if unlimited; a UTF-8 column counts bytes. */
  static int size(String type, int length) {
    return switch (type) {
      case "varchar", "char" -> Math.max(length, 0);
      case "nvarchar", "nchar", "sysname" -> length < 0 ? 0 : length / 2;
      default -> 0;
    };
  }

  /** Whether texts of this type are encoded in UTF-8. */
  static boolean utf8(Column column) {
    return column.type().startsWith("varchar") && column.type().endsWith("_UTF8");
  }

  /** A parameter or text as a column's type where SQL Server would not make it so by itself. */
  static String typed(String expression, Column column) {
    String type = column.type();
    int encoding = type.indexOf(" COLLATE ");
    if (type.startsWith("varchar")) {
      // Without its collation a cast would go through the database's code page.
      return encoding < 0
          ? "CAST(" + expression + " AS " + type + ")"
          : "CAST("
              + expression
              + type.substring(encoding)
              + " AS "
              + type.substring(0, encoding)
              + ")";
    }
    return switch (column.kind()) {
      // The older types take three digits at most from a text, the newer ones all.
      case LOCAL_TIMESTAMP ->
          type.startsWith("datetime2")
              ? "CAST(" + expression + " AS " + type + ")"
              : "CAST(CAST(" + expression + " AS datetime2(7)) AS " + type + ")";
      case INSTANT -> "CAST(" + expression + " AS " + type + ")";
      default -> expression;
    };
  }

  /** The type in which {@link #text} comes. */
  static String textType(Column column) {
    return switch (column.kind()) {
      case INTEGER, DECIMAL, FLOAT, BOOLEAN, UUID, INSTANT, LOCAL_TIMESTAMP, DATE, TIME ->
          "nvarchar(60)";
      // Nothing is known of the column: a sql_variant, which does not become a text without a
      // limit.
      case UNKNOWN -> "nvarchar(4000)";
      default -> column.size() > 0 && column.size() <= 4000 ? "nvarchar(4000)" : "nvarchar(max)";
    };
  }

  /** A column as text, from which {@link #typed} makes the same value again. */
  static String text(String expression, Column column) {
    String type = textType(column);
    return column.kind().holdsTime() && column.kind() != Kind.UNKNOWN
        // ISO 8601: the only form that no language setting reads differently.
        ? "CONVERT(" + type + ", " + expression + ", 126)"
        : "CAST(" + expression + " AS " + type + ")";
  }

  static void bind(PreparedStatement statement, int index, Object value, Column column)
      throws SQLException {
    if (value == null) {
      statement.setNull(index, nullType(column));
    } else if (value instanceof Long number) {
      whole(statement, index, number, column);
    } else if (value instanceof BigDecimal number) {
      statement.setBigDecimal(index, number);
    } else if (value instanceof Boolean bool) {
      statement.setBoolean(index, bool);
    } else if (value instanceof byte[] bytes) {
      statement.setBytes(index, bytes);
    } else {
      statement.setNString(index, time(value.toString(), column.kind()));
    }
  }

  private static int nullType(Column column) {
    return switch (column.kind()) {
      case INTEGER -> Types.BIGINT;
      case DECIMAL -> Types.DECIMAL;
      case FLOAT -> Types.DOUBLE;
      case BOOLEAN -> Types.BIT;
      case BINARY -> Types.VARBINARY;
      default -> Types.NVARCHAR;
    };
  }

  /** As narrow as the column, so that it is the parameter that is widened. */
  private static void whole(PreparedStatement statement, int index, long value, Column column)
      throws SQLException {
    boolean narrow = Set.of("int", "smallint", "tinyint").contains(column.type());
    if (narrow && value == (int) value) {
      statement.setInt(index, (int) value);
    } else {
      statement.setLong(index, value);
    }
  }

  /** Seven digits of a second at most, and always seconds; what is no such time stays as it is. */
  private static String time(String text, Kind kind) {
    try {
      return switch (kind) {
        case LOCAL_TIMESTAMP -> sevenDigits(LOCAL.format(LocalDateTime.parse(text)));
        case INSTANT -> sevenDigits(OFFSET.format(OffsetDateTime.parse(text)));
        default -> text;
      };
    } catch (DateTimeException e) {
      return text;
    }
  }

  private static String sevenDigits(String time) {
    return time.substring(0, FRACTION + 7) + time.substring(FRACTION + 9);
  }
}
