package dev.rowlock.examples;

import dev.rowlock.Job;
import dev.rowlock.Mapping;
import dev.rowlock.Mode;
import dev.rowlock.Outcome;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Effects in the same database that happen once: two ways. */
public final class Payments {
  private final DataSource dataSource;

  /** Works on the given database. */
  public Payments(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  // tag::callers-transaction
  /** Lease mode: the booking and the completion commit together, or not at all. */
  public Outcome book(Job job) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      insertBooking(connection, job);
      job.complete(connection); // throws LeaseLostException if the row is no longer ours
      connection.commit();
      return Outcome.done(); // already written; Rowlock knows
    }
  }

  // end::callers-transaction

  // tag::transactional
  /** Transactional mode: claim, booking and completion are one transaction on one connection. */
  public Outcome bookInTheClaimsTransaction(Job job) throws SQLException {
    insertBooking(job.connection(), job);
    return Outcome.done();
  }

  // end::transactional

  /** An inbox that only has a marker: no state, no claim column, so transactional mode it is. */
  public Queue inbox() {
    // tag::inbox
    Mapping inbox =
        Mapping.table("payment_inbox")
            .key("id")
            .column(Role.DONE_AT, "processed_at")
            .column(Role.ATTEMPTS, "attempts")
            .column(Role.ERROR, "last_error")
            .column(Role.DEAD_AT, "dead_at")
            .read("amount")
            .build();

    Queue payments = Queue.builder("payments", dataSource, inbox).mode(Mode.TRANSACTIONAL).build();
    // end::inbox
    return payments;
  }

  private static void insertBooking(Connection connection, Job job) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO booking (payment, amount) VALUES (?, ?)")) {
      insert.setObject(1, job.get("id"));
      insert.setObject(2, job.get("amount"));
      insert.executeUpdate();
    }
  }
}
