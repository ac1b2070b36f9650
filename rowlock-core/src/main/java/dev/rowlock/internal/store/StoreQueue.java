package dev.rowlock.internal.store;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.Handler;
import dev.rowlock.Key;
import dev.rowlock.Mapping;
import dev.rowlock.Mode;
import dev.rowlock.Queue;
import dev.rowlock.QueueBuilder;
import dev.rowlock.QueueStats;
import dev.rowlock.Recovery;
import dev.rowlock.RetryPolicy;
import dev.rowlock.RowState;
import dev.rowlock.RowView;
import dev.rowlock.SqlListing;
import dev.rowlock.Verification;
import dev.rowlock.Worker;
import dev.rowlock.WorkerOptions;
import dev.rowlock.internal.jdbc.Session;
import dev.rowlock.internal.jdbc.Source;
import dev.rowlock.internal.jdbc.Values;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;

/** The queue as users hold it: hands every operation to the part that does it. */
final class StoreQueue implements Queue {
  private final Core core;
  private final Source source;
  private final BiFunction<WorkerOptions, Handler, Worker> workers;
  private final Claims claims;
  private final Applier applier;
  private final Rows rows;

  StoreQueue(Core core, Source source, QueueFactory.WorkerStarter starter) {
    this.core = core;
    this.source = source;
    this.workers =
        (options, handler) -> {
          core.sessions()
              .statement("start", Session::readOnly)
              .ifPresent(
                  reason -> {
                    throw QueueFactory.readOnly(core.name(), reason);
                  });
          return starter.start(this, source, core.events(), core.wakeups(), options, handler);
        };
    Values constants = Constants.of(core);
    ClaimReader reader = new ClaimReader(core.model(), core.lease());
    claims = new Claims(core, constants, reader);
    applier = new Applier(core, new Writes(core, constants, reader), reader);
    rows = new Rows(core, constants, reader);
  }

  @Override
  public String name() {
    return core.name();
  }

  @Override
  public String toString() {
    return "queue '%s' on %s (%s, %s)"
        .formatted(name(), core.model().table().quoted(), core.dialect().name(), mode().label());
  }

  @Override
  public Mapping mapping() {
    return core.model().mapping();
  }

  @Override
  public Mode mode() {
    return core.model().mode();
  }

  @Override
  public Duration lease() {
    return core.lease();
  }

  @Override
  public RetryPolicy retry() {
    return core.retry();
  }

  @Override
  public String instance() {
    return core.instance();
  }

  @Override
  public List<Claim> claim(int limit) {
    if (mode() == Mode.TRANSACTIONAL) {
      throw new ConfigurationException(
          "queue '%s' is in transactional mode: a claim lives in a transaction; use claim(connection, limit) or a worker, or mode: lease"
              .formatted(name()));
    }
    return claims.claim(limit);
  }

  @Override
  public List<Claim> claim(Connection connection, int limit) {
    return claims.claim(connection, limit);
  }

  @Override
  public Claim claim(String token) {
    return core.requireOwn(Claim.parse(token));
  }

  @Override
  public List<Applied> apply(List<? extends Change> changes) {
    if (mode() == Mode.TRANSACTIONAL) {
      throw new ConfigurationException(
          "queue '%s' is in transactional mode: use apply(connection, changes) in the transaction that claimed"
              .formatted(name()));
    }
    return applier.apply(null, changes);
  }

  @Override
  public List<Applied> apply(Connection connection, List<? extends Change> changes) {
    return applier.apply(Objects.requireNonNull(connection, "connection"), changes);
  }

  @Override
  public Recovery recover(int limit) {
    return claims.recover(limit);
  }

  @Override
  public Recovery recover(Connection connection, int limit) {
    return claims.recover(connection, limit);
  }

  @Override
  public List<Key> resetUnfenced(List<Key> keys) {
    return rows.resetUnfenced(keys);
  }

  @Override
  public List<Key> enqueue(List<? extends Map<String, ?>> newRows) {
    return rows.enqueue(newRows);
  }

  @Override
  public List<Key> enqueue(Connection connection, List<? extends Map<String, ?>> newRows) {
    return rows.enqueue(connection, newRows);
  }

  @Override
  public void wake() {
    core.wakeups().committed();
  }

  @Override
  public QueueStats stats() {
    return rows.stats();
  }

  @Override
  public boolean drained() {
    return rows.drained();
  }

  @Override
  public List<RowView> list(RowState state, int limit) {
    return rows.list(state, limit);
  }

  @Override
  public Optional<RowView> show(Key key) {
    return rows.show(key);
  }

  @Override
  public Key key(String... values) {
    return rows.key(values);
  }

  @Override
  public Verification verify() {
    return new Verifier(core, source, claims, applier, rows).verify();
  }

  @Override
  public SqlListing sql() {
    return Listing.of(core.model());
  }

  @Override
  public WorkerOptions worker(Handler handler) {
    Objects.requireNonNull(handler, "handler");
    return QueueBuilder.workerOptions(options -> workers.apply(options, handler));
  }
}
