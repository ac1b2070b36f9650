package dev.rowlock.internal.jdbc;

import dev.rowlock.Fault;
import dev.rowlock.spi.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;

/**
 * The one transaction of a row in transactional mode: claim, handler, completion. Rolled back when
 * it is closed without a commit. For one thread, except {@link #abort()}.
 */
public final class WorkTransaction implements AutoCloseable {
  private final String queue;
  private final Borrowed borrowed;
  private final Dialect dialect;
  private final GuardedConnection guard;
  private Savepoint savepoint;

  private WorkTransaction(String queue, Borrowed borrowed, Dialect dialect) {
    this.queue = queue;
    this.borrowed = borrowed;
    this.dialect = dialect;
    this.guard = new GuardedConnection(borrowed.connection());
  }

  /**
   * Borrows a connection; the pool's network timeout stays, since the handler works with it too.
   */
  public static WorkTransaction begin(String queue, Source source) {
    try {
      return new WorkTransaction(queue, new Borrowed(source, false, -1), source.dialect());
    } catch (SQLException e) {
      throw Failures.translate(queue, "connecting", e, Fault.CONNECTION);
    }
  }

  /** For Rowlock's own statements. */
  public Connection connection() {
    return borrowed.connection();
  }

  /** For the handler: refuses what would end the transaction. */
  public Connection guarded() {
    return guard.connection();
  }

  /** Marks the point to which a failed handler's writes are undone. */
  public void mark() {
    run("savepoint", () -> savepoint = connection().setSavepoint());
  }

  /** Undoes what came after {@link #mark()}. */
  public void undo() {
    run("rollback to savepoint", () -> connection().rollback(savepoint));
  }

  public void commit() {
    run("commit", () -> Commits.commit(connection(), dialect));
  }

  public void rollback() {
    run("rollback", () -> connection().rollback());
  }

  /** Ends the handler's use of the connection. */
  public void revoke() {
    guard.revoke();
  }

  /**
   * Cuts the connection off while another thread uses it, so that the database frees the row. On a
   * thread of its own, since some drivers wait for the statement that runs.
   */
  public void abort() {
    guard.revoke();
    borrowed.markUseless();
    Thread aborting = new Thread(borrowed::close, "rowlock-" + queue + "-abort");
    aborting.setDaemon(true);
    aborting.start();
  }

  @Override
  public void close() {
    guard.revoke();
    borrowed.rollback();
    borrowed.close();
  }

  private interface Step {
    void run() throws SQLException;
  }

  private void run(String operation, Step step) {
    try {
      step.run();
    } catch (SQLException e) {
      Fault fault = dialect.classify(e);
      if (fault == Fault.CONNECTION || fault == Fault.READ_ONLY) {
        borrowed.markUseless();
      }
      throw Failures.translate(queue, operation, e, fault);
    }
  }
}
