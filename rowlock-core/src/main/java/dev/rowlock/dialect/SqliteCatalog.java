package dev.rowlock.dialect;

import dev.rowlock.TableName;
import dev.rowlock.internal.jdbc.Jdbc;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Kind;
import dev.rowlock.spi.Table;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads SQLite's schema tables and pragmas. */
record SqliteCatalog(Sqlite dialect, Connection connection) {
  private static final Pattern SIZE = Pattern.compile("\\((\\d+)\\)");

  private record Found(String schema, String name, String type, String sql) {
    String flat() {
      return sql == null ? "" : sql.strip().replaceAll("\\s+", " ").toUpperCase(Locale.ROOT);
    }
  }

  private record Raw(
      String name, String type, boolean notNull, boolean defaulted, int key, int hidden) {}

  /** The parser itself is asked: it stops at RETURNING, or goes on and finds a system table. */
  static Optional<String> refusal(Connection connection) throws SQLException {
    try {
      Jdbc.query(connection, "EXPLAIN DELETE FROM sqlite_master WHERE 0 RETURNING 1", r -> 1);
    } catch (SQLException e) {
      if (String.valueOf(e.getMessage()).contains("near \"RETURNING\"")) {
        return Optional.of(
            "this SQLite has no UPDATE … RETURNING; use 3.35 or newer (the library is part of the driver)");
      }
    }
    boolean file =
        Jdbc.first(
                connection,
                "SELECT file FROM pragma_database_list WHERE name = 'main'",
                r -> String.valueOf(r.getString(1)))
            .filter(name -> !name.isEmpty())
            .isPresent();
    return file
        ? Optional.empty()
        : Optional.of(
            "an SQLite database in memory belongs to one connection (or, with a shared cache, makes others fail instead of wait); use a file: jdbc:sqlite:app.db");
  }

  Optional<Table> table(TableName wanted) throws SQLException {
    Optional<Found> found = find(wanted);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    Found t = found.get();
    boolean table = t.type.equals("table") && !t.flat().startsWith("CREATE VIRTUAL");
    List<Raw> raw =
        Jdbc.query(
            connection,
            "PRAGMA " + plain(t.schema) + ".table_xinfo(" + plain(t.name) + ")",
            r ->
                new Raw(
                    r.getString(2),
                    String.valueOf(r.getString(3)),
                    r.getBoolean(4),
                    r.getString(5) != null,
                    r.getInt(6),
                    r.getInt(7)));
    SqliteIndexes indexes = new SqliteIndexes(connection, t.schema, t.name);
    List<String> key =
        raw.stream()
            .filter(c -> c.key > 0)
            .sorted(Comparator.comparingInt(Raw::key))
            .map(Raw::name)
            .toList();
    boolean rowids = !t.flat().matches(".*\\)[^)]*WITHOUT ROWID[^)]*");
    Optional<String> rowid = rowids ? rowid(raw, indexes) : Optional.empty();
    Map<String, Column> columns = new LinkedHashMap<>();
    List<String> notes = new ArrayList<>();
    for (Raw c : raw) {
      if (c.hidden != 1) {
        columns.put(c.name, column(t, c, table, rowid, rowids, notes));
      }
    }
    List<List<String>> unique = new ArrayList<>();
    if (!key.isEmpty()) {
      unique.add(key);
    }
    unique.addAll(indexes.unique());
    return Optional.of(
        new Table(
            dialect.quote(t.schema) + "." + dialect.quote(t.name),
            t.name,
            columns,
            unique,
            indexes.all(rowid.map(List::of).orElse(rowids ? List.of() : key)),
            problems(t, table),
            notes));
  }

