package dev.rowlock.internal.jdbc;

import dev.rowlock.spi.Column;
import dev.rowlock.spi.RowsSql;
import dev.rowlock.spi.Sql;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

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

  /** The values of many rows for one statement; what is the same for all is the first row's. */
  public static Values ofRows(Sql sql, List<Values> rows) {
    Values all = rows.get(0).copy();
    Set<String> wanted = new HashSet<>(sql.parameters());
    for (int i = 1; i < rows.size(); i++) {
      String prefix = RowsSql.prefix(i);
      for (String name : rows.get(i).bound.keySet()) {
        if (wanted.contains(prefix + name)) {
          all.bound.put(prefix + name, rows.get(i).bound.get(name));
        }
      }
    }
    return all;
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
