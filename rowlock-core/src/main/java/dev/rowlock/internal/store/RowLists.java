package dev.rowlock.internal.store;

import dev.rowlock.Key;
import dev.rowlock.internal.jdbc.Values;
import dev.rowlock.spi.RowsSql;
import dev.rowlock.spi.Sql;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Puts rows into statements that hold a list of so many of them. */
final class RowLists {
  private static final Pattern OF_A_ROW = Pattern.compile("(.+)__([0-9]+)");

  private RowLists() {}

  /** Runs one statement. */
  interface Runner {
    /**
     * @param from which row each place of the list holds
     */
    void run(Sql sql, Values values, int[] from) throws SQLException;
  }

  /**
   * Splits rows over statements, in an order that is the same for everybody: two statements that
   * lock the same rows lock them one after the other and not crosswise.
   */
  static void each(List<Writes.Prepared> rows, NavigableMap<Integer, Sql> sizes, Runner runner)
      throws SQLException {
    Integer[] order = new Integer[rows.size()];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, Comparator.comparing(i -> rows.get(i).change().claim().key(), BY_KEY));
    int most = sizes.lastKey();
    for (int start = 0; start < order.length; start += most) {
      int[] from = new int[Math.min(most, order.length - start)];
      for (int i = 0; i < from.length; i++) {
        from[i] = order[start + i];
      }
      Map.Entry<Integer, Sql> size = sizes.ceilingEntry(from.length);
      runner.run(size.getValue(), values(size.getValue(), rows, from), from);
    }
  }

  /** Any order does that knows no ties; numbers by their value, as most indexes have them. */
  private static final Comparator<Key> BY_KEY =
      (a, b) -> {
        List<Object> left = List.copyOf(a.values().values());
        List<Object> right = List.copyOf(b.values().values());
        for (int i = 0; i < left.size(); i++) {
          int order =
              left.get(i) instanceof Long x && right.get(i) instanceof Long y
                  ? Long.compare(x, y)
                  : text(left.get(i)).compareTo(text(right.get(i)));
          if (order != 0) {
            return order;
          }
        }
        return 0;
      };

  private static String text(Object value) {
    return value instanceof byte[] bytes ? Arrays.toString(bytes) : String.valueOf(value);
  }

  private static Values values(Sql sql, List<Writes.Prepared> rows, int[] from) {
    Values first = rows.get(from[0]).values();
    Values values = first.copy();
    for (String name : sql.parameters()) {
      Matcher row = OF_A_ROW.matcher(name);
      if (row.matches() && RowsSql.perRow(row.group(1))) {
        int place = Integer.parseInt(row.group(2)) - 1;
        String one = row.group(1);
        Object value = place < from.length ? rows.get(from[place]).values().value(one) : null;
        values.put(name, value, first.column(one));
      }
    }
    return values;
  }
}
