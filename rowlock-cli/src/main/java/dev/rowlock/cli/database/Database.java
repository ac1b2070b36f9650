package dev.rowlock.cli.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import dev.rowlock.ConfigurationException;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;

/** A pool of connections to one database. */
public final class Database implements AutoCloseable {
  private static final long PATIENCE_MILLIS = 9_000;

  private final Target target;
  private final HikariDataSource pool;
  private final Optional<SharedFile> shared;

  private Database(Target target, HikariDataSource pool, Optional<SharedFile> shared) {
    this.shared = shared;
    this.target = target;
    this.pool = pool;
  }

  /**
   * Connects.
   *
   * @param target which database
   * @param size how many connections at most
   * @throws DatabaseException if the database cannot be reached within about ten seconds
   */
  public static Database open(Target target, int size) {
    // The embedded database's server listens on this machine alone.
    System.setProperty("h2.bindAddress", "127.0.0.1");
    HikariConfig config = new HikariConfig();
    config.setPoolName("rowlock");
    config.setDriverClassName(target.product().driver());
    config.setJdbcUrl(target.jdbcUrl());
    config.setDataSourceProperties(properties(target));
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(PATIENCE_MILLIS);
    config.setInitializationFailTimeout(1);
    Optional<SharedFile> shared = SharedFile.of(target);
    AtomicReference<HikariDataSource> pool = new AtomicReference<>();
    Runnable opening = () -> pool.set(new HikariDataSource(config));
    try {
      shared.ifPresentOrElse(file -> file.alone(opening), opening);
      return new Database(target, pool.get(), shared);
    } catch (PoolInitializationException e) {
      throw refused(target, e);
    }
  }

  private static Properties properties(Target target) {
    Properties properties = new Properties();
    properties.putAll(target.properties());
    target
        .product()
        .defaults()
        .forEach((key, value) -> putUnlessInUrl(properties, target.jdbcUrl(), key, value));
    return properties;
  }

  private static void putUnlessInUrl(Properties properties, String url, String key, String value) {
    if (!url.toLowerCase(Locale.ROOT).contains(key.toLowerCase(Locale.ROOT) + "=")) {
      properties.putIfAbsent(key, value);
    }
  }

  /** One line that says what was tried and why it failed. */
  private static RuntimeException refused(Target target, PoolInitializationException e) {
    Throwable cause = e.getCause() == null ? e : e.getCause();
    String said = String.valueOf(cause.getMessage()).replaceAll("\\s+", " ").strip();
    // The driver's "connection attempt failed" keeps the reason, an unknown host for one, in its
    // cause.
    Throwable why = cause.getCause();
    if (why != null && !said.contains(String.valueOf(why.getMessage()))) {
      said += " (" + why.toString().replaceAll("\\s+", " ").strip() + ")";
    }
    String message =
        "cannot connect to %s: %s".formatted(target, Secrets.hide(target.product().said(said)));
    if (cause instanceof SQLException sql && target.product().mistake(sql)) {
      return new ConfigurationException(message, e);
    }
    return new DatabaseException(
        message, Fault.CONNECTION, cause instanceof SQLException sql ? sql : null);
  }

  /** Where connections come from. */
  public DataSource dataSource() {
    return pool;
  }

  /** Which database it is. */
  public Target target() {
    return target;
  }

  @Override
  public void close() {
    shared.ifPresentOrElse(file -> file.alone(this::leave), pool::close);
  }

  private void leave() {
    SharedFile.waitForGuests(pool);
    pool.close();
  }
}
