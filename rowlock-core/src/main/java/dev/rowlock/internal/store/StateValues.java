package dev.rowlock.internal.store;

import dev.rowlock.State;
import dev.rowlock.internal.jdbc.Jdbc;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Kind;
import dev.rowlock.spi.Model;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Whether a state column tells the mapped values apart. A collation that ignores case, accents or
 * blanks at the end may not: a row in "READY" would be ready and processing at once, and be claimed
 * again and again.
 */
record StateValues(Model model) {
  private static final Set<Kind> TEXT = Set.of(Kind.TEXT, Kind.CHAR);

  /** The reason to refuse the mapping, if there is one. */
  Optional<String> objection(Connection connection) throws SQLException {
    Column column = model.state().filter(c -> TEXT.contains(c.kind())).orElse(null);
    if (column == null) {
      return Optional.empty();
    }
    List<String> values = List.copyOf(values());
    if (different(connection, column, values)) {
      return Optional.empty();
    }
    for (int i = 1; i < values.size(); i++) {
      for (String other : values.subList(0, i)) {
        if (!different(connection, column, List.of(other, values.get(i)))) {
          return Optional.of(
              "state values '%s' and '%s' are one value to column '%s', whose collation ignores the difference (case, accents, blanks at the end); use other values, or give the column a binary collation"
                  .formatted(other, values.get(i), column.name()));
        }
      }
    }
    return Optional.empty();
  }

  private boolean different(Connection connection, Column column, List<String> values)
      throws SQLException {
    String sql = model.dialect().different(model, column, values.size()).jdbc();
    return Jdbc.first(connection, sql, r -> r.getInt(1), values.toArray())
        .equals(Optional.of(values.size()));
  }

  private Set<String> values() {
    State state = model.mapping().state().orElseThrow();
    return Stream.concat(
            state.ready().stream().filter(Objects::nonNull),
            Stream.of(state.processing(), state.done(), state.failed(), state.dead())
                .flatMap(Optional::stream))
        .collect(Collectors.toCollection(java.util.LinkedHashSet::new));
  }
}
