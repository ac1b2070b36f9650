package dev.rowlock.internal.worker;

import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.LeaseLostException;
import dev.rowlock.Outcome;
import java.sql.Connection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** A row held under a lease. */
final class LeaseRow extends Row {
  private final QueueRules rules;
  private volatile long deadline;
  private volatile boolean extendable = true;
  private volatile Function<Claim, Change> verdict;
  private volatile boolean doubtful;
  private volatile int refusals;

  /**
   * @param claimStarted when the claim was sent, by {@link System#nanoTime()}: the lease cannot end
   *     sooner than a lease's length after it
   */
  LeaseRow(Claim claim, QueueRules rules, long claimStarted) {
    super(claim);
    this.rules = rules;
    this.deadline = claimStarted + rules.lease();
  }

  @Override
  public void complete(Connection connection, Map<String, ?> results) {
    try {
      // Held for the statement, not for the caller's transaction: a keeper that comes meanwhile
      // finds the row locked and leaves the fence as it is.
      rules.exclusively(() -> completeIn(connection, results));
    } catch (LeaseLostException e) {
      cancel(Cancel.LEASE_LOST);
      throw e;
    }
  }

  private void completeIn(Connection connection, Map<String, ?> results) {
    boolean completed = completedByHandler();
    completedByHandler(true); // before the write: a keeper that finds the row done is not alarmed
    try {
      rules.queue().apply(connection, new Change.Complete(claim(), new LinkedHashMap<>(results)));
      completed = true;
    } finally {
      completedByHandler(completed);
    }
  }

  @Override
  public Connection connection() {
    throw new IllegalStateException(
        "queue '%s' is in lease mode: the claim has committed and no transaction is open; use a connection of your own and job.complete(connection), or choose mode transactional"
            .formatted(rules.queue().name()));
  }

  /** The lease was proved to be ours by a statement sent at this time. */
  void leasedFrom(long sent) {
    deadline = sent + rules.lease();
  }

  /** Whether the lease may have ended, by this machine's monotonic clock. */
  boolean overdue(long now) {
    return rules.expires() && now - deadline >= 0;
  }

  /** Lets the lease end by itself from now on. */
  void extendNoMore() {
    extendable = false;
  }

  boolean extendable() {
    return extendable;
  }

  void decide(Function<Claim, Change> change) {
    verdict = change;
  }

  /** Whether the write is one that any row must allow, so that there is nothing to fall back to. */
  boolean decidedToFail() {
    try {
      Change change = change();
      return change instanceof Change.Fail || change instanceof Change.Release;
    } catch (RuntimeException e) {
      return false; // the outcome was not even well formed
    }
  }

  /** The write that was decided on, with the newest claim. */
  Change change() {
    return verdict.apply(claim());
  }

  /** Equal for rows whose writes are of one kind, with the same results. */
  Object writeKind() {
    try {
      Change change = change();
      if (change instanceof Change.Complete complete) {
        return complete.results().keySet();
      } else if (change instanceof Change.Fail fail) {
        return rules.lastFailure(fail.claim(), new Outcome.Retry(fail.error(), fail.delay()));
      }
      return change.getClass();
    } catch (RuntimeException e) {
      return this; // not well formed: alone
    }
  }

  /** A write may have arrived although its answer did not; a later LOST is no alarm (P15). */
  void doubtful() {
    doubtful = true;
  }

  boolean isDoubtful() {
    return doubtful;
  }

  /** Counts writes that the database refused for this row. */
  int refused() {
    return ++refusals;
  }
}
