package dev.rowlock.spi;

/** How a database claims rows of one ready value. */
public sealed interface ClaimPlan {

  /**
   * One statement locks, updates and returns the model's outputs in claim order, all null for a row
   * that was locked but not changed.
   *
   * @param sql the statement, parameter {@code limit} among others
   */
  record OneStatement(Sql sql) implements ClaimPlan {}

  /**
   * A locking read is all: the mapping has nothing that a claim writes (transactional mode only).
   * Returns the model's outputs in claim order.
   *
   * @param sql the statement
   */
  record LockOnly(Sql sql) implements ClaimPlan {}

  /**
   * For databases that cannot return what they update: lock and return the keys in claim order,
   * update by key, read by key, all in one transaction.
   *
   * @param lock returns the key columns in claim order
   * @param update changes one row
   * @param read returns the model's outputs of one row
   */
  record LockThenUpdate(Sql lock, Sql update, Sql read) implements ClaimPlan {}
}
