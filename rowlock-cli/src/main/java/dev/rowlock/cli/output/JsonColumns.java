package dev.rowlock.cli.output;

import dev.rowlock.Claim;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import tools.jackson.databind.JsonNode;

/**
 * Finds out which read columns hold JSON, so that a document is printed as a document and not as
 * text. The table is asked once, at the first claim. Thread-safe.
 */
public final class JsonColumns {
  private final DataSource dataSource;
  private Set<String> documents;

  /** For the tables of a database. */
  public JsonColumns(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /** The read columns with documents in place of their text. */
  public Map<String, Object> row(Claim claim) {
    Map<String, Object> row = new LinkedHashMap<>(claim.row());
    if (!row.isEmpty()) {
      documents(claim).forEach(column -> row.computeIfPresent(column, (c, text) -> document(text)));
    }
    return row;
  }

  private static Object document(Object text) {
    return Json.parse(text.toString())
        .map(JsonNode.class::cast)
        .map(Object.class::cast)
        .orElse(text);
  }

  private synchronized Set<String> documents(Claim claim) {
    if (documents == null) {
      try {
        documents = ask(claim.table(), claim.row().keySet());
      } catch (SQLException e) {
        documents = Set.of(); // Text is a fair answer too; the claim must not be lost for it.
      }
    }
    return documents;
  }

  private Set<String> ask(String table, Collection<String> columns) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      String quote = connection.getMetaData().getIdentifierQuoteString();
      String list =
          columns.stream()
              .map(column -> quote + column.replace(quote, quote + quote) + quote)
              .collect(Collectors.joining(", "));
      try (ResultSet none =
          statement.executeQuery("SELECT %s FROM %s WHERE 1 = 0".formatted(list, table))) {
        return named(none.getMetaData());
      }
    }
  }

  private static Set<String> named(ResultSetMetaData columns) throws SQLException {
    Set<String> found = new HashSet<>();
    for (int i = 1; i <= columns.getColumnCount(); i++) {
      String type = columns.getColumnTypeName(i).toLowerCase(Locale.ROOT);
      if (type.equals("json") || type.equals("jsonb")) {
        found.add(columns.getColumnName(i));
      }
    }
    return found;
  }
}
