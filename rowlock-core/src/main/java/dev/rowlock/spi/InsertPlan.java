package dev.rowlock.spi;

/** How a database inserts one row and tells its key. Parameters {@code v0}, {@code v1} … */
public sealed interface InsertPlan {

  /**
   * The statement.
   *
   * @return the statement
   */
  Sql sql();

  /**
   * The driver returns the key columns as generated keys, whatever made them.
   *
   * @param sql an INSERT
   */
  record Keys(Sql sql) implements InsertPlan {}

  /**
   * The statement returns the key columns as its result.
   *
   * @param sql an INSERT that returns one row
   */
  record Returning(Sql sql) implements InsertPlan {}

  /**
   * A second statement on the same connection tells the key.
   *
   * @param sql an INSERT
   * @param key returns the key columns; has the same parameters
   */
  record ThenRead(Sql sql, Sql key) implements InsertPlan {}
}
