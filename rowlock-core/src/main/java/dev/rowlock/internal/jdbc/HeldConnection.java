package dev.rowlock.internal.jdbc;

import dev.rowlock.Fault;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * One connection that is kept for a long time, in autocommit at the dialect's level, and replaced
 * when it is broken. Not thread-safe.
 */
public final class HeldConnection implements AutoCloseable {
  private static final int CHECK_SECONDS = 5;
  private static final int MAX_TRIES = 5;

  private final String queue;
  private final Source source;
  private final int networkTimeoutMillis;
  private Borrowed borrowed;

  /**
   * Opens nothing yet.
   *
   * @param queue for messages
   * @param source where the connection comes from
   * @param networkTimeout after which silence of the server breaks the connection (C-066)
   */
  public HeldConnection(String queue, Source source, Duration networkTimeout) {
    this.queue = queue;
    this.source = source;
    this.networkTimeoutMillis =
        (int) Math.max(1, Math.min(networkTimeout.toMillis(), Integer.MAX_VALUE));
  }

  /** The connection, opened if there is none. */
  public Connection get() {
    for (int attempt = 1; borrowed == null; attempt++) {
      try {
        borrowed = new Borrowed(source, true, networkTimeoutMillis);
      } catch (SQLException e) {
        // Setting a connection up asks the database, which may fail as any statement may.
        if (!source.dialect().classify(e).retryable() || attempt == MAX_TRIES) {
          throw Failures.translate(queue, "connecting the lease keeper", e, Fault.CONNECTION);
        }
      }
    }
    return borrowed.connection();
  }

  /** Asks the server for a sign of life; fails if there is none. */
  public void check() {
    try {
      if (borrowed != null && !borrowed.connection().isValid(CHECK_SECONDS)) {
        throw new SQLException("the lease keeper's connection is broken", "08006");
      }
    } catch (SQLException e) {
      throw Failures.translate(queue, "extend", e, Fault.CONNECTION);
    }
  }

  /** Throws the connection away, so that no pool hands it out again; the next get opens another. */
  public void discard() {
    if (borrowed != null) {
      borrowed.markUseless();
      close();
    }
  }

  /** Gives the connection back as it came. */
  @Override
  public void close() {
    Borrowed mine = borrowed;
    borrowed = null;
    if (mine != null) {
      mine.close();
    }
  }
}
