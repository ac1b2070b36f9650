package dev.rowlock.internal.worker;

import dev.rowlock.Applied;
import dev.rowlock.Applied.Status;
import dev.rowlock.Capability;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.Fence;
import dev.rowlock.Handler;
import dev.rowlock.Key;
import dev.rowlock.Listener;
import dev.rowlock.Mapping;
import dev.rowlock.Mode;
import dev.rowlock.Queue;
import dev.rowlock.QueueBuilder;
import dev.rowlock.QueueStats;
import dev.rowlock.Recovery;
import dev.rowlock.RetryPolicy;
import dev.rowlock.Role;
import dev.rowlock.RowState;
import dev.rowlock.RowView;
import dev.rowlock.SqlListing;
import dev.rowlock.Verification;
import dev.rowlock.WorkerOptions;
import dev.rowlock.dialect.Dialects;
import dev.rowlock.internal.jdbc.Source;
import dev.rowlock.internal.store.Events;
import dev.rowlock.internal.store.Wakeups;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** A queue over a {@link FakeTable}, with faults and gates where a test wants them. */
final class FakeQueue implements Queue {
  final FakeTable table = new FakeTable();
  final FakeDataSource dataSource = new FakeDataSource(table);
  final Wakeups wakeups = new Wakeups();
  final List<Listener> listeners = new CopyOnWriteArrayList<>();
  final AtomicInteger claims = new AtomicInteger();
  final AtomicInteger extensions = new AtomicInteger();
  final List<Integer> limits = new CopyOnWriteArrayList<>();
  final List<List<Change>> writes = new CopyOnWriteArrayList<>();

  /** Runs before each operation, by name: to throw, to count, to block. */
  volatile Consumer<String> before = operation -> {};

  /** Runs after each operation has taken effect, by name: to lose the answer. */
  volatile Consumer<String> after = operation -> {};

  /** What the database refuses, and how. */
  volatile BiConsumer<Change, FakeTable.Row> check = (change, row) -> {};

  /** Rows whose columns cannot be read. */
  volatile Predicate<Key> unreadable = key -> false;

  private final Mapping mapping;
  private final Mode mode;
  private final Duration lease;
  private final RetryPolicy retry;

  FakeQueue(Mapping mapping, Mode mode, Duration lease, RetryPolicy retry) {
    this.mapping = mapping;
    this.mode = mode;
    this.lease = lease;
    this.retry = retry;
  }

  /** Everything is mapped; 3 attempts, no backoff; a lease that no test outlives. */
  static FakeQueue full() {
    return full(Duration.ofMinutes(5));
  }

  static FakeQueue full(Duration lease) {
    return new FakeQueue(all().build(), Mode.LEASE, lease, noDelay(3));
  }

  static RetryPolicy noDelay(int attempts) {
    return new RetryPolicy(attempts, Duration.ZERO, 1, Duration.ZERO, 0);
  }

  static Mapping.Builder all() {
    return bare()
        .column(Role.ATTEMPTS, "attempts")
        .column(Role.TOKEN, "token")
        .column(Role.LEASE_UNTIL, "locked_until")
        .column(Role.RUN_AT, "run_at")
        .column(Role.ERROR, "error")
        .column(Role.DEAD_AT, "dead_at");
  }

  static Mapping.Builder bare() {
    return Mapping.table("jobs")
        .key("id")
        .state("state", "ready", "processing", "done")
        .write("result");
  }

  FakeQueue insert(int rows) {
    for (int i = 1; i <= rows; i++) {
      table.insert(i);
    }
    return this;
  }

  WorkerContext context() {
    return new WorkerContext(
        this, new Source(dataSource, Dialects.named("h2")), new Events(listeners), wakeups);
  }

  @Override
  public WorkerOptions worker(Handler handler) {
    return QueueBuilder.workerOptions(options -> Workers.start(context(), options, handler))
        .threads(2)
        .batch(5)
        .poll(Duration.ofMillis(2), Duration.ofMillis(20))
        .maxBackoff(Duration.ofMillis(50));
  }

