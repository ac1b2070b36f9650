package dev.rowlock;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;

/**
 * How a worker runs. Not thread-safe; frozen when {@link #start()} is called. Defaults: as many
 * handler threads as processors, claims of up to 10 rows, polls between 25 ms and 1 s, grace time
 * 30 s, no time limit for handlers.
 */
public final class WorkerOptions {
  private final Function<WorkerOptions, Worker> starter;
  private int threads = Runtime.getRuntime().availableProcessors();
  private int batch = 10;
  private Duration minPoll = Duration.ofMillis(25);
  private Duration maxPoll = Duration.ofSeconds(1);
  private Duration maxBackoff = Duration.ofSeconds(30);
  private Duration recoverEvery;
  private Duration timeLimit;
  private Duration grace = Duration.ofSeconds(30);
  private boolean virtualThreads = true;
  private DataSource leaseDataSource;

  WorkerOptions(Function<WorkerOptions, Worker> starter) {
    this.starter = starter;
  }

  /**
   * How many handlers run at once.
   *
   * @param count 1 or more
   * @return this
   */
  public WorkerOptions threads(int count) {
    threads = positive("threads", count);
    return this;
  }

  /**
   * How many rows one claim may take. Rows beyond the free threads wait in memory, under a lease
   * that is extended.
   *
   * @param rows 1 or more; at most 1000
   * @return this
   */
  public WorkerOptions batch(int rows) {
    batch = positive("batch", rows);
    if (rows > 1000) {
      throw new ConfigurationException("batch is " + rows + "; allowed: 1 to 1000");
    }
    return this;
  }

  /**
   * How long an idle worker waits between polls: from {@code shortest}, growing to {@code longest}
   * while nothing comes, each with jitter.
   *
   * @param shortest more than 0
   * @param longest not below {@code shortest}
   * @return this
   */
  public WorkerOptions poll(Duration shortest, Duration longest) {
    minPoll = positive("poll", shortest);
    maxPoll = positive("poll", longest);
    if (longest.compareTo(shortest) < 0) {
      throw new ConfigurationException(
          "longest poll interval %s is below the shortest %s".formatted(longest, shortest));
    }
    return this;
  }

  /**
   * The longest wait between tries while the database is away.
   *
   * @param longest more than 0
   * @return this
   */
  public WorkerOptions maxBackoff(Duration longest) {
    maxBackoff = positive("max backoff", longest);
    return this;
  }

  /**
   * How often this worker looks for expired rows, with jitter. By default a third of the lease, at
   * least 100 ms and at most 1 minute.
   *
   * @param interval more than 0
   * @return this
   */
  public WorkerOptions recoverEvery(Duration interval) {
    recoverEvery = positive("recover interval", interval);
    return this;
  }

  /**
   * How long one handler may run. After it the handler is interrupted, the attempt fails, and its
   * lease is not extended any more.
   *
   * @param limit more than 0
   * @return this
   */
  public WorkerOptions timeLimit(Duration limit) {
    timeLimit = positive("time limit", limit);
    return this;
  }

  /**
   * How long {@link Worker#close()} waits for handlers.
   *
   * @param time 0 or more
   * @return this
   */
  public WorkerOptions grace(Duration time) {
    if (Objects.requireNonNull(time, "grace").isNegative()) {
      throw new ConfigurationException("grace is " + time + "; allowed: 0 or more");
    }
    grace = time;
    return this;
  }

  /**
   * Whether handlers run on virtual threads where the JVM has them (21 or newer).
   *
   * @param wanted true by default; false for handlers that compute more than they wait
   * @return this
   */
  public WorkerOptions virtualThreads(boolean wanted) {
    virtualThreads = wanted;
    return this;
  }

  /**
   * Where the lease keeper takes its one connection from. It holds it as long as the worker runs,
   * so that handlers that use up the pool can never stop leases from being extended.
   *
   * @param dataSource by default the queue's own
   * @return this
   */
  public WorkerOptions leaseDataSource(DataSource dataSource) {
    leaseDataSource = Objects.requireNonNull(dataSource, "dataSource");
    return this;
  }

  /**
   * Starts the worker.
   *
   * @return the running worker
   * @throws ConfigurationException if the mapping cannot be worked
   * @throws DatabaseException if the server is read-only or the table cannot be read
   */
  public Worker start() {
    return starter.apply(copy());
  }

  private WorkerOptions copy() {
    WorkerOptions frozen = new WorkerOptions(starter);
    frozen.threads = threads;
    frozen.batch = batch;
    frozen.minPoll = minPoll;
    frozen.maxPoll = maxPoll;
    frozen.maxBackoff = maxBackoff;
    frozen.recoverEvery = recoverEvery;
    frozen.timeLimit = timeLimit;
    frozen.grace = grace;
    frozen.virtualThreads = virtualThreads;
    frozen.leaseDataSource = leaseDataSource;
    return frozen;
  }

  /**
   * Handlers at once.
   *
   * @return 1 or more
   */
  public int threads() {
    return threads;
  }

  /**
   * Rows for one claim.
   *
   * @return 1 or more
   */
  public int batch() {
    return batch;
  }

  /**
   * The shortest poll interval.
   *
   * @return more than 0
   */
  public Duration minPoll() {
    return minPoll;
  }

  /**
   * The longest poll interval.
   *
   * @return not below the shortest
   */
  public Duration maxPoll() {
    return maxPoll;
  }

  /**
   * The longest wait while the database is away.
   *
   * @return more than 0
   */
  public Duration maxBackoff() {
    return maxBackoff;
  }

  /**
   * The recovery interval.
   *
   * @return empty for the default
   */
  public Optional<Duration> recoverEvery() {
    return Optional.ofNullable(recoverEvery);
  }

  /**
   * The handlers' time limit.
   *
   * @return empty for none
   */
  public Optional<Duration> timeLimit() {
    return Optional.ofNullable(timeLimit);
  }

  /**
   * The grace time of {@link Worker#close()}.
   *
   * @return 0 or more
   */
  public Duration grace() {
    return grace;
  }

  /**
   * Whether virtual threads are wanted.
   *
   * @return true by default
   */
  public boolean virtualThreads() {
    return virtualThreads;
  }

  /**
   * Where the lease keeper's connection comes from.
   *
   * @return empty for the queue's own data source
   */
  public Optional<DataSource> leaseDataSource() {
    return Optional.ofNullable(leaseDataSource);
  }

  private static int positive(String what, int value) {
    if (value < 1) {
      throw new ConfigurationException(what + " is " + value + "; allowed: 1 or more");
    }
    return value;
  }

  private static Duration positive(String what, Duration value) {
    if (Objects.requireNonNull(value, what).isNegative() || value.isZero()) {
      throw new ConfigurationException(what + " is " + value + "; allowed: more than 0");
    }
    return value;
  }
}
