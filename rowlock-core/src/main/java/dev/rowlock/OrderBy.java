package dev.rowlock;

import java.util.Locale;
import java.util.Objects;

/**
 * One column of the claim order. The place of {@code NULL} is always said, so that every database
 * gives the same order.
 *
 * @param column the column as written in the mapping
 * @param descending whether large values come first
 * @param nullsFirst whether rows without a value come first; by default they come last
 */
public record OrderBy(String column, boolean descending, boolean nullsFirst) {

  /**
   * Checks that a column is given.
   *
   * @param column see above
   * @param descending see above
   * @param nullsFirst see above
   */
  public OrderBy {
    Objects.requireNonNull(column, "column");
  }

  /**
   * Ascending, rows without a value last.
   *
   * @param column the column
   * @return the order
   */
  public static OrderBy asc(String column) {
    return new OrderBy(column, false, false);
  }

  /**
   * Descending, rows without a value last.
   *
   * @param column the column
   * @return the order
   */
  public static OrderBy desc(String column) {
    return new OrderBy(column, true, false);
  }

  /**
   * Reads {@code column [asc|desc] [nulls first|nulls last]}, words in any case. A column whose
   * name ends in such words is written in double quotes.
   *
   * @param text the order, not null
   * @return the order
   */
  public static OrderBy parse(String text) {
    String rest = text.strip();
    boolean first = false;
    boolean desc = false;
    if (endsWith(rest, " nulls first") || endsWith(rest, " nulls last")) {
      first = endsWith(rest, " nulls first");
      rest = rest.substring(0, rest.toLowerCase(Locale.ROOT).lastIndexOf(" nulls")).strip();
    }
    if (endsWith(rest, " desc") || endsWith(rest, " asc")) {
      desc = endsWith(rest, " desc");
      rest = rest.substring(0, rest.lastIndexOf(' ')).strip();
    }
    if (rest.length() > 2 && rest.startsWith("\"") && rest.endsWith("\"")) {
      rest = rest.substring(1, rest.length() - 1).replace("\"\"", "\"");
    }
    if (rest.isEmpty()) {
      throw new ConfigurationException(
          "order '%s' names no column; allowed: COLUMN [asc|desc] [nulls first|last]"
              .formatted(text));
    }
    return new OrderBy(rest, desc, first);
  }

  private static boolean endsWith(String text, String ending) {
    return text.toLowerCase(Locale.ROOT).endsWith(ending);
  }
}
