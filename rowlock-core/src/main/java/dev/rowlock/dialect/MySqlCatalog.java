package dev.rowlock.dialect;

import dev.rowlock.ConfigurationException;
import dev.rowlock.TableName;
import dev.rowlock.internal.jdbc.Jdbc;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Kind;
import dev.rowlock.spi.Sql;
import dev.rowlock.spi.Table;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads INFORMATION_SCHEMA; a column's type is its whole definition, for people and for checks. */
record MySqlCatalog(MySqlFamily dialect, Connection connection) {
  static final String ON_UPDATE = " on update ";
  static final String AUTO_INCREMENT = " auto_increment";

  // By the exact name first: a name in another case is looked for only if that is not there, since
  // it makes the server open every table of the schema.
  private static final String FIND =
      """
      SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, COALESCE(ENGINE, '')
      FROM information_schema.TABLES
      WHERE TABLE_SCHEMA = COALESCE(?, DATABASE()) AND TABLE_NAME = ?
      """;

  private static final String FIND_IN_ANY_CASE =
      """
      SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, COALESCE(ENGINE, '')
      FROM information_schema.TABLES
      WHERE LOWER(TABLE_SCHEMA) = LOWER(COALESCE(?, DATABASE())) AND LOWER(TABLE_NAME) = LOWER(?)
      ORDER BY TABLE_SCHEMA, TABLE_NAME
      """;

  private static final String COLUMNS =
      """
      SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, CHARACTER_MAXIMUM_LENGTH, CHARACTER_SET_NAME,
             COLLATION_NAME, IS_NULLABLE = 'YES', COLUMN_DEFAULT IS NOT NULL, LOWER(EXTRA),
             COALESCE(GENERATION_EXPRESSION, '') <> ''
      FROM information_schema.COLUMNS
      WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?
      ORDER BY ORDINAL_POSITION
      """;

  // An index on an expression has no column name, one on a prefix has a SUB_PART: neither is
  // followed beyond that point, and neither is a key.
  private static final String INDEXES =
      """
      SELECT INDEX_NAME, NON_UNIQUE = 0, COLUMN_NAME, SUB_PART IS NOT NULL
      FROM information_schema.STATISTICS
      WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND INDEX_TYPE = 'BTREE'
      ORDER BY INDEX_NAME <> 'PRIMARY', INDEX_NAME, SEQ_IN_INDEX
      """;

  // MariaDB's JSON is text with a check; MySQL's is a type of its own.
  private static final String JSON_CHECKS =
      """
      SELECT c.CHECK_CLAUSE
      FROM information_schema.CHECK_CONSTRAINTS c
      WHERE c.CONSTRAINT_SCHEMA = ? AND c.TABLE_NAME = ? AND c.CHECK_CLAUSE LIKE 'json_valid(%'
      """;

  private record Found(String schema, String name, String type, String engine) {}

  Optional<Table> table(TableName wanted) throws SQLException {
    Optional<Found> found = find(wanted);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    Found t = found.get();
    Set<String> documents = new LinkedHashSet<>();
    if (dialect instanceof MariaDb) {
      documents.addAll(Jdbc.query(connection, JSON_CHECKS, r -> r.getString(1), t.schema, t.name));
    }
    Map<String, Column> columns = new LinkedHashMap<>();
    List<String> notes = new ArrayList<>();
    for (Column c :
        Jdbc.query(connection, COLUMNS, r -> column(r, documents, notes), t.schema, t.name)) {
      columns.put(c.name(), c);
    }
    List<List<String>> unique = new ArrayList<>();
    List<Table.Index> indexes = indexes(t, unique);
    notes.addAll(serverNotes());
    return Optional.of(
        new Table(
            dialect.quote(t.schema) + "." + dialect.quote(t.name),
            t.name,
            columns,
            unique,
            indexes,
            problems(t),
            notes));
  }

  private Optional<Found> find(TableName wanted) throws SQLException {
    String schema = wanted.schema().orElse(null);
    for (String sql : List.of(FIND, FIND_IN_ANY_CASE)) {
      List<Found> all =
          Jdbc.query(
              connection,
              sql,
              r -> new Found(r.getString(1), r.getString(2), r.getString(3), r.getString(4)),
              schema,
              wanted.table());
      Optional<Found> exact = all.stream().filter(f -> f.name.equals(wanted.table())).findFirst();
      if (exact.isPresent()) {
        return exact;
      }
      if (all.size() > 1) {
        throw new ConfigurationException(
            "table '%s' is ambiguous: it could be `%s` or `%s`; write the exact name"
                .formatted(wanted, all.get(0).name, all.get(1).name));
      }
      if (!all.isEmpty()) {
        return Optional.of(all.get(0));
      }
    }
    return Optional.empty();
  }

