package dev.rowlock.spi;

import java.util.List;

/** How a database carries out fenced writes of one kind. */
public sealed interface WritePlan {

  /**
   * The statement for one row.
   *
   * @return its update count (or its number of result rows) is 1 if the claim was current, else 0
   */
  List<Sql> one();

  /**
   * Row by row; many rows are a JDBC batch. All statements of a row run in one transaction and the
   * last one's update count decides.
   *
   * @param one the statements for one row
   */
  record Rows(List<Sql> one) implements WritePlan {
    /**
     * Copies the list.
     *
     * @param one see above
     */
    public Rows {
      one = List.copyOf(one);
    }
  }

  /**
   * Many rows by one statement, whose parameters are arrays of texts, one element a row. Returns
   * the 1-based positions of the rows whose claim was current.
   *
   * @param row the statement for one row
   * @param many the statement for many rows
   */
  record Arrays(Sql row, Sql many) implements WritePlan {
    @Override
    public List<Sql> one() {
      return List.of(row);
    }
  }
}
