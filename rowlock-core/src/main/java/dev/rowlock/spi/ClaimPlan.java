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

  /**
   * As {@link LockEach}, for databases that can walk the candidates and lock as they go: one
   * statement locks as many as are wanted, one changes all of them, one reads them. All in one
   * transaction.
   *
   * @param candidates returns the key columns in claim order, parameter {@code window}; takes no
   *     lock
   * @param lock reads the candidates, locks {@code limit} of the {@code window} that may still be
   *     claimed and that nobody has locked, and returns their key columns in claim order
   * @param group looks again at a locked row where one row of a group at a time is claimed
   * @param update changes the rows; empty where the lock is the claim
   * @param read returns the model's outputs of those of the rows that are claimed, in any order
   */
  record LockThenSet(
      Sql candidates, Sql lock, Optional<Group> group, Optional<RowsSql> update, RowsSql read)
      implements ClaimPlan {}

  /**
   * What is asked about one locked row's group: its claims by others may not be committed yet.
   *
   * @param first returns a row if the locked row may be claimed by what is committed now
   * @param busy returns a row if somebody else has a row of its group locked
   */
  record Group(Sql first, Sql busy) {}
}
