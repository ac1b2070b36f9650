package dev.rowlock.conformance;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.conformance.kit.Faults;
import dev.rowlock.conformance.kit.Hygiene;
import dev.rowlock.conformance.kit.TableSpec;
import dev.rowlock.conformance.kit.Tap;
import dev.rowlock.conformance.kit.Tapped;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** What one test has for itself: a schema, pools that are watched, and a table maker. */
public final class Bench implements AutoCloseable {
  private final TestDatabase db;
  private final Schema schema;
  private final Hygiene hygiene = new Hygiene();
  private final List<HikariDataSource> pools = new ArrayList<>();
  private final Deque<AutoCloseable> closing = new ArrayDeque<>();
  private DataSource pool;

  Bench(TestDatabase db) {
    this.db = db;
    this.schema = db.fresh();
  }

  public TestDatabase db() {
    return db;
  }

  public Schema schema() {
    return schema;
  }

  /** A pool as applications have one. */
  public synchronized DataSource pool() {
    if (pool == null) {
      pool = pool(config -> {});
    }
    return pool;
  }

  /** One more pool, set up as an application might. */
  public DataSource pool(Consumer<HikariConfig> settings, Tap... taps) {
    return pool(schema.dataSource(), settings, taps);
  }

  /** A pool over another data source. */
  public DataSource pool(DataSource source, Consumer<HikariConfig> settings, Tap... taps) {
    List<Tap> all = new ArrayList<>(List.of(taps));
    all.add(hygiene);
    return Tapped.of(unwatchedPool(source, settings), all.toArray(Tap[]::new));
  }

  /** A pool for tests of a broken network, where looking at a connection's settings would hang. */
  public DataSource unwatchedPool(DataSource source, Consumer<HikariConfig> settings) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(source);
    config.setMaximumPoolSize(20);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(20_000);
    config.setInitializationFailTimeout(-1);
    settings.accept(config);
    HikariDataSource hikari = new HikariDataSource(config);
    pools.add(hikari);
    return hikari;
  }

  /** A pool whose calls go wrong as told. */
  public DataSource pool(Faults faults) {
    return pool(config -> {}, faults);
  }

  /** A time that has passed, as a literal: long before the database's clock, whatever ours says. */
  public String past() {
    return db.past();
  }

  public TableSpec table(String name) {
    return new TableSpec(this, null, name);
  }

  /** Closes something when the test ends, last first. */
  public <T extends AutoCloseable> T closing(T resource) {
    closing.push(resource);
    return resource;
  }

  Hygiene hygiene() {
    return hygiene;
  }

  @Override
  public void close() {
    while (!closing.isEmpty()) {
      try {
        closing.pop().close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
    pools.forEach(HikariDataSource::close);
    schema.close();
  }
}
