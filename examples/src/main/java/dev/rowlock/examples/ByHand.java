package dev.rowlock.examples;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.LeaseLostException;
import dev.rowlock.Queue;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** The queue without a worker: claim, extend, complete, fail. */
public final class ByHand {
  private ByHand() {}

  /** Claims one row and finishes it. */
  public static boolean one(Queue queue) {
    // tag::by-hand
    for (Claim claim : queue.claim(1)) {
      try {
        Claim held = queue.extend(claim, Duration.ofMinutes(10));
        queue.complete(held, Map.of("rendered_title", "THE LAND GIRLS"));
        return true;
      } catch (LeaseLostException lost) {
        return false; // somebody else has the row now; nothing was changed
      }
    }
    // end::by-hand
    return false;
  }

  /** Finishes many rows by one statement and looks at each answer. */
  public static long batch(Queue queue) {
    // tag::batch
    List<Claim> claims = queue.claim(100);
    List<Change.Complete> changes = claims.stream().map(Change.Complete::new).toList();
    List<Applied> answers = queue.apply(changes);
    long lost = answers.stream().filter(Applied::lost).count();
    // end::batch
    return lost;
  }

  /** Enqueues in the caller's transaction. */
  public static void enqueue(DataSource dataSource, Queue queue) throws SQLException {
    // tag::enqueue
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      // ... your own writes ...
      queue.enqueue(connection, List.of(Map.of("id", 7, "title", "slam")));
      connection.commit(); // the row is there if, and only if, your writes are
    }
    queue.wake(); // workers in this process look at once
    // end::enqueue
  }
}
