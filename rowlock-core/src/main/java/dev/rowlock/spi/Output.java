package dev.rowlock.spi;

/**
 * One column of a result.
 *
 * @param column which column
 * @param asText whether the database's own text form is wanted, as for a fence
 */
public record Output(Column column, boolean asText) {

  static Output value(Column column) {
    return new Output(column, false);
  }

  static Output text(Column column) {
    return new Output(column, true);
  }

  String select(Dialect dialect, String alias) {
    return asText
        ? dialect.text(column.of(alias), column) + " AS " + dialect.quote(label())
        : dialect.returned(column.of(alias), column);
  }

  /**
   * The name of this column in a result.
   *
   * @return unique in a model's outputs
   */
  public String label() {
    return asText ? "rowlock_fence_" + column.name() : column.name();
  }
}
