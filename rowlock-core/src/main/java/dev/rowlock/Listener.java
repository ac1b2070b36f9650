package dev.rowlock;

import java.time.Duration;
import java.util.List;

/**
 * Sees everything that happens to a queue. All methods do nothing unless overridden, are called on
 * the thread where the event happened, and must be quick and thread-safe. What they throw is logged
 * and ignored.
 */
public interface Listener {

  /**
   * Rows were claimed; not called for an empty claim.
   *
   * @param queue name of the queue
   * @param claims at least one
   * @param took how long the claim took
   */
  default void claimed(String queue, List<Claim> claims, Duration took) {}

  /**
   * A claim found nothing.
   *
   * @param queue name of the queue
   */
  default void empty(String queue) {}

  /**
   * Rows were locked for a claim but the update did not change them: a trigger suppressed it.
   *
   * @param queue name of the queue
   * @param rows how many
   */
  default void suppressed(String queue, int rows) {}

  /**
   * A handler starts.
   *
   * @param queue name of the queue
   * @param claim the claim
   */
  default void started(String queue, Claim claim) {}

  /**
   * A handler ended.
   *
   * @param queue name of the queue
   * @param claim the claim
   * @param outcome what it said; an exception has become {@link Outcome.Retry}
   * @param took how long the handler ran
   */
  default void handled(String queue, Claim claim, Outcome outcome, Duration took) {}

  /**
   * A handler threw.
   *
   * @param queue name of the queue
   * @param claim the claim
   * @param thrown what it threw
   */
  default void threw(String queue, Claim claim, Throwable thrown) {}

  /**
   * A fenced write was carried out or refused. Extensions come through {@link #extended}.
   *
   * @param queue name of the queue
   * @param applied the change and its status
   */
  default void applied(String queue, Applied applied) {}

  /**
   * Leases were extended.
   *
   * @param queue name of the queue
   * @param extended how many
   * @param lost how many claims are no longer current
   */
  default void extended(String queue, int extended, int lost) {}

  /**
   * A claim turned out to be no longer current while its handler ran; the handler was told.
   *
   * @param queue name of the queue
   * @param claim the claim
   */
  default void leaseLost(String queue, Claim claim) {}

  /**
   * A handler ran longer than its limit and was interrupted.
   *
   * @param queue name of the queue
   * @param claim the claim
   * @param stuck true if it went on all the same; its thread is given up and replaced
   */
  default void timedOut(String queue, Claim claim, boolean stuck) {}

  /**
   * Expired rows were recovered; not called when there were none.
   *
   * @param queue name of the queue
   * @param recovery which rows
   */
  default void recovered(String queue, Recovery recovery) {}

  /**
   * Rows were enqueued through this queue.
   *
   * @param queue name of the queue
   * @param keys their keys
   */
  default void enqueued(String queue, List<Key> keys) {}

  /**
   * A transaction failed in a way that is tried again at once.
   *
   * @param queue name of the queue
   * @param operation for example {@code claim}
   * @param fault what kind of failure
   * @param attempt how often it has failed by now
   */
  default void retried(String queue, String operation, Fault fault, int attempt) {}

  /**
   * A worker's background work failed; the worker backs off and goes on.
   *
   * @param queue name of the queue
   * @param operation {@code claim}, {@code write}, {@code extend} or {@code recover}
   * @param error what happened
   * @param failures how many in a row
   */
  default void failed(String queue, String operation, RuntimeException error, int failures) {}

  /**
   * A worker changed its health.
   *
   * @param queue name of the queue
   * @param health the new health
   */
  default void health(String queue, Worker.Health health) {}
}
