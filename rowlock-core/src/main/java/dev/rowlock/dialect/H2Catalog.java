package dev.rowlock.dialect;

import dev.rowlock.ConfigurationException;
import dev.rowlock.TableName;
import dev.rowlock.internal.jdbc.Jdbc;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Kind;
import dev.rowlock.spi.Table;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Reads H2's INFORMATION_SCHEMA. */
record H2Catalog(H2 dialect, Connection connection) {

  private static final String FIND =
      """
      SELECT t.TABLE_SCHEMA, t.TABLE_NAME, t.TABLE_TYPE
      FROM INFORMATION_SCHEMA.TABLES t
      WHERE CASE WHEN CAST(? AS VARCHAR) IS NULL THEN t.TABLE_SCHEMA = CURRENT_SCHEMA
                 ELSE UPPER(t.TABLE_SCHEMA) = UPPER(?) END
        AND UPPER(t.TABLE_NAME) = UPPER(?)
      ORDER BY CASE WHEN t.TABLE_SCHEMA = ? THEN 0 ELSE 1 END,
               CASE WHEN t.TABLE_NAME = ? THEN 0 ELSE 1 END
      """;

  private static final String COLUMNS =
      """
      SELECT COLUMN_NAME, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH, IS_NULLABLE, DATETIME_PRECISION,
             COLUMN_DEFAULT IS NOT NULL OR IS_IDENTITY = 'YES',
             IS_GENERATED = 'ALWAYS' OR COALESCE(IDENTITY_GENERATION, '') = 'ALWAYS'
      FROM INFORMATION_SCHEMA.COLUMNS
      WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?
      ORDER BY ORDINAL_POSITION
      """;

  private static final String INDEXES =
      """
      SELECT i.INDEX_NAME, i.INDEX_TYPE_NAME IN ('PRIMARY KEY', 'UNIQUE INDEX', 'UNIQUE NULLS DISTINCT INDEX'), c.COLUMN_NAME
      FROM INFORMATION_SCHEMA.INDEXES i
      JOIN INFORMATION_SCHEMA.INDEX_COLUMNS c
        ON c.INDEX_SCHEMA = i.INDEX_SCHEMA AND c.INDEX_NAME = i.INDEX_NAME
      WHERE i.TABLE_SCHEMA = ? AND i.TABLE_NAME = ?
      ORDER BY CASE i.INDEX_TYPE_NAME WHEN 'PRIMARY KEY' THEN 0 ELSE 1 END, i.INDEX_NAME, c.ORDINAL_POSITION
      """;

  /** The type of text that is compared without regard to case. */
  static final String ANY_CASE = "VARCHAR_IGNORECASE";

  private record Found(String schema, String name, String type) {}

  Optional<Table> table(TableName wanted) throws SQLException {
    Optional<Found> found = find(wanted);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    Found t = found.get();
    Map<String, Column> columns = new LinkedHashMap<>();
    for (Column c : Jdbc.query(connection, COLUMNS, this::column, t.schema, t.name)) {
      columns.put(c.name(), c);
    }
    Map<String, List<String>> indexes = new LinkedHashMap<>();
    List<String> uniqueNames = new ArrayList<>();
    Jdbc.query(
        connection,
        INDEXES,
        r -> {
          indexes.computeIfAbsent(r.getString(1), n -> new ArrayList<>()).add(r.getString(3));
          return r.getBoolean(2) ? uniqueNames.add(r.getString(1)) : null;
        },
        t.schema,
        t.name);
    List<List<String>> unique =
        indexes.entrySet().stream()
            .filter(e -> uniqueNames.contains(e.getKey()))
            .map(Map.Entry::getValue)
            .toList();
    List<Table.Index> all =
        indexes.entrySet().stream()
            .map(e -> new Table.Index(e.getKey(), e.getValue(), Optional.empty()))
            .toList();
    return Optional.of(
        new Table(
            dialect.quote(t.schema) + "." + dialect.quote(t.name),
            t.name,
            columns,
            unique,
            all,
            problems(t),
            List.of()));
  }

  private Optional<Found> find(TableName wanted) throws SQLException {
    String schema = wanted.schema().orElse(null);
    List<Found> all =
        Jdbc.query(
            connection,
            FIND,
            r -> new Found(r.getString(1), r.getString(2), r.getString(3)),
            schema,
            schema,
            wanted.table(),
            schema,
            wanted.table());
    if (all.size() > 1 && !all.get(0).name.equals(wanted.table())) {
      throw new ConfigurationException(
          "table '%s' is ambiguous: it could be \"%s\" or \"%s\"; write the exact name"
              .formatted(wanted, all.get(0).name, all.get(1).name));
    }
    return all.stream().findFirst();
  }

  private static List<String> problems(Found t) {
    return t.type.equals("BASE TABLE")
        ? List.of()
        : List.of(
            "it is a %s, which H2 cannot lock row by row; use the table under it"
                .formatted(t.type.toLowerCase(Locale.ROOT)));
  }

  private Column column(ResultSet r) throws SQLException {
    String name = r.getString(1);
    Kind kind = kind(r.getString(2));
    long size = r.getLong(3);
    boolean sized = kind == Kind.TEXT || kind == Kind.CHAR;
    return new Column(
        name,
        dialect.quote(name),
        kind,
        r.getString(2).equals(ANY_CASE) ? ANY_CASE : precise(kind, r.getInt(5)),
        sized && size < Integer.MAX_VALUE ? (int) size : 0,
        r.getString(4).equals("YES"),
        r.getBoolean(6),
        !r.getBoolean(7));
  }

  /**
   * The type of times that are kept less exactly than the clock runs: it is rounded as they are.
   */
  private static String precise(Kind kind, int digits) {
    if (!kind.holdsTime() || digits >= 6) {
      return "";
    }
    return "TIMESTAMP(" + digits + ")" + (kind == Kind.INSTANT ? " WITH TIME ZONE" : "");
  }

  private static Kind kind(String type) {
    return switch (type.toUpperCase(Locale.ROOT)) {
      case "TINYINT", "SMALLINT", "INTEGER", "BIGINT" -> Kind.INTEGER;
      case "NUMERIC", "DECIMAL", "DECFLOAT" -> Kind.DECIMAL;
      case "REAL", "DOUBLE PRECISION", "FLOAT" -> Kind.FLOAT;
      case "BOOLEAN" -> Kind.BOOLEAN;
      case "CHARACTER VARYING", "CHARACTER LARGE OBJECT", ANY_CASE -> Kind.TEXT;
      case "CHARACTER" -> Kind.CHAR;
      case "UUID" -> Kind.UUID;
      case "BINARY", "BINARY VARYING", "BINARY LARGE OBJECT" -> Kind.BINARY;
      case "TIMESTAMP WITH TIME ZONE" -> Kind.INSTANT;
      case "TIMESTAMP" -> Kind.LOCAL_TIMESTAMP;
      case "DATE" -> Kind.DATE;
      case "TIME", "TIME WITH TIME ZONE" -> Kind.TIME;
      case "JSON" -> Kind.JSON;
      default -> Kind.OTHER;
    };
  }
}
