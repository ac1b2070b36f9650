package dev.rowlock.spi;

import java.util.Optional;

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
   * Whether the plan is one statement, which commits by itself.
   *
   * @return false if its statements need a transaction around them
   */
  default boolean oneStatement() {
    return this instanceof OneStatement || this instanceof Unordered;
  }

  /**
   * For databases whose UPDATE returns rows in no order: one statement updates and returns the
   * model's outputs and, behind them, one value for each part of the claim order. By these the rows
   * are sorted: numbers come before text, text (by code point) before bytes, and NULL where the
   * order puts it.
   *
   * @param sql the statement, parameter {@code limit} among others
   */
  record Unordered(Sql sql) implements ClaimPlan {}

  /**
   * For databases that know one lock for all who write: take it, then go on. All in one
   * transaction.
   *
   * @param lock takes the lock and changes nothing
   * @param then what needs no more lock
   */
  record WriteLock(Sql lock, ClaimPlan then) implements ClaimPlan {}

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

  /**
   * For databases that lock every candidate that a sort reads, not just the rows that are wanted:
   * read candidates without a lock, then lock one after the other until there are enough. All in
   * one transaction.
   *
   * @param candidates returns the key columns in claim order, parameter {@code limit}; takes no
   *     lock
   * @param lock locks one row if it may still be claimed and nobody has it locked; no row otherwise
   * @param update changes one row; empty where the lock is the claim
   * @param read returns the model's outputs of one row
   */
  record LockEach(Sql candidates, Sql lock, Optional<Sql> update, Sql read) implements ClaimPlan {}
}
