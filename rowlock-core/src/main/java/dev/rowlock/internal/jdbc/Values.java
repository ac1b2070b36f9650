package dev.rowlock.internal.jdbc;

import dev.rowlock.spi.Column;
import java.util.HashMap;
import java.util.Map;

/** Parameter values by name, each with the column that it is for. */
public final class Values {
  private final Map<String, Bound> bound;

  record Bound(Object value, Column column) {}

  public Values() {
    this.bound = new HashMap<>();
  }

  private Values(Map<String, Bound> bound) {
    this.bound = new HashMap<>(bound);
  }

  /** A copy to which more can be added. */
  public Values copy() {
    return new Values(bound);
  }

  public Values put(String name, Object value, Column column) {
    bound.put(name, new Bound(value, column));
    return this;
  }

  public Values number(String name, long value) {
    return put(name, value, Column.NUMBER);
  }

  public Object value(String name) {
    return get(name).value;
  }

  public Column column(String name) {
    return get(name).column;
  }

  Bound get(String name) {
    Bound found = bound.get(name);
    if (found == null) {
      throw new IllegalStateException("no value for :" + name + "; there are " + bound.keySet());
    }
    return found;
  }
}
