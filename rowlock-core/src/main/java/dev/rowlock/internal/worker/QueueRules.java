package dev.rowlock.internal.worker;

import dev.rowlock.Capability;
import dev.rowlock.Claim;
import dev.rowlock.Outcome;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.State;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/** What the mapping means for a worker. Thread-safe. */
final class QueueRules {
  private static final Set<Role> CLAIM_ROLES =
      EnumSet.of(Role.ATTEMPTS, Role.TOKEN, Role.CLAIMED_AT, Role.LEASE_UNTIL, Role.WORKER);

  private final Queue queue;
  private final Set<Capability> capabilities;
  private final long lease;

  /**
   * Without token and attempts the fence holds the lease's own times, which an extension changes.
   * Then extending and writing exclude one another, so that a write never carries yesterday's
   * fence.
   */
  private final ReentrantLock fenceLock;

  QueueRules(Queue queue) {
    this.queue = queue;
    this.capabilities = queue.mapping().capabilities();
    this.lease = Nanos.of(queue.lease());
    this.fenceLock = has(Capability.FENCE) ? null : new ReentrantLock();
  }

  Queue queue() {
    return queue;
  }

  /** The lease in nanoseconds. */
  long lease() {
    return lease;
  }

  boolean has(Capability capability) {
    return capabilities.contains(capability);
  }

  boolean expires() {
    return has(Capability.EXPIRY);
  }

  /** Whether a failure is this row's last, so that it need not wait for another attempt. */
  boolean lastFailure(Claim claim, Outcome.Retry retry) {
    if (!has(Capability.RETRY_LIMIT)) {
      return retry.delay().isEmpty() && failedIsTerminal();
    }
    return claim.attempt().isPresent()
        && claim.attempt().getAsInt() >= claim.maxAttempts().orElse(queue.retry().maxAttempts());
  }

  /** Where nothing counts attempts, a failed state that cannot be claimed is the end at once. */
  private boolean failedIsTerminal() {
    return queue.mapping().state().map(State::failedIsTerminal).orElse(false);
  }

  /** The failure with its delay, from failures counted here where the table does not count. */
  Outcome.Retry timed(Claim claim, Outcome.Retry retry, LocalBackoff failures) {
    if (has(Capability.RETRY_LIMIT) || lastFailure(claim, retry)) {
      return retry;
    }
    return new Outcome.Retry(
        retry.error(), Optional.of(failures.failed(claim.key(), retry.delay())));
  }

  /** How long a failed row is to wait. */
  Duration delay(Claim claim, Outcome.Retry retry) {
    return retry
        .delay()
        .orElseGet(() -> queue.retry().delay(claim.attempt().orElse(1), Nanos.random()));
  }

  /** Whether a claim changes its row, besides locking it. */
  boolean claimWrites() {
    return queue.mapping().state().flatMap(State::processing).isPresent()
        || CLAIM_ROLES.stream().anyMatch(queue.mapping()::has);
  }

  /** Whether a failed attempt leaves anything in the row; a bare outbox has no place for it. */
  boolean failureWrites() {
    return queue.mapping().state().isPresent()
        || queue.mapping().has(Role.ERROR)
        || queue.mapping().has(Role.RUN_AT)
        || claimWrites();
  }

  /** Whether a row that is claimed and given back is as it was, attempts included. */
  boolean releaseCostsNothing() {
    return !queue.mapping().has(Role.ATTEMPTS) || queue.mapping().has(Role.TOKEN);
  }

  void exclusively(Runnable work) {
    if (fenceLock == null) {
      work.run();
      return;
    }
    fenceLock.lock();
    try {
      work.run();
    } finally {
      fenceLock.unlock();
    }
  }
}
