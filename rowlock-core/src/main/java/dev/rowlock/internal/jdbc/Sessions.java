package dev.rowlock.internal.jdbc;

import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.spi.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Where all of Rowlock's own transactions are run: borrowed connection, timeouts, commit, bounded
 * retries, and SQL exceptions turned into {@link DatabaseException}. Thread-safe.
 */
public final class Sessions {
  private static final int MAX_TRIES = 8;

  private final String queue;
  private final Source source;
  private final Dialect dialect;
  private final int timeoutSeconds;
  private final RetryObserver observer;

  /** What is done with a session. */
  @FunctionalInterface
  public interface Work<T> {
    T run(Session session) throws SQLException;
  }

  /** Told of every failure that is tried again. */
  @FunctionalInterface
  public interface RetryObserver {
    void retried(String operation, Fault fault, int attempt);
  }

  /**
   * @param lease no statement may run as long as that; JDBC counts query timeouts in whole seconds
   */
  public Sessions(String queue, Source source, Duration lease, RetryObserver observer) {
    this.queue = queue;
    this.source = source;
    this.dialect = source.dialect();
    this.timeoutSeconds = (int) Math.max(1, Math.min(30, lease.toSeconds() / 3));
    this.observer = observer;
  }

  /** Runs one statement that commits by itself: one round trip. */
  public <T> T statement(String operation, Work<T> work) {
    return retrying(operation, true, work);
  }

  /** Runs several statements as one transaction. */
  public <T> T transaction(String operation, Work<T> work) {
    return retrying(operation, false, work);
  }

  /** Runs in the caller's transaction: no commit, no rollback, no retry. */
  public <T> T within(Connection connection, String operation, Work<T> work) {
    try {
      return work.run(new Session(connection, dialect, timeoutSeconds));
    } catch (SQLException e) {
      throw Failures.translate(queue, operation, e, dialect.classify(e));
    }
  }

  private <T> T retrying(String operation, boolean autoCommit, Work<T> work) {
    for (int attempt = 1; ; attempt++) {
      try {
        return once(autoCommit, work);
      } catch (SQLException e) {
        Fault fault = dialect.classify(e);
        if (!fault.retryable() || attempt == MAX_TRIES) {
          throw Failures.translate(queue, operation, e, fault);
        }
        observer.retried(operation, fault, attempt);
        pause(attempt, operation, e, fault);
      }
    }
  }

  private <T> T once(boolean autoCommit, Work<T> work) throws SQLException {
    try (Borrowed borrowed = new Borrowed(source, autoCommit, networkTimeoutMillis())) {
      try {
        T result = work.run(new Session(borrowed.connection(), dialect, timeoutSeconds));
        if (!autoCommit) {
          Commits.commit(borrowed.connection(), dialect);
        }
        return result;
      } catch (SQLException e) {
        sortOut(borrowed, dialect.classify(e));
        throw e;
      } catch (RuntimeException | Error e) {
        borrowed.rollback();
        throw e;
      }
    }
  }

  private static void sortOut(Borrowed borrowed, Fault fault) {
    switch (fault) {
      // A pool would hand the connection to the old primary out again for ever.
      case CONNECTION, READ_ONLY -> borrowed.markUseless();
      case SERIALIZATION -> {
        borrowed.doubtIsolation();
        borrowed.rollback();
      }
      default -> borrowed.rollback();
    }
  }

  private void pause(int attempt, String operation, SQLException e, Fault fault) {
    long millis = ThreadLocalRandom.current().nextLong(1L << Math.min(attempt, 8)) + 1;
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw Failures.translate(queue, operation, e, fault);
    }
  }

  /**
   * Above the query timeout, so that a slow statement is cancelled before its connection is cut.
   */
  private int networkTimeoutMillis() {
    return timeoutSeconds * 1000 + Math.min(1000 * timeoutSeconds, 5000);
  }
}
