package dev.rowlock;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * How many rows are in which state, counted by one statement that takes no locks.
 *
 * @param queue name of the queue
 * @param counts rows by state; a state without rows may be missing
 * @param oldestReadySeconds how long the oldest claimable row has been due; empty if there is none
 *     or run-at is not mapped
 */
public record QueueStats(
    String queue, Map<RowState, Long> counts, OptionalDouble oldestReadySeconds) {

  /**
   * Copies the counts.
   *
   * @param queue see above
   * @param counts see above
   * @param oldestReadySeconds see above
   */
  public QueueStats {
    Map<RowState, Long> copy = new EnumMap<>(RowState.class);
    copy.putAll(counts);
    counts = Collections.unmodifiableMap(copy);
  }

  /**
   * Rows in a state.
   *
   * @param state the state
   * @return 0 or more
   */
  public long count(RowState state) {
    return counts.getOrDefault(state, 0L);
  }

  /**
   * Rows that are still to be worked on or being worked on. Stuck rows are not counted: nothing
   * will ever bring them back but a person.
   *
   * @return ready, scheduled, processing and expired rows
   */
  public long left() {
    return count(RowState.READY)
        + count(RowState.SCHEDULED)
        + count(RowState.PROCESSING)
        + count(RowState.EXPIRED);
  }
}
