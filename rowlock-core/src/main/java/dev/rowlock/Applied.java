package dev.rowlock;

/**
 * What became of a {@link Change}.
 *
 * @param change the change
 * @param status what happened
 * @param claim the claim to go on with: after an extension the one with the new lease end,
 *     otherwise the change's own
 */
public record Applied(Change change, Status status, Claim claim) {

  /** What happened to a change. */
  public enum Status {
    /** The row is done. */
    COMPLETED,
    /** The row waits for its next attempt. */
    RETRYING,
    /** The row is a dead letter. */
    DEAD,
    /** The row waits as the handler asked. */
    SNOOZED,
    /** The row is back, for anybody to claim. */
    RELEASED,
    /** The lease ends later now. */
    EXTENDED,
    /**
     * The lease was not extended because another transaction has locked the row; the claim is still
     * current, and nobody can claim the row while it is locked.
     */
    BUSY,
    /** The claim is no longer current; nothing was changed. */
    LOST
  }

  /**
   * Whether the change was refused because its claim is no longer current.
   *
   * @return true for {@link Status#LOST}
   */
  public boolean lost() {
    return status == Status.LOST;
  }
}
