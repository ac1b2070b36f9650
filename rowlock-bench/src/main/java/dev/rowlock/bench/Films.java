package dev.rowlock.bench;

import dev.rowlock.Mapping;
import dev.rowlock.Role;
import java.sql.SQLException;

/** The table that is drained, and what it means. */
final class Films {
  static final Mapping MAPPING =
      Mapping.table("films")
          .key("id")
          .state("state", "ready", "processing", "done")
          .column(Role.ATTEMPTS, "attempts")
          .column(Role.TOKEN, "claim_no")
          .column(Role.LEASE_UNTIL, "locked_until")
          .column(Role.ERROR, "last_error")
          .read("title")
          .write("rendered_title")
          .build();

  private Films() {}

  /** Fills the table: every {@code stride}-th row is ready, the others are done. */
  static void fill(Server server, long rows, int stride) throws SQLException {
    server.execute(
        "DROP TABLE IF EXISTS films",
        """
        CREATE TABLE films (id int PRIMARY KEY, title text, state text DEFAULT 'ready',
          rendered_title text, attempts int DEFAULT 0, claim_no bigint DEFAULT 0,
          locked_until timestamptz, last_error text)
        """,
        """
        INSERT INTO films (id, title, state)
        SELECT i, 'The Film With Number ' || i, CASE WHEN i %% %d = 0 THEN 'ready' ELSE 'done' END
        FROM generate_series(1, %d) AS i
        """
            .formatted(stride, rows),
        "CREATE INDEX films_claim ON films (state, id)",
        "VACUUM ANALYZE films",
        "CHECKPOINT");
  }
}