  /** Unqualified, SQLite looks into temp, main, and then what was attached, in that order. */
  private Optional<Found> find(TableName wanted) throws SQLException {
    List<String> schemas =
        new ArrayList<>(Jdbc.query(connection, "PRAGMA database_list", r -> r.getString(2)));
    if (!schemas.contains("temp")) {
      schemas.add("temp");
    }
    schemas.sort(Comparator.comparing(s -> !s.equals("temp")));
    for (String schema : schemas) {
      if (wanted.schema().isEmpty() || wanted.schema().get().equalsIgnoreCase(schema)) {
        Optional<Found> found =
            Jdbc.first(
                connection,
                "SELECT name, type, sql FROM "
                    + plain(schema)
                    + "."
                    + (schema.equals("temp") ? "sqlite_temp_master" : "sqlite_master")
                    + " WHERE type IN ('table', 'view') AND lower(name) = lower(?)",
                r -> new Found(schema, r.getString(1), r.getString(2), r.getString(3)),
                wanted.table());
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  static String plain(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  /**
   * INTEGER PRIMARY KEY, in these words, is the row's number itself and has no index of its own.
   */
  private static Optional<String> rowid(List<Raw> columns, SqliteIndexes indexes) {
    List<Raw> key = columns.stream().filter(c -> c.key > 0).toList();
    boolean alias =
        key.size() == 1 && key.get(0).type.equalsIgnoreCase("INTEGER") && !indexes.primaryKey();
    return alias ? Optional.of(key.get(0).name) : Optional.empty();
  }

  private static List<String> problems(Found t, boolean table) {
    List<String> all = new ArrayList<>();
    if (t.type.equals("view")) {
      all.add("it is a view, which SQLite cannot update; use the table under it");
    } else if (!table) {
      all.add(
          "it is a virtual table, whose rows live in a module and not in SQLite; keep the queue in a table of its own");
    }
    if (t.schema.equals("temp")) {
      all.add("it is a temporary table, which no other connection sees; use a table of the file");
    }
    return all;
  }

  private Column column(
      Found t, Raw c, boolean table, Optional<String> rowid, boolean rowids, List<String> notes)
      throws SQLException {
    boolean alias = rowid.isPresent() && rowid.get().equals(c.name);
    boolean nullable = !c.notNull && !alias && (c.key == 0 || rowids);
    if (table && nullable && c.key > 0 && values(t, c, "IS NULL").isEmpty()) {
      nullable = false;
      notes.add(
          "primary key column '%s' is not declared NOT NULL, so SQLite accepts NULL in it: such a row is never claimed"
              .formatted(c.name));
    }
    Kind kind = table ? kind(t, c) : Kind.OTHER;
    Matcher size = SIZE.matcher(c.type);
    boolean text = kind == Kind.TEXT && c.type.toUpperCase(Locale.ROOT).contains("CHAR");
    String collation = table && kind == Kind.TEXT ? collation(t, c) : "";
    return new Column(
        c.name,
        dialect.quote(c.name),
        kind,
        c.type + collation,
        text && size.find() ? Integer.parseInt(size.group(1)) : 0,
        nullable,
        c.defaulted || alias,
        c.hidden == 0);
  }

  /** Asked of a comparison, since no pragma tells it. */
  private String collation(Found t, Raw c) throws SQLException {
    String column = plain(c.name);
    String from =
        " FROM (SELECT %1$s AS x FROM %2$s.%3$s WHERE 0 UNION ALL SELECT 'a')"
            .formatted(column, plain(t.schema), plain(t.name));
    try {
      return Jdbc.first(
              connection,
              "SELECT CASE WHEN x = 'A' THEN ' COLLATE NOCASE' WHEN x = 'a ' THEN ' COLLATE RTRIM' ELSE '' END"
                  + from,
              r -> r.getString(1))
          .orElse("");
    } catch (SQLException e) {
      return " COLLATE unknown"; // one that the application brings, and not on this connection
    }
  }

  private Kind kind(Found t, Raw c) throws SQLException {
    Kind declared = declared(c.type.toUpperCase(Locale.ROOT));
    if (declared != Kind.UUID && declared != Kind.UNKNOWN) {
      return declared;
    }
    // Where the declaration leaves it open, the first value tells.
    Object value = values(t, c, "IS NOT NULL").orElse(null);
    if (value instanceof byte[]) {
      return Kind.BINARY;
    } else if (value instanceof Integer || value instanceof Long) {
      return Kind.INTEGER;
    }
    boolean other = value != null && !canonical(value.toString());
    return declared == Kind.UUID && !other ? Kind.UUID : Kind.TEXT;
  }

  private static boolean canonical(String uuid) {
    try {
      return UUID.fromString(uuid).toString().equals(uuid);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private Optional<Object> values(Found t, Raw c, String condition) throws SQLException {
    String column = plain(c.name);
    String value = condition.equals("IS NULL") ? "1" : column;
    return Jdbc.first(
        connection,
        "SELECT %s FROM (SELECT %s FROM %s.%s %s LIMIT 1000) WHERE %s %s LIMIT 1"
            .formatted(
                value,
                column,
                plain(t.schema),
                plain(t.name),
                condition.equals("IS NULL") ? "WHERE " + column + " IS NULL" : "",
                column,
                condition),
        r -> r.getObject(1));
  }

  /** By the usual names first, then as SQLite decides a column's affinity. */
  private static Kind declared(String type) {
    String word = type.replaceAll("\\(.*", "").strip();
    return switch (word) {
      case "", "ANY" -> Kind.UNKNOWN;
      case "BOOLEAN", "BOOL", "BIT" -> Kind.BOOLEAN;
      case "DATE" -> Kind.DATE;
      case "TIME" -> Kind.TIME;
      case "JSON" -> Kind.JSON;
      case "UUID", "GUID", "UNIQUEIDENTIFIER" -> Kind.UUID;
      case "BLOB", "BINARY", "VARBINARY", "BYTEA" -> Kind.BINARY;
      case "DECIMAL", "NUMERIC", "NUMBER", "MONEY", "DEC" -> Kind.DECIMAL;
      default -> affinity(word);
    };
  }

  private static Kind affinity(String word) {
    if (word.startsWith("DATETIME") || word.startsWith("TIMESTAMP")) {
      return Kind.LOCAL_TIMESTAMP;
    } else if (word.contains("INT")) {
      return Kind.INTEGER;
    } else if (word.contains("CHAR") || word.contains("CLOB") || word.contains("TEXT")) {
      return Kind.TEXT;
    } else if (word.contains("BLOB")) {
      return Kind.BINARY;
    } else if (word.contains("REAL") || word.contains("FLOA") || word.contains("DOUB")) {
      return Kind.FLOAT;
    }
    return word.equals("STRING") ? Kind.TEXT : Kind.OTHER;
  }
}
