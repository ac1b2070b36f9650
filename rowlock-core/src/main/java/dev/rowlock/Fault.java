package dev.rowlock;

/** What kind of trouble a database reported, the same on every database. */
public enum Fault {
  /** The transaction could not be serialized with others. Retried. */
  SERIALIZATION(true),
  /** The transaction was chosen as a deadlock victim. Retried. */
  DEADLOCK(true),
  /** A lock could not be had in time. Retried. */
  LOCK_TIMEOUT(true),
  /** The statement ran longer than the query timeout. */
  TIMEOUT(false),
  /** The server, or this session, accepts no writes. */
  READ_ONLY(false),
  /** The connection could not be made or was lost; whether a commit arrived may be unknown. */
  CONNECTION(false),
  /** The database user may not do this. */
  PRIVILEGE(false),
  /** A table, column or type does not exist. */
  MISSING_OBJECT(false),
  /** A value does not fit its column. */
  DATA(false),
  /** A constraint was violated. */
  CONSTRAINT(false),
  /** A prepared statement vanished: a pooler in transaction mode stands between. */
  POOLER(false),
  /** Anything else. */
  OTHER(false);

  private final boolean retryable;

  Fault(boolean retryable) {
    this.retryable = retryable;
  }

  /**
   * Whether running the same transaction again may succeed at once.
   *
   * @return true for serialization failures, deadlocks and lock timeouts
   */
  public boolean retryable() {
    return retryable;
  }
}