  private List<Table.Index> indexes(Found t, List<List<String>> unique) throws SQLException {
    Map<String, List<String>> columns = new LinkedHashMap<>();
    Set<String> uniqueNames = new LinkedHashSet<>();
    Set<String> cut = new LinkedHashSet<>();
    Jdbc.query(
        connection,
        INDEXES,
        r -> {
          String name = r.getString(1);
          List<String> all = columns.computeIfAbsent(name, n -> new ArrayList<>());
          if (r.getBoolean(2)) {
            uniqueNames.add(name);
          }
          boolean partly = r.getString(3) == null || r.getBoolean(4);
          return partly || cut.contains(name) ? cut.add(name) : all.add(r.getString(3));
        },
        t.schema,
        t.name);
    List<Table.Index> indexes = new ArrayList<>();
    columns.forEach(
        (name, of) -> {
          indexes.add(new Table.Index(name, of, Optional.empty()));
          if (uniqueNames.contains(name) && !cut.contains(name)) {
            unique.add(of);
          }
        });
    return indexes;
  }

  private List<String> problems(Found t) {
    if (t.type.contains("VIEW") || t.type.equals("SEQUENCE")) {
      return List.of(
          "it is a %s, whose rows cannot be locked by an index of their own; use the table under it"
              .formatted(t.type.toLowerCase(Locale.ROOT)));
    }
    return t.engine.equalsIgnoreCase("InnoDB")
        ? List.of()
        : List.of(
            "its engine is %s, which lacks transactions or row locks that can be passed over; ALTER TABLE %s ENGINE = InnoDB"
                .formatted(t.engine, t.name));
  }

  private List<String> serverNotes() throws SQLException {
    List<String> all = new ArrayList<>();
    if (MySqlFamily.logsStatements(connection)) {
      all.add(
          "binlog_format is STATEMENT, with which writes at READ COMMITTED are refused (error 1665): Rowlock runs at REPEATABLE READ here, and claims wait for each other more; ROW or MIXED is better");
    }
    boolean galera =
        Jdbc.first(
                connection,
                "SHOW SESSION VARIABLES LIKE 'wsrep_on'",
                r -> "ON".equalsIgnoreCase(r.getString(2)))
            .orElse(false);
    if (galera) {
      all.add(
          "this is a Galera cluster: row locks are local to a node, so two nodes may take the same row and one of them fails at COMMIT and tries again; let all workers use one node, and map no group unless they do");
    }
    return all;
  }

  private Column column(ResultSet r, Set<String> documents, List<String> notes)
      throws SQLException {
    String name = r.getString(1);
    String data = r.getString(2).toLowerCase(Locale.ROOT);
    String type = r.getString(3);
    String charset = r.getString(5);
    String extra = r.getString(9);
    boolean document = documents.contains("json_valid(" + "`" + name.replace("`", "``") + "`)");
    Kind kind = document ? Kind.JSON : kind(data, type);
    String definition = MySqlCharsets.definition(type, charset);
    boolean counted = extra.contains("auto_increment");
    if (extra.contains("on update")) {
      definition += ON_UPDATE + "current_timestamp";
      notes.add("column '%s' is set to now by every update, so by claims too".formatted(name));
    }
    if (counted) {
      definition += AUTO_INCREMENT;
    }
    if (charset != null && MySqlCharsets.small(charset)) {
      notes.add(
          "column '%s' has character set %s: what it lacks is replaced in an error's text, and refused in a result"
              .formatted(name, charset));
    }
    return new Column(
        name,
        dialect.quote(name),
        kind,
        Sql.raw(definition),
        size(data, r.getLong(4), charset),
        r.getBoolean(7),
        r.getBoolean(8) || counted,
        !r.getBoolean(10));
  }

  /** In characters: the TEXT types count bytes, of which a character may take several. */
  private static int size(String data, long length, String charset) {
    long characters =
        switch (data) {
          case "char", "varchar" -> length;
          case "tinytext", "text", "mediumtext", "longtext" ->
              length / MySqlCharsets.widest(charset);
          default -> 0;
        };
    return (int) Math.min(characters, Integer.MAX_VALUE);
  }

  private static Kind kind(String data, String type) {
    return switch (data) {
      case "bigint" -> type.contains("unsigned") ? Kind.DECIMAL : Kind.INTEGER;
      case "tinyint", "smallint", "mediumint", "int", "year" -> Kind.INTEGER;
      case "decimal" -> Kind.DECIMAL;
      case "float", "double" -> Kind.FLOAT;
      case "bit" -> type.equals("bit(1)") ? Kind.BOOLEAN : Kind.OTHER;
      case "char" -> Kind.CHAR;
      case "varchar", "tinytext", "text", "mediumtext", "longtext" -> Kind.TEXT;
      case "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob" -> Kind.BINARY;
      case "uuid" -> Kind.UUID;
      case "timestamp" -> Kind.INSTANT;
      case "datetime" -> Kind.LOCAL_TIMESTAMP;
      case "date" -> Kind.DATE;
      case "time" -> Kind.TIME;
      case "json" -> Kind.JSON;
      default -> Kind.OTHER;
    };
  }

  /** The values of an enum, from its definition. */
  static List<String> members(String type) {
    List<String> all = new ArrayList<>();
    StringBuilder one = null;
    for (int i = 0; i < type.length(); i++) {
      char c = type.charAt(i);
      boolean quote = c == '\'';
      boolean doubled = quote && one != null && i + 1 < type.length() && type.charAt(i + 1) == '\'';
      if (doubled) {
        one.append(c);
        i++;
      } else if (quote && one == null) {
        one = new StringBuilder();
      } else if (quote) {
        all.add(one.toString());
        one = null;
      } else if (one != null) {
        one.append(c);
      }
    }
    return all;
  }
}
