package dev.rowlock.internal.jdbc;

import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import java.sql.SQLException;

/** Turns SQL exceptions into one line: what was being done, what the database said, what to do. */
public final class Failures {
  private Failures() {}

  public static DatabaseException translate(
      String queue, String operation, SQLException e, Fault fault) {
    return new DatabaseException(
        "queue '%s': %s failed: %s%s"
            .formatted(queue, operation, said(e), advice(fault, e.getSQLState())),
        fault,
        e);
  }

  /** The first line of what the driver said, with the cause if the driver hides it. */
  private static String said(SQLException e) {
    String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    String line = message.lines().findFirst().orElse("").strip();
    Throwable cause = e.getCause();
    if (cause != null && cause.getMessage() != null && !message.contains(cause.getMessage())) {
      line += " (" + cause.getMessage().lines().findFirst().orElse("").strip() + ")";
    }
    return e.getSQLState() == null ? line : line + " [SQLSTATE " + e.getSQLState() + "]";
  }

  private static String advice(Fault fault, String state) {
    return switch (fault) {
      case SERIALIZATION, DEADLOCK ->
          "; tried again several times; look for long transactions on the table";
      case LOCK_TIMEOUT, TIMEOUT ->
          "; another session may hold a lock on the whole table, or the index for claims is missing: see rowlock sql";
      case READ_ONLY -> "; connected to a read-only server: connect to the primary";
      case CONNECTION -> "; is the database running, and reachable under this URL?";
      case PRIVILEGE ->
          "; check user and password, and GRANT SELECT, UPDATE (INSERT to enqueue, DELETE where completion deletes) on the table";
      case MISSING_OBJECT -> "; was the table changed since the start? start again to read it anew";
      case POOLER ->
          "; a pooler in transaction mode stands between: set prepareThreshold=0 in the URL";
      case DATA -> "; a value does not fit its column";
      case CONSTRAINT -> constraint(String.valueOf(state));
      case OTHER -> "";
    };
  }

  private static String constraint(String state) {
    return switch (state) {
      case "23502" -> "; give that column a value";
      case "23505" -> "; there is such a row already";
      case "23503", "23506" -> "; the row that it refers to is missing";
      default -> "; a constraint forbids it; one on the state column must allow every mapped value";
    };
  }
}
