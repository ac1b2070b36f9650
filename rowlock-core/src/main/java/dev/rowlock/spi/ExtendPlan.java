package dev.rowlock.spi;

import java.util.Collections;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * How a database extends leases without ever waiting for a row lock: a row that another transaction
 * has locked cannot be claimed by anyone either, so it is left for the next beat.
 */
public sealed interface ExtendPlan {

  /**
   * One statement whose parameters are arrays of texts. Returns for each row that is still held:
   * 1-based position, whether it was extended (false: locked by another transaction), then the
   * model's fence and lease outputs, null for a row that was not extended.
   *
   * @param sql the statement
   */
  record Arrays(Sql sql) implements ExtendPlan {}

  /**
   * Row by row, each by one statement, which returns the model's fence and lease outputs; no row
   * means that the claim is not current. For databases where nobody locks single rows.
   *
   * @param sql the statement
   */
  record Each(Sql sql) implements ExtendPlan {}

  /**
   * Row by row.
   *
   * @param lock locks the row if the claim is current and nobody else has it locked
   * @param current returns a row if the claim is current, without locking
   * @param update extends
   * @param read returns the model's fence and lease outputs
   */
  record Rows(Sql lock, Sql current, Sql update, Sql read) implements ExtendPlan {}

  /**
   * Many rows by one statement, which holds them as {@link WritePlan.Lists} does. Returns for each
   * row that was extended its 1-based position, then the model's fence and lease outputs. Of a row
   * that is not among them, a second look tells whether it is lost.
   *
   * @param many by how many rows a statement holds, smallest first
   * @param current returns a row if one claim is current, or if that cannot be told because another
   *     transaction has the row locked; never waits
   */
  record Lists(NavigableMap<Integer, Sql> many, Sql current) implements ExtendPlan {
    /**
     * Copies the map.
     *
     * @param many see above
     * @param current see above
     */
    public Lists {
      many = Collections.unmodifiableNavigableMap(new TreeMap<>(many));
    }
  }

  /**
   * Many rows by a few statements, in one transaction; what is said of {@link Rows} holds.
   *
   * @param lock locks the rows whose claims are current and that nobody else has locked; returns
   *     their key columns
   * @param current returns the key columns of the rows whose claims are current, without locking
   * @param update extends rows by the same time
   * @param read returns the key columns, then the model's fence and lease outputs
   */
  record Sets(RowsSql lock, RowsSql current, RowsSql update, RowsSql read) implements ExtendPlan {}
}
