package dev.rowlock.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;

/**
 * The same work by hand: each thread claims a batch, upper-cases the titles and completes the batch
 * under its fence, two statements and two commits a batch. No lease keeper, no retries, no
 * recovery, nothing counted: what a careful programmer would write first.
 */
final class RawDrain {
  private static final String CLAIM =
      """
      WITH next AS MATERIALIZED (
        SELECT id FROM films WHERE %s AND attempts < 5
        ORDER BY %s LIMIT %d FOR NO KEY UPDATE SKIP LOCKED)
      UPDATE films AS f SET state = 'processing', attempts = attempts + 1, claim_no = claim_no + 1,
        locked_until = statement_timestamp() + interval '5 minutes'
      FROM next AS n WHERE f.id = n.id RETURNING f.id, f.claim_no, f.title
      """;

  private static final String COMPLETE =
      """
      UPDATE films AS f SET state = 'done', locked_until = NULL, rendered_title = g.title
      FROM unnest(?::int[], ?::bigint[], ?::text[]) AS g (id, claim_no, title)
      WHERE f.id = g.id AND f.claim_no = g.claim_no
      """;

  private RawDrain() {}

  /**
   * @param textbook whether the claim says {@code state = 'ready' ORDER BY id}, as everybody writes
   *     it; else it is written so that the planner takes the index on state and order
   */
  static void run(DataSource pool, int threads, int batch, boolean textbook) throws Exception {
    String sql =
        textbook
            ? CLAIM.formatted("state = 'ready'", "id", batch)
            : CLAIM.formatted("state >= 'ready' AND state <= 'ready'", "state, id", batch);
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      all.add(
          executor.submit(
              () -> {
                loop(pool, sql);
                return null;
              }));
    }
    for (Future<?> one : all) {
      one.get();
    }
    executor.shutdown();
  }

  private static void loop(DataSource pool, String claimSql) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement claim = connection.prepareStatement(claimSql);
        PreparedStatement complete = connection.prepareStatement(COMPLETE)) {
      while (true) {
        List<Object> ids = new ArrayList<>();
        List<Object> tokens = new ArrayList<>();
        List<Object> titles = new ArrayList<>();
        try (ResultSet rows = claim.executeQuery()) {
          while (rows.next()) {
            ids.add(rows.getInt(1));
            tokens.add(rows.getLong(2));
            titles.add(rows.getString(3).toUpperCase(Locale.ROOT));
          }
        }
        if (ids.isEmpty()) {
          return;
        }
        complete.setArray(1, connection.createArrayOf("int", ids.toArray()));
        complete.setArray(2, connection.createArrayOf("bigint", tokens.toArray()));
        complete.setArray(3, connection.createArrayOf("text", titles.toArray()));
        complete.executeUpdate();
      }
    }
  }
}
