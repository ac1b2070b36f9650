package dev.rowlock.internal.jdbc;

import java.sql.SQLException;
import java.sql.Savepoint;

/** A transaction that is always rolled back: for trying statements on real rows without a trace. */
public final class Rehearsal implements AutoCloseable {
  private static final int TIMEOUT_SECONDS = 10;

  private final Borrowed borrowed;
  private final Session session;

  public Rehearsal(Source source) throws SQLException {
    this(source, TIMEOUT_SECONDS);
  }

  /** For statements that are expected to have to wait. */
  public Rehearsal(Source source, int timeoutSeconds) throws SQLException {
    borrowed = new Borrowed(source, false, 2 * TIMEOUT_SECONDS * 1000);
    session = new Session(borrowed.connection(), source.dialect(), timeoutSeconds);
  }

  public Session session() {
    return session;
  }

  /** Tries something and undoes it, so that the transaction can go on whatever happened. */
  public <T> T attempt(Sessions.Work<T> work) throws SQLException {
    Savepoint before = borrowed.connection().setSavepoint();
    try {
      return work.run(session);
    } finally {
      borrowed.connection().rollback(before);
    }
  }

  public void rollback() throws SQLException {
    borrowed.connection().rollback();
  }

  @Override
  public void close() {
    borrowed.rollback();
    borrowed.close();
  }
}
