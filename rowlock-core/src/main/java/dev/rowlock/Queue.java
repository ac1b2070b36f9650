package dev.rowlock;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * A table that is worked as a queue. Thread-safe; holds no connection between calls. Methods
 * without a {@code Connection} run and commit their own transactions at READ COMMITTED, and try
 * serialization failures and deadlocks again, bounded; they throw {@link DatabaseException} when
 * that does not help. Methods with a {@code Connection} run in the caller's transaction, which they
 * never commit, roll back or retry.
 */
public interface Queue {

  /**
   * Starts to build a queue.
   *
   * @param name a name for messages and metrics
   * @param dataSource where connections come from; a pool of 2 or more
   * @param mapping which table and columns mean what
   * @return a builder
   */
  static QueueBuilder builder(String name, DataSource dataSource, Mapping mapping) {
    return new QueueBuilder(name, dataSource, mapping);
  }

  /**
   * The statements for a mapping on a database that is not connected. Column types are unknown, so
   * parameters are not cast.
   *
   * @param dialect one of {@link #dialects()}
   * @param name a name for messages
   * @param mapping the mapping
   * @return the listing
   * @throws ConfigurationException if there is no such dialect
   */
  static SqlListing sql(String dialect, String name, Mapping mapping) {
    return dev.rowlock.internal.Wiring.sql(dialect, name, mapping);
  }

  /**
   * The names of the databases that are spoken.
   *
   * @return for example {@code postgresql}
   */
  static List<String> dialects() {
    return dev.rowlock.internal.Wiring.dialects();
  }

  /**
   * The queue's name.
   *
   * @return never null
   */
  String name();

  /**
   * The mapping as it was given.
   *
   * @return never null
   */
  Mapping mapping();

  /**
   * The transaction mode.
   *
   * @return never null
   */
  Mode mode();

  /**
   * How long a claim lasts unless it is extended.
   *
   * @return more than 0
   */
  Duration lease();

  /**
   * The retry policy.
   *
   * @return never null
   */
  RetryPolicy retry();

  /**
   * The name of this worker instance: the worker name and a random part that is new at every start.
   *
   * @return what is written to the worker column
   */
  String instance();

  /**
   * Claims rows. An empty list means that nothing could be claimed now, not that nothing is left.
   *
   * @param limit 1 or more
   * @return at most {@code limit} claims in claim order
   */
  List<Claim> claim(int limit);

  /**
   * Claims rows in the caller's transaction; the claim counts when the caller commits.
   *
   * @param connection the caller's connection
   * @param limit 1 or more
   * @return at most {@code limit} claims in claim order
   */
  List<Claim> claim(Connection connection, int limit);

  /**
   * Reads a claim's text form.
   *
   * @param token what {@link Claim#token()} gave
   * @return the claim, without read columns
   * @throws ConfigurationException if it is no token or belongs to another table
   */
  Claim claim(String token);

  /**
   * Carries out fenced writes in one transaction. Each row's fence decides for itself: a lost one
   * does not stop the others. If the database refuses one (a {@link DatabaseException}), none is
   * done.
   *
   * @param changes any mixture, each claim at most once
   * @return what happened to each, in the same order
   */
  List<Applied> apply(List<? extends Change> changes);

  /**
   * Carries out fenced writes in the caller's transaction.
   *
   * @param connection the caller's connection
   * @param changes any mixture, each claim at most once
   * @return what happened to each, in the same order
   */
  List<Applied> apply(Connection connection, List<? extends Change> changes);

  /**
   * Carries out one fenced write.
   *
   * @param change the change
   * @return what happened
   * @throws LeaseLostException if the claim is no longer current
   */
  default Applied apply(Change change) {
    return orLost(apply(List.of(change)).get(0));
  }

  /**
   * Carries out one fenced write in the caller's transaction.
   *
   * @param connection the caller's connection
   * @param change the change
   * @return what happened
   * @throws LeaseLostException if the claim is no longer current
   */
  default Applied apply(Connection connection, Change change) {
    return orLost(apply(connection, List.of(change)).get(0));
  }

  /**
   * Completes a row.
   *
   * @param claim the claim
   * @throws LeaseLostException if the claim is no longer current
   */
  default void complete(Claim claim) {
    apply(new Change.Complete(claim));
  }

  /**
   * Completes a row with results.
   *
   * @param claim the claim
   * @param results write column to new value
   * @throws LeaseLostException if the claim is no longer current
   */
  default void complete(Claim claim, Map<String, Object> results) {
    apply(new Change.Complete(claim, results));
  }

