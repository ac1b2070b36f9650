package dev.rowlock;

import java.util.Objects;

/**
 * A write was refused because its claim is no longer current: the lease ended and the row was
 * recovered, claimed by another, or finished already. Nothing was changed.
 */
public class LeaseLostException extends RowlockException {
  private static final long serialVersionUID = 1L;

  private final transient Claim claim;

  /**
   * For a claim.
   *
   * @param queue name of the queue
   * @param operation what was refused, for example {@code complete}
   * @param claim the claim that is no longer current, not null
   */
  public LeaseLostException(String queue, String operation, Claim claim) {
    super(
        "queue '%s': %s of row %s was refused: the claim (%s) is no longer current; nothing was changed"
            .formatted(queue, operation, claim.key(), claim.fence()));
    this.claim = Objects.requireNonNull(claim, "claim");
  }

  /**
   * The claim that was lost.
   *
   * @return the claim; null only after this exception was serialized
   */
  public Claim claim() {
    return claim;
  }
}