  static void await(CountDownLatch latch) {
    try {
      if (!latch.await(20, TimeUnit.SECONDS)) {
        throw new AssertionError("waited 20 s");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted", e);
    }
  }

  static DatabaseException fault(Fault fault) {
    return new DatabaseException(
        "injected " + fault, fault, new java.sql.SQLException("x", "99999"));
  }

  @Override
  public List<Claim> claim(int limit) {
    return claim(null, limit);
  }

  @Override
  public List<Claim> claim(Connection connection, int limit) {
    claims.incrementAndGet();
    limits.add(limit);
    before.accept("claim");
    List<Claim> claimed = new ArrayList<>();
    synchronized (table) {
      long now = System.nanoTime();
      for (FakeTable.Row row : table.all()) {
        boolean due = row.state().equals("ready") && row.runAt() - now <= 0;
        if (claimed.size() < limit && due && table.free(row.key(), FakeTable.raw(connection))) {
          FakeTable.Row held = row.claimed(now + lease.toNanos());
          table.put(held, connection);
          claimed.add(claim(held));
        }
      }
    }
    after.accept("claim");
    return claimed;
  }

  private Claim claim(FakeTable.Row row) {
    boolean counted = mapping.has(Role.ATTEMPTS);
    return new Claim.Builder("jobs", row.key())
        .fence(fence(row))
        .attempts(counted ? row.attempts() : null, null)
        .leaseUntil(Instant.EPOCH.plusNanos(row.leaseEnd()))
        .row(Map.of("id", row.key().get("id")))
        .problem(unreadable.test(row.key()) ? "column 'payload' is no JSON" : null)
        .build();
  }

  private Fence fence(FakeTable.Row row) {
    if (mapping.has(Role.TOKEN)) {
      return new Fence(Map.of(Role.TOKEN, "" + row.token()));
    } else if (mapping.has(Role.ATTEMPTS)) {
      return new Fence(Map.of(Role.ATTEMPTS, "" + row.attempts()));
    } else if (mapping.has(Role.LEASE_UNTIL)) {
      return new Fence(Map.of(Role.LEASE_UNTIL, "" + row.leaseEnd()));
    }
    return Fence.none();
  }

  @Override
  public List<Applied> apply(List<? extends Change> changes) {
    writes.add(List.copyOf(changes));
    return applyIn(null, changes, "apply");
  }

  @Override
  public List<Applied> apply(Connection connection, List<? extends Change> changes) {
    boolean extend = changes.get(0) instanceof Change.Extend;
    return applyIn(connection, changes, extend ? "extend" : "apply in transaction");
  }

  private List<Applied> applyIn(
      Connection connection, List<? extends Change> changes, String operation) {
    before.accept(operation);
    List<Applied> all = new ArrayList<>();
    synchronized (table) {
      changes.forEach(change -> refuse(change));
      changes.forEach(change -> all.add(applyOne(connection, change)));
    }
    after.accept(operation);
    return all;
  }

  private void refuse(Change change) {
    if (change instanceof Change.Snooze && !has(Capability.DELAY)) {
      throw new ConfigurationException("snooze needs run-at; map run-at");
    } else if (change instanceof Change.Dead && !has(Capability.DEAD_LETTER)) {
      throw new ConfigurationException("dead letters need a dead state or dead-at");
    } else if (change instanceof Change.Complete complete) {
      complete.results().keySet().stream()
          .filter(column -> !mapping.write().contains(column))
          .forEach(
              column -> {
                throw new IllegalArgumentException("column '" + column + "' is not in write");
              });
    }
    check.accept(change, table.get(change.claim().key()));
  }

  private boolean has(Capability capability) {
    return mapping.capabilities().contains(capability);
  }

  private Applied applyOne(Connection connection, Change change) {
    FakeTable.Row row = table.get(change.claim().key());
    if (!row.state().equals("processing") || !fence(row).equals(change.claim().fence())) {
      return new Applied(change, Status.LOST, change.claim());
    }
    if (!table.free(row.key(), FakeTable.raw(connection))) {
      if (change instanceof Change.Extend) {
        return new Applied(change, Status.BUSY, change.claim());
      }
      throw fault(Fault.LOCK_TIMEOUT);
    }
    long now = System.nanoTime();
    if (change instanceof Change.Complete complete) {
      table.put(row.done(complete.results().get("result")), connection);
      return new Applied(change, Status.COMPLETED, change.claim());
    } else if (change instanceof Change.Fail fail) {
      return fail(connection, fail, row, now);
    } else if (change instanceof Change.Dead dead) {
      table.put(row.failed("dead", dead.error(), 0), connection);
      return new Applied(change, Status.DEAD, change.claim());
    } else if (change instanceof Change.Snooze snooze) {
      table.put(row.failed("ready", row.error(), now + snooze.delay().toNanos()), connection);
      return new Applied(change, Status.SNOOZED, change.claim());
    } else if (change instanceof Change.Release) {
      table.put(row.released(), connection);
      return new Applied(change, Status.RELEASED, change.claim());
    }
    extensions.incrementAndGet();
    FakeTable.Row leased = row.leased(now + ((Change.Extend) change).by().toNanos());
    table.put(leased, null);
    return new Applied(change, Status.EXTENDED, change.claim().extended(fence(leased), null));
  }

  private Applied fail(Connection connection, Change.Fail fail, FakeTable.Row row, long now) {
    boolean dead = has(Capability.RETRY_LIMIT) && row.attempts() >= retry.maxAttempts();
    Duration delay = fail.delay().orElse(retry.delay(row.attempts(), 0));
    long runAt = has(Capability.DELAY) ? now + delay.toNanos() : 0;
    table.put(row.failed(dead ? "dead" : "ready", fail.error(), runAt), connection);
    return new Applied(fail, dead ? Status.DEAD : Status.RETRYING, fail.claim());
  }

  @Override
  public Recovery recover(int limit) {
    before.accept("recover");
    List<Key> ready = new ArrayList<>();
    synchronized (table) {
      for (FakeTable.Row row : table.all()) {
        boolean expired =
            row.state().equals("processing") && row.leaseEnd() - System.nanoTime() < 0;
        if (expired && ready.size() < limit && table.free(row.key(), null)) {
          table.put(row.with("ready"), null);
          ready.add(row.key());
        }
      }
    }
    return new Recovery(ready, List.of());
  }

  @Override
  public Recovery recover(Connection connection, int limit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public QueueStats stats() {
    before.accept("stats");
    synchronized (table) {
      boolean expires = has(Capability.EXPIRY);
      return new QueueStats(
          name(),
          Map.of(
              RowState.READY,
              table.count("ready"),
              expires ? RowState.PROCESSING : RowState.STUCK,
              table.count("processing"),
              RowState.DONE,
              table.count("done")),
          OptionalDouble.empty());
    }
  }

  @Override
  public List<RowView> list(RowState state, int limit) {
    before.accept("list");
    return List.of();
  }

  @Override
  public String name() {
    return "fake";
  }

  @Override
  public Mapping mapping() {
    return mapping;
  }

  @Override
  public Mode mode() {
    return mode;
  }

  @Override
  public Duration lease() {
    return lease;
  }

  @Override
  public RetryPolicy retry() {
    return retry;
  }

  @Override
  public String instance() {
    return "me";
  }

  @Override
  public void wake() {
    wakeups.committed();
  }

  @Override
  public Claim claim(String token) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<Key> resetUnfenced(List<Key> keys) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<Key> enqueue(List<? extends Map<String, ?>> rows) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<Key> enqueue(Connection connection, List<? extends Map<String, ?>> rows) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Optional<RowView> show(Key key) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Key key(String... values) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Verification verify() {
    throw new UnsupportedOperationException();
  }

  @Override
  public SqlListing sql() {
    throw new UnsupportedOperationException();
  }
}
