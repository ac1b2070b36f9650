package dev.rowlock.spi;

/** How a database recovers expired rows, bounded and skipping locked ones. */
public sealed interface RecoverPlan {

  /**
   * One statement; returns the key columns and, last, whether the row is dead now.
   *
   * @param sql the statement, parameter {@code limit} among others
   */
  record OneStatement(Sql sql) implements RecoverPlan {}

  /**
   * Lock first, then update row by row, in one transaction.
   *
   * @param lock returns the key columns and, last, whether the row has used up its attempts
   * @param ready makes one row ready again
   * @param dead makes one row a dead letter
   */
  record LockThenUpdate(Sql lock, Sql ready, Sql dead) implements RecoverPlan {}

  /**
   * Lock first, then update all that get the same, in one transaction.
   *
   * @param lock returns the key columns and, last, whether the row has used up its attempts
   * @param ready makes rows ready again
   * @param dead makes rows dead letters
   */
  record LockThenSet(Sql lock, RowsSql ready, RowsSql dead) implements RecoverPlan {}
}
