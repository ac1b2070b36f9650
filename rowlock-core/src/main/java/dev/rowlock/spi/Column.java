package dev.rowlock.spi;

/**
 * A column as the database knows it.
 *
 * @param name the exact name
 * @param quoted the name as it stands in SQL
 * @param kind what it holds
 * @param type the type as it stands in a CAST, without length; empty if no cast is wanted
 * @param size how many characters fit, 0 if unlimited or unknown
 * @param nullable whether it accepts NULL
 * @param hasDefault whether the database fills it when an insert does not name it
 * @param writable false for generated and identity-always columns
 */
public record Column(
    String name,
    String quoted,
    Kind kind,
    String type,
    int size,
    boolean nullable,
    boolean hasDefault,
    boolean writable) {

  /** A whole number that belongs to no column: limits, durations in milliseconds. */
  public static final Column NUMBER = new Column("", "", Kind.INTEGER, "", 0, true, false, true);

  /**
   * A column of which only the name is known.
   *
   * @param name the name
   * @param quoted the name as it stands in SQL
   * @return a column that accepts everything
   */
  public static Column unknown(String name, String quoted) {
    return new Column(name, quoted, Kind.UNKNOWN, "", 0, true, true, true);
  }

  /**
   * A key column of which only the name is known.
   *
   * @param name the name
   * @param quoted the name as it stands in SQL
   * @return a column that accepts everything but NULL
   */
  public static Column unknownKey(String name, String quoted) {
    return new Column(name, quoted, Kind.UNKNOWN, "", 0, false, true, true);
  }

  /**
   * The column with a table alias.
   *
   * @param alias the alias
   * @return for example {@code q."id"}
   */
  public String of(String alias) {
    return alias + "." + quoted;
  }
}
