package dev.rowlock.internal.worker;

import dev.rowlock.Capability;
import dev.rowlock.Claim;
import dev.rowlock.Queue;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/** What the mapping means for rows held under a lease. Thread-safe. */
final class LeaseRules {
  private final Queue queue;
  private final Set<Capability> capabilities;
  private final long lease;

  /**
   * Without token and attempts the fence holds the lease's own times, which an extension changes.
   * Then extending and writing exclude one another, so that a write never carries yesterday's
   * fence.
   */
  private final ReentrantLock fenceLock;

  LeaseRules(Queue queue) {
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

  /** Whether a failure of this claim makes the row a dead letter. */
  boolean lastAttempt(Claim claim) {
    return has(Capability.RETRY_LIMIT)
        && claim.attempt().isPresent()
        && claim.attempt().getAsInt() >= claim.maxAttempts().orElse(queue.retry().maxAttempts());
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
