package dev.rowlock.spi;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A statement about any number of rows: for databases that have no arrays to pass many keys in. The
 * per-row parameters of the second row begin with {@code r2_}, of the third with {@code r3_} …; the
 * first row's have their plain names. Thread-safe.
 */
public final class RowsSql {
  /** Texts are kept for the numbers of rows that come again and again. */
  private static final int MOST_KEPT = 64;

  private final String template;
  private final Map<String, String> fragments;
  private final Listed rows;
  private final Map<Integer, Sql> kept = new ConcurrentHashMap<>();

  /** What stands for the rows: in front, for each, between, behind. */
  private record Listed(String head, String each, String separator, String tail) {}

  private RowsSql(String template, Map<String, String> fragments, Listed rows) {
    this.template = template;
    this.fragments = Map.copyOf(fragments);
    this.rows = rows;
  }

  /**
   * A condition that is true for each of the rows.
   *
   * @param template SQL with the fragment {@code {rows}} for the condition
   * @param fragments all others
   * @param each the condition for one row
   * @return the statement
   */
  public static RowsSql any(String template, Map<String, String> fragments, String each) {
    return new RowsSql(template, fragments, new Listed("(", "(" + each + ")", "\nOR ", ")"));
  }

  /**
   * A column that has one of the rows' values.
   *
   * @param template SQL with the fragment {@code {rows}} for the condition
   * @param fragments all others
   * @param column the column
   * @param each the value of one row
   * @return the statement
   */
  public static RowsSql in(
      String template, Map<String, String> fragments, String column, String each) {
    return new RowsSql(template, fragments, new Listed(column + " IN (", each, ", ", ")"));
  }

  /**
   * The statement for a number of rows.
   *
   * @param number how many, at least 1
   * @return the statement
   */
  public Sql of(int number) {
    Sql sql = kept.get(number);
    if (sql == null) {
      sql = make(number);
      if (kept.size() < MOST_KEPT) {
        kept.put(number, sql);
      }
    }
    return sql;
  }

  private Sql make(int number) {
    Map<String, String> all = new HashMap<>(fragments);
    all.put(
        "rows",
        IntStream.range(0, number)
            .mapToObj(i -> numbered(rows.each, i))
            .collect(Collectors.joining(rows.separator, rows.head, rows.tail)));
    return Sql.of(template, all);
  }

  /** Gives the per-row parameters of a fragment the names that belong to a row. */
  private static String numbered(String fragment, int row) {
    StringBuilder out = new StringBuilder();
    int at = 0;
    for (int i = 0; i < fragment.length(); i++) {
      int end = i + 1;
      while (fragment.charAt(i) == ':' && end < fragment.length() && word(fragment.charAt(end))) {
        end++;
      }
      if (end > i + 1 && perRow(fragment.substring(i + 1, end))) {
        out.append(fragment, at, i + 1).append(prefix(row));
        at = i + 1;
      }
    }
    return out.append(fragment, at, fragment.length()).toString();
  }

  private static boolean word(char c) {
    return c == '_' || Character.isLetterOrDigit(c);
  }

  /**
   * What the parameters of a row begin with.
   *
   * @param row 0-based
   * @return empty for the first
   */
  public static String prefix(int row) {
    return row == 0 ? "" : "r" + (row + 1) + "_";
  }

  /**
   * Whether a parameter's value differs from row to row.
   *
   * @param name the plain name
   * @return true for keys, fences, results and what a change says
   */
  public static boolean perRow(String name) {
    return name.startsWith("key_")
        || name.startsWith("fence_")
        || name.startsWith("set_")
        || Set.of("error", "delay_ms", "by_ms", "back_to").contains(name);
  }
}
