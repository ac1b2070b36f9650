package dev.rowlock;

import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The key of one row: column names in mapped order and their values, as {@code Long}, {@code
 * BigDecimal}, {@code String}, {@code UUID}, {@code Boolean} or {@code byte[]}. Immutable; equality
 * compares values, arrays by content.
 */
public final class Key {
  private final Map<String, Object> values;

  /**
   * Copies the values.
   *
   * @param values column to value, in mapped order; no value may be null
   */
  public Key(Map<String, ?> values) {
    Map<String, Object> copy = new LinkedHashMap<>();
    values.forEach(
        (column, value) -> {
          if (value == null) {
            throw new IllegalArgumentException("key column " + column + " is null");
          }
          copy.put(column, value);
        });
    this.values = Collections.unmodifiableMap(copy);
  }

  /**
   * The columns and their values.
   *
   * @return an unmodifiable map in mapped order
   */
  public Map<String, Object> values() {
    return values;
  }

  /**
   * The value of one column.
   *
   * @param column the column's name in the database
   * @return the value, null if the key has no such column
   */
  public Object get(String column) {
    return values.get(column);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Key key
        && Arrays.deepEquals(values.keySet().toArray(), key.values.keySet().toArray())
        && Arrays.deepEquals(values.values().toArray(), key.values.values().toArray());
  }

  @Override
  public int hashCode() {
    return Arrays.deepHashCode(values.values().toArray());
  }

  @Override
  public String toString() {
    return values.entrySet().stream()
        .map(e -> e.getKey() + "=" + show(e.getValue()))
        .collect(Collectors.joining(", "));
  }

  private static String show(Object value) {
    return value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : String.valueOf(value);
  }
}
