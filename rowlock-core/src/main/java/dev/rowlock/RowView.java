package dev.rowlock;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * A row as it is now, for people to look at; no claim on it.
 *
 * @param key which row
 * @param state where it is in its life
 * @param columns every mapped column and its value, as text for times
 */
public record RowView(Key key, RowState state, Map<String, Object> columns) {

  /**
   * Copies the columns.
   *
   * @param key see above
   * @param state see above
   * @param columns see above
   */
  public RowView {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(state, "state");
    columns = Collections.unmodifiableMap(new LinkedHashMap<>(columns));
  }
}
