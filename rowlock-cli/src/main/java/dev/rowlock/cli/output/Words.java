package dev.rowlock.cli.output;

import java.util.Locale;

/** Small pieces of English. */
public final class Words {
  private Words() {}

  /** {@code 1 row}, {@code 3,201 rows}. */
  public static String rows(long count) {
    return count(count) + (count == 1 ? " row" : " rows");
  }

  /** A number with separators. */
  public static String count(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }
}
