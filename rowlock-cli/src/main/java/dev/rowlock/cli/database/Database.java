package dev.rowlock.cli.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import dev.rowlock.ConfigurationException;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.h2.api.ErrorCode;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.h2.jdbc.JdbcException;

/** A pool of connections to one database. */
public final class Database implements AutoCloseable {
  private static final long PATIENCE_MILLIS = 9_000;

  /** For processes that open the embedded database all at once. */
  private static final Duration START_PATIENCE = Duration.ofSeconds(10);

  private static final Set<Integer> STARTING =
      Set.of(
          ErrorCode.ERROR_OPENING_DATABASE_1,
          ErrorCode.DATABASE_ALREADY_OPEN_1,
          ErrorCode.CONNECTION_BROKEN_1);

  /** For what other processes do through this one, when this one is done. */
  private static final Duration GUEST_PATIENCE = Duration.ofSeconds(3);

  private static final String GUESTS =
      "SELECT COUNT(*) FROM INFORMATION_SCHEMA.SESSIONS WHERE CLIENT_ADDR IS NOT NULL";

  private final Target target;
  private final HikariDataSource pool;

  private Database(Target target, HikariDataSource pool) {
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
    config.setDriverClassName(target.postgres() ? "org.postgresql.Driver" : "org.h2.Driver");
    config.setJdbcUrl(target.jdbcUrl());
    config.setDataSourceProperties(properties(target));
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(PATIENCE_MILLIS);
    config.setInitializationFailTimeout(1);
    long end = System.nanoTime() + START_PATIENCE.toNanos();
    while (true) {
      try {
        return new Database(target, new HikariDataSource(config));
      } catch (PoolInitializationException e) {
        if (!shared(target) || !starting(e) || System.nanoTime() >= end || !pause()) {
          throw refused(target, e);
        }
      }
    }
  }

  /** Whether it is a file that one process opens and serves to the others. */
  private static boolean shared(Target target) {
    return target.jdbcUrl().contains(";AUTO_SERVER=TRUE");
  }

  /** Whether another process is about to open the embedded database, and will serve this one. */
  private static boolean starting(PoolInitializationException e) {
    for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof JdbcException h2 && STARTING.contains(h2.getErrorCode())) {
        return true;
      }
    }
    return false;
  }

  private static boolean pause() {
    try {
      Thread.sleep(ThreadLocalRandom.current().nextLong(50, 400));
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static Properties properties(Target target) {
    Properties properties = new Properties();
    properties.putAll(target.properties());
    if (target.postgres()) {
      String url = target.jdbcUrl();
      putUnlessInUrl(properties, url, "connectTimeout", "8");
      putUnlessInUrl(properties, url, "loginTimeout", "9");
      putUnlessInUrl(properties, url, "ApplicationName", "rowlock");
      putUnlessInUrl(properties, url, "tcpKeepAlive", "true");
    }
    return properties;
  }

  private static void putUnlessInUrl(Properties properties, String url, String key, String value) {
    if (!url.contains(key + "=")) {
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
    String state = cause instanceof SQLException sql ? String.valueOf(sql.getSQLState()) : "";
    String message = "cannot connect to %s: %s".formatted(target, Secrets.hide(said));
    boolean wrong =
        state.startsWith("28")
            || state.startsWith("3D")
            || state.equals("08004")
            || state.startsWith("90013");
    if (wrong) {
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
    try {
      if (shared(target)) {
        waitForGuests();
      }
    } finally {
      pool.close();
    }
  }

  /** A short command that happens to serve others must not take the database away from them. */
  private void waitForGuests() {
    long end = System.nanoTime() + GUEST_PATIENCE.toNanos();
    try (Connection connection = pool.getConnection();
        PreparedStatement guests = connection.prepareStatement(GUESTS)) {
      boolean serves = connection.unwrap(JdbcConnection.class).getSession() instanceof SessionLocal;
      while (serves && count(guests) > 0 && System.nanoTime() < end && pause()) {
        // Once more.
      }
    } catch (SQLException e) {
      // The database is gone: nothing is to be served.
    }
  }

  private static long count(PreparedStatement query) throws SQLException {
    try (ResultSet rows = query.executeQuery()) {
      return rows.next() ? rows.getLong(1) : 0;
    }
  }
}
