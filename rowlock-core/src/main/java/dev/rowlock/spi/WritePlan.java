package dev.rowlock.spi;

import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

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

  /**
   * Many rows by one statement that holds them as a list of so many rows, each with parameters of
   * its own: those of the <i>i</i>-th row end in {@code __i}. What is left over is null, which is
   * no claim. Returns the 1-based positions of the rows whose claim was current. The rows are given
   * in the order of their keys, the same for everybody, so that no two statements lock them in
   * different orders.
   *
   * @param row the statement for one row
   * @param many by how many rows a statement holds, smallest first
   */
  record Lists(Sql row, NavigableMap<Integer, Sql> many) implements WritePlan {
    /**
     * Copies the map.
     *
     * @param row see above
     * @param many see above
     */
    public Lists {
      many = Collections.unmodifiableNavigableMap(new TreeMap<>(many));
    }

    @Override
    public List<Sql> one() {
      return List.of(row);
    }
  }

  /**
   * Lock first: rows that the locking read returns are current, so that no update count has to be
   * trusted. Then write by key, all rows that get the same values at once, in one transaction.
   *
   * @param single one statement that does it all for one row and whose update count is right; empty
   *     where a driver may count a row as unchanged
   * @param lock locks the rows whose claims are current; returns their key columns
   * @param steps write the locked rows
   */
  record LockThenSet(Optional<Sql> single, RowsSql lock, List<RowsSql> steps) implements WritePlan {
    /**
     * Copies the list.
     *
     * @param single see above
     * @param lock see above
     * @param steps see above
     */
    public LockThenSet {
      steps = List.copyOf(steps);
    }

    @Override
    public List<Sql> one() {
      return single
          .map(List::of)
          .orElseGet(
              () ->
                  Stream.concat(Stream.of(lock), steps.stream()).map(each -> each.of(1)).toList());
    }
  }
}
