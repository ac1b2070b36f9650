package dev.rowlock.dialect;

import dev.rowlock.internal.jdbc.Jdbc;
import dev.rowlock.spi.Table;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The indexes of one table. */
final class SqliteIndexes {

  private record Found(
      String name, boolean unique, String origin, boolean partial, List<String> columns) {}

  private final List<Found> found = new ArrayList<>();

  SqliteIndexes(Connection connection, String schema, String table) throws SQLException {
    String prefix = "PRAGMA " + SqliteCatalog.plain(schema) + ".";
    List<Found> bare =
        Jdbc.query(
            connection,
            prefix + "index_list(" + SqliteCatalog.plain(table) + ")",
            r ->
                new Found(
                    r.getString(2), r.getBoolean(3), r.getString(4), r.getBoolean(5), List.of()));
    for (Found index : bare) {
      List<String> columns = new ArrayList<>();
      List<String> texts = texts(connection, schema, index.name);
      for (String column :
          Jdbc.query(
              connection,
              prefix + "index_xinfo(" + SqliteCatalog.plain(index.name) + ")",
              r -> r.getBoolean(6) ? String.valueOf(r.getString(3)) : "")) {
        int position = columns.size();
        if (!column.isEmpty()) {
          boolean expression = column.equals("null") && position < texts.size();
          columns.add(expression ? texts.get(position) : column);
        }
      }
      found.add(new Found(index.name, index.unique, index.origin, index.partial, columns));
    }
  }

  /** Pragmas give no text for an expression; the statement that made the index does. */
  private static List<String> texts(Connection connection, String schema, String index)
      throws SQLException {
    return Jdbc.first(
            connection,
            "SELECT sql FROM "
                + SqliteCatalog.plain(schema)
                + ".sqlite_master WHERE type = 'index' AND name = ? AND sql IS NOT NULL",
            r -> r.getString(1),
            index)
        .map(SqliteIndexes::parts)
        .orElse(List.of());
  }

  /** What stands between the commas of the first brackets. */
  static List<String> parts(String sql) {
    List<String> all = new ArrayList<>();
    int depth = 0;
    char quote = 0;
    StringBuilder part = new StringBuilder();
    for (char c : sql.toCharArray()) {
      if (quote != 0) {
        quote = c == quote ? 0 : quote;
      } else if (c == '"' || c == '\'' || c == '`' || c == '[') {
        quote = c == '[' ? ']' : c;
      } else if (c == '(' && ++depth == 1) {
        continue;
      } else if (c == ')' && --depth == 0) {
        all.add(part.toString().strip());
        return all;
      } else if (c == ',' && depth == 1) {
        all.add(part.toString().strip());
        part.setLength(0);
        continue;
      }
      if (depth > 0) {
        part.append(c);
      }
    }
    return all;
  }

  boolean primaryKey() {
    return found.stream().anyMatch(i -> i.origin.equals("pk"));
  }

  List<List<String>> unique() {
    return found.stream().filter(i -> i.unique && !i.partial).map(Found::columns).toList();
  }

  /**
   * All of them, each with what SQLite appends to it: the number of the row, or the primary key.
   *
   * @param appended those columns
   */
  List<Table.Index> all(List<String> appended) {
    List<Table.Index> all = new ArrayList<>();
    if (!appended.isEmpty() && !primaryKey()) {
      all.add(new Table.Index("rowid", appended, Optional.empty()));
    }
    for (Found index : found) {
      Set<String> columns = new LinkedHashSet<>(index.columns);
      columns.addAll(appended);
      all.add(
          new Table.Index(
              index.name,
              List.copyOf(columns),
              index.partial ? Optional.of("partial") : Optional.empty()));
    }
    return all;
  }
}
