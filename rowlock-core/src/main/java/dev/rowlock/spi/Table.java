package dev.rowlock.spi;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A table as the database knows it.
 *
 * @param quoted schema and name as they stand in SQL
 * @param name the bare name
 * @param columns by exact name, in table order
 * @param unique column lists that are each unique (primary key first)
 * @param indexes all indexes that can be read in order
 * @param problems why the table cannot be used, one line each; empty if it can
 * @param notes what an owner should know, one line each: triggers, row security
 */
public record Table(
    String quoted,
    String name,
    Map<String, Column> columns,
    List<List<String>> unique,
    List<Index> indexes,
    List<String> problems,
    List<String> notes) {

  /**
   * Copies the collections.
   *
   * @param quoted see above
   * @param name see above
   * @param columns see above
   * @param unique see above
   * @param indexes see above
   * @param problems see above
   * @param notes see above
   */
  public Table {
    columns = Collections.unmodifiableMap(new LinkedHashMap<>(columns));
    unique = List.copyOf(unique);
    indexes = List.copyOf(indexes);
    problems = List.copyOf(problems);
    notes = List.copyOf(notes);
  }

  /**
   * An index.
   *
   * @param name its name
   * @param columns its columns in order; an expression is given as its text
   * @param predicate the condition of a partial index
   * @param descending those of its columns that run downwards, as far as the dialect looks at that
   */
  public record Index(
      String name, List<String> columns, Optional<String> predicate, Set<String> descending) {
    /**
     * Copies the collections.
     *
     * @param name see above
     * @param columns see above
     * @param predicate see above
     * @param descending see above
     */
    public Index {
      columns = List.copyOf(columns);
      descending = Set.copyOf(descending);
    }

    /**
     * An index whose directions do not matter.
     *
     * @param name its name
     * @param columns its columns in order
     * @param predicate the condition of a partial index
     */
    public Index(String name, List<String> columns, Optional<String> predicate) {
      this(name, columns, predicate, Set.of());
    }
  }

  /**
   * Finds columns by name: exactly, else without regard to case if that names one column only.
   *
   * @param name the name as it was written
   * @return one column, or none, or several when the name is ambiguous
   */
  public List<Column> find(String name) {
    Column exact = columns.get(name);
    if (exact != null) {
      return List.of(exact);
    }
    List<Column> found = new ArrayList<>();
    columns.forEach(
        (n, column) -> {
          if (n.equalsIgnoreCase(name)) {
            found.add(column);
          }
        });
    return found;
  }
}
