package dev.rowlock.spi;

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
}