  /**
   * Completes a row in the caller's transaction.
   *
   * @param connection the caller's connection
   * @param claim the claim
   * @param results write column to new value
   * @throws LeaseLostException if the claim is no longer current
   */
  default void complete(Connection connection, Claim claim, Map<String, Object> results) {
    apply(connection, new Change.Complete(claim, results));
  }

  /**
   * Records a failed attempt.
   *
   * @param claim the claim
   * @param error what went wrong
   * @return whether the row is tried again or is a dead letter now
   * @throws LeaseLostException if the claim is no longer current
   */
  default Applied.Status fail(Claim claim, String error) {
    return apply(new Change.Fail(claim, error, Optional.empty())).status();
  }

  /**
   * Extends the lease.
   *
   * @param claim the claim
   * @param by how long from now
   * @return the claim to go on with
   * @throws LeaseLostException if the claim is no longer current
   */
  default Claim extend(Claim claim, Duration by) {
    return apply(new Change.Extend(claim, by)).claim();
  }

  /**
   * Gives a row back.
   *
   * @param claim the claim
   * @throws LeaseLostException if the claim is no longer current
   */
  default void release(Claim claim) {
    apply(new Change.Release(claim));
  }

  /**
   * Gives a row back for later.
   *
   * @param claim the claim
   * @param delay how long
   * @throws LeaseLostException if the claim is no longer current
   */
  default void snooze(Claim claim, Duration delay) {
    apply(new Change.Snooze(claim, delay));
  }

  /**
   * Recovers rows whose lease has ended.
   *
   * @param limit how many at most, 1 or more
   * @return which rows
   * @throws ConfigurationException if the mapping has no claim time, so that nothing can be
   *     recovered automatically; {@link #list} with {@link RowState#STUCK} shows the rows
   */
  Recovery recover(int limit);

  /**
   * Recovers rows whose lease has ended, in the caller's transaction.
   *
   * @param connection the caller's connection
   * @param limit how many at most, 1 or more
   * @return which rows
   */
  Recovery recover(Connection connection, int limit);

  /**
   * Makes claimed rows ready again although nothing proves that their workers are gone. A late
   * completion by such a worker can not be told from the next one's: for a person who knows.
   *
   * @param keys rows that are stuck or expired
   * @return those that were reset
   */
  List<Key> resetUnfenced(List<Key> keys);

  /**
   * Inserts rows. The state is ready unless a row says otherwise; counters that need a value are 0.
   *
   * @param rows column to value
   * @return their keys, in the same order
   */
  List<Key> enqueue(List<? extends Map<String, ?>> rows);

  /**
   * Inserts rows in the caller's transaction. Workers of this process look more often for a while,
   * since they cannot see the commit; {@link #wake()} after the commit is quicker.
   *
   * @param connection the caller's connection
   * @param rows column to value
   * @return their keys, in the same order
   */
  List<Key> enqueue(Connection connection, List<? extends Map<String, ?>> rows);

  /** Lets workers of this queue object look for work at once. */
  void wake();

  /**
   * Counts rows by state, without locks.
   *
   * @return the counts
   */
  QueueStats stats();

  /**
   * Whether nothing is left: no row is ready, scheduled, processing or expired. Looks by index
   * where there is one, without locks, and is much cheaper than {@link #stats()} on a large table.
   *
   * @return true if nothing is left; stuck rows do not count, as in {@link QueueStats#left()}
   */
  default boolean drained() {
    return stats().left() == 0;
  }

  /**
   * Looks at rows of one state, in claim order, without locks.
   *
   * @param state which
   * @param limit how many at most
   * @return the rows
   */
  List<RowView> list(RowState state, int limit);

  /**
   * Looks at one row, without locks.
   *
   * @param key which
   * @return empty if there is no such row
   */
  Optional<RowView> show(Key key);

  /**
   * Makes a key from text.
   *
   * @param values one text for each key column, in mapped order
   * @return the key with values of the columns' types
   * @throws ConfigurationException if there are too few or many, or one does not fit its column
   */
  Key key(String... values);

  /**
   * Plays the two-session check on the real table and looks at what claiming needs. Everything is
   * rolled back.
   *
   * @return what was seen
   */
  Verification verify();

  /**
   * Every statement that is run for this mapping.
   *
   * @return the listing
   */
  SqlListing sql();

  /**
   * Starts to build a worker.
   *
   * @param handler the user's code
   * @return options; call {@link WorkerOptions#start()}
   */
  WorkerOptions worker(Handler handler);

  private Applied orLost(Applied applied) {
    if (applied.lost()) {
      String operation =
          applied.change().getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT);
      throw new LeaseLostException(name(), operation, applied.claim());
    }
    return applied;
  }
}
