package dev.rowlock;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The name of a table as its owner writes it, before the database has resolved it.
 *
 * @param schema the schema, empty to look the table up as the connection would
 * @param table the table, not blank
 */
public record TableName(Optional<String> schema, String table) {

  /**
   * Checks that no part is blank.
   *
   * @param schema see above
   * @param table see above
   */
  public TableName {
    Objects.requireNonNull(schema, "schema");
    if (table == null || table.isBlank() || schema.map(String::isBlank).orElse(false)) {
      throw new ConfigurationException(
          "table name is empty; give a table, or schema.table (quote a part that has a dot: \"a.b\")");
    }
  }

  /**
   * Reads {@code table} or {@code schema.table}. A part in double quotes may hold dots and doubled
   * quotes.
   *
   * @param text the name, not null
   * @return the parts as they were written; case is kept
   * @throws ConfigurationException if there are no or more than two parts, or a quote is not closed
   */
  public static TableName parse(String text) {
    List<String> parts = split(Objects.requireNonNull(text, "table"));
    return switch (parts.size()) {
      case 1 -> new TableName(Optional.empty(), parts.get(0));
      case 2 -> new TableName(Optional.of(parts.get(0)), parts.get(1));
      default ->
          throw new ConfigurationException(
              "table name '%s' has %d parts; allowed: table or schema.table (quote a part that has a dot)"
                  .formatted(text, parts.size()));
    };
  }

  private static List<String> split(String text) {
    List<String> parts = new ArrayList<>();
    StringBuilder part = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' && quoted && i + 1 < text.length() && text.charAt(i + 1) == '"') {
        part.append(c);
        i++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == '.' && !quoted) {
        parts.add(part.toString());
        part.setLength(0);
      } else {
        part.append(c);
      }
    }
    if (quoted) {
      throw new ConfigurationException(
          "table name %s: a double quote is not closed".formatted(text));
    }
    parts.add(part.toString());
    return parts;
  }

  @Override
  public String toString() {
    return schema.map(s -> s + "." + table).orElse(table);
  }
}
