package dev.rowlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import javax.sql.DataSource;

/** Builds a {@link Queue}. Not thread-safe. Defaults: lease mode, 5 minutes, 5 attempts. */
public final class QueueBuilder {
  private final String name;
  private final DataSource dataSource;
  private final Mapping mapping;
  private Mode mode = Mode.LEASE;
  private Duration lease = Duration.ofMinutes(5);
  private RetryPolicy retry = RetryPolicy.defaults();
  private String workerName;
  private final List<Listener> listeners = new ArrayList<>();

  QueueBuilder(String name, DataSource dataSource, Mapping mapping) {
    this.name = Objects.requireNonNull(name, "name");
    this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
    this.mapping = Objects.requireNonNull(mapping, "mapping");
  }

  /**
   * The transaction mode.
   *
   * @param value lease by default
   * @return this
   */
  public QueueBuilder mode(Mode value) {
    mode = Objects.requireNonNull(value, "mode");
    return this;
  }

  /**
   * How long a claim lasts unless it is extended. Workers extend it three times as often as it
   * ends.
   *
   * @param value at least 1 ms; 5 minutes by default. Below 3 s, query timeouts (whole seconds in
   *     JDBC) are no longer shorter than the lease
   * @return this
   */
  public QueueBuilder lease(Duration value) {
    if (Objects.requireNonNull(value, "lease").toMillis() < 1) {
      throw new ConfigurationException("lease is " + value + "; allowed: 1 ms or more");
    }
    lease = value;
    return this;
  }

  /**
   * The retry policy.
   *
   * @param value see {@link RetryPolicy#defaults()}
   * @return this
   */
  public QueueBuilder retry(RetryPolicy value) {
    retry = Objects.requireNonNull(value, "retry");
    return this;
  }

  /**
   * A name for this worker, to which a random part is added.
   *
   * @param value host name and process id by default
   * @return this
   */
  public QueueBuilder workerName(String value) {
    workerName = value;
    return this;
  }

  /**
   * Adds a listener.
   *
   * @param listener sees every event of the queue and its workers
   * @return this
   */
  public QueueBuilder listener(Listener listener) {
    listeners.add(Objects.requireNonNull(listener, "listener"));
    return this;
  }

  /**
   * Connects, finds the dialect, looks at the table and freezes.
   *
   * @return the queue
   * @throws ConfigurationException if the database is not supported, or table, columns and mapping
   *     do not fit together
   * @throws DatabaseException if the database cannot be reached
   */
  public Queue build() {
    return dev.rowlock.internal.Wiring.queue(this);
  }

  /**
   * The queue's name.
   *
   * @return never null
   */
  public String name() {
    return name;
  }

  /**
   * Where connections come from.
   *
   * @return never null
   */
  public DataSource dataSource() {
    return dataSource;
  }

  /**
   * The mapping.
   *
   * @return never null
   */
  public Mapping mapping() {
    return mapping;
  }

  /**
   * The mode.
   *
   * @return never null
   */
  public Mode mode() {
    return mode;
  }

  /**
   * The lease.
   *
   * @return more than 0
   */
  public Duration lease() {
    return lease;
  }

  /**
   * The retry policy.
   *
   * @return never null
   */
  public RetryPolicy retry() {
    return retry;
  }

  /**
   * The worker's name.
   *
   * @return null for the default
   */
  public String workerName() {
    return workerName;
  }

  /**
   * The listeners.
   *
   * @return a copy
   */
  public List<Listener> listeners() {
    return List.copyOf(listeners);
  }

  /**
   * Worker options that start workers in a given way; for Rowlock's own use.
   *
   * @param starter what {@link WorkerOptions#start()} calls
   * @return options with defaults
   */
  public static WorkerOptions workerOptions(Function<WorkerOptions, Worker> starter) {
    return new WorkerOptions(starter);
  }
}
