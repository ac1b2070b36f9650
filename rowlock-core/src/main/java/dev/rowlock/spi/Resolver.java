package dev.rowlock.spi;

import dev.rowlock.ConfigurationException;
import dev.rowlock.Mapping;
import java.util.List;
import java.util.stream.Collectors;

/** Finds the columns that a mapping names. */
record Resolver(Mapping mapping, Table table) {

  List<Column> all(String purpose, List<String> names) {
    return names.stream().map(n -> one(purpose, n)).toList();
  }

  Column one(String purpose, String name) {
    List<Column> found = table.find(name);
    if (found.size() == 1) {
      return found.get(0);
    }
    if (found.size() > 1) {
      throw new ConfigurationException(
          "table %s: %s column '%s' is ambiguous: it could be %s; write the exact name"
              .formatted(mapping.table(), purpose, name, names(found)));
    }
    throw new ConfigurationException(
        "table %s has no column '%s' (mapped as %s); its columns are: %s"
            .formatted(
                mapping.table(), name, purpose, String.join(", ", table.columns().keySet())));
  }

  private static String names(List<Column> columns) {
    return columns.stream().map(Column::name).collect(Collectors.joining(" or "));
  }
}
