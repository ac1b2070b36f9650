package dev.rowlock;

/**
 * What a mapped column means. Every role that a {@link Mapping} gives to a column switches on the
 * {@link Capability capabilities} that need it.
 */
public enum Role {
  /** Number of handler starts so far; counted when a row is claimed. Also a fence. */
  ATTEMPTS("attempts"),
  /** How many attempts this row may use; {@code NULL} means the queue's retry policy decides. */
  MAX_ATTEMPTS("max-attempts"),
  /** When the current claim was made. With the lease duration it says when the lease ends. */
  CLAIMED_AT("claimed-at"),
  /** When the lease of the current claim ends. */
  LEASE_UNTIL("lease-until"),
  /** The fencing token: a number that rises on every claim. */
  TOKEN("token"),
  /** Which worker instance holds the row. */
  WORKER("worker"),
  /** Not before this time; {@code NULL} means at once. May be the same column as the lease end. */
  RUN_AT("run-at"),
  /** Order of claiming, ascending, {@code NULL} last. */
  PRIORITY("priority"),
  /** Rows of one group are worked strictly one after the other; {@code NULL} means no group. */
  GROUP("group"),
  /** Text of the last failure, cut to the column's size. */
  ERROR("error"),
  /** When the row was completed. */
  DONE_AT("done-at"),
  /** When the row became a dead letter. */
  DEAD_AT("dead-at");

  private final String label;

  Role(String label) {
    this.label = label;
  }

  /**
   * The role as it is spelled in configuration files and messages.
   *
   * @return for example {@code lease-until}, never null
   */
  public String label() {
    return label;
  }
}
