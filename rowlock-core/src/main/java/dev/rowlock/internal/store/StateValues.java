package dev.rowlock.internal.store;

import dev.rowlock.State;
import dev.rowlock.internal.jdbc.Jdbc;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Kind;
import dev.rowlock.spi.Model;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
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
    String sql = model.dialect().different(model, column).jdbc();
    List<String> seen = new ArrayList<>();
    for (String value : values()) {
      for (String other : seen) {
        if (Jdbc.first(connection, sql, r -> r.getInt(1), other, value).equals(Optional.of(1))) {
          return Optional.of(
              "state values '%s' and '%s' are one value to column '%s', whose collation ignores the difference (case, accents, blanks at the end); use other values, or give the column a binary collation"
                  .formatted(other, value, column.name()));
        }
      }
      seen.add(value);
    }
    return Optional.empty();
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
