package dev.rowlock;

import java.time.Duration;
import java.util.List;

/**
 * A running worker: it claims rows, runs the handler, completes, extends leases and recovers
 * expired rows until it is stopped. Thread-safe. Built with {@link Queue#worker(Handler)}.
 */
public interface Worker extends AutoCloseable {

  /** How a worker is. */
  enum Health {
    /** Works or waits for work. */
    UP,
    /** The last claims failed; it backs off and tries again. */
    DEGRADED,
    /** Takes no new rows; handlers are finishing. */
    STOPPING,
    /** Has ended. */
    STOPPED
  }

  /**
   * What a worker has done since it started.
   *
   * @param claimed rows claimed
   * @param completed rows completed
   * @param retried failed attempts that will be tried again
   * @param dead rows that became dead letters
   * @param snoozed rows that were snoozed
   * @param released rows given back unstarted
   * @param lost outcomes refused because the claim was no longer current
   * @param recovered expired rows recovered
   * @param stuck handlers that ignored their time limit and were given up
   */
  record Counts(
      long claimed,
      long completed,
      long retried,
      long dead,
      long snoozed,
      long released,
      long lost,
      long recovered,
      long stuck) {}

  /**
   * What was left when a worker stopped.
   *
   * @param counts what it had done
   * @param unfinished rows whose handlers did not end within the grace time; their leases end by
   *     themselves
   */
  record Report(Counts counts, List<Key> unfinished) {
    /**
     * Copies the list.
     *
     * @param counts see above
     * @param unfinished see above
     */
    public Report {
      unfinished = List.copyOf(unfinished);
    }
  }

  /**
   * How it is now.
   *
   * @return never null
   */
  Health health();

  /**
   * What it has done so far.
   *
   * @return a snapshot
   */
  Counts counts();

  /**
   * Rows that it holds at the moment.
   *
   * @return 0 or more
   */
  int inFlight();

  /** Looks for work at once instead of waiting for the next poll. */
  void wake();

  /**
   * Waits until nothing is left: no row is ready, scheduled, processing or expired, by a look that
   * takes no locks. An empty claim alone does not end the wait.
   *
   * @param atMost how long to wait
   * @return true if nothing is left, false if the time was up or the worker was stopped
   * @throws InterruptedException if interrupted while waiting
   */
  boolean awaitEmpty(Duration atMost) throws InterruptedException;

  /**
   * Stops: claims no more, releases rows whose handlers have not started, lets the others finish
   * while their leases are still extended, then interrupts them. Stopping twice is harmless; the
   * least patient call sets the grace time. A handler that stops its own worker does not wait: its
   * row is among those that the report calls unfinished, and is completed as always.
   *
   * @param grace how long handlers may take
   * @return what was done and what is left
   */
  Report stop(Duration grace);

  /** Stops with the grace time that was configured. */
  @Override
  void close();
}
