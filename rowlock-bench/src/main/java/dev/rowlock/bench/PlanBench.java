package dev.rowlock.bench;

import dev.rowlock.Queue;
import dev.rowlock.SqlListing;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Shows that a claim costs the same whatever the table's size: plan and time at 10 thousand and at
 * 2 million rows, nine tenths of them done. Arguments: {@code [url=jdbc:…] [rows=2000000]
 * [claims=2000]}.
 */
public final class PlanBench {
  private static final Map<String, String> VALUES =
      Map.of(
          ":ready", "'ready'",
          ":processing", "'processing'",
          ":max_attempts", "5",
          ":lease_ms", "300000",
          ":limit", "10");

  private PlanBench() {}

  /** Runs it. */
  public static void main(String[] args) throws Exception {
    Options options = new Options(args);
    try (Server server = new Server(options.text("url"), 2)) {
      System.out.println(server.lines("SELECT version()").get(0));
      for (long rows : List.of(10_000L, (long) options.number("rows", 2_000_000))) {
        Films.fill(server, rows, 10);
        Queue queue = Queue.builder("films", server.pool(), Films.MAPPING).build();
        System.out.printf(Locale.ROOT, "%n%,d rows, one in ten ready%n", rows);
        explain(server, claim(queue)).forEach(System.out::println);
        time(server, queue, Math.min(options.number("claims", 2_000), (int) rows / 200));
      }
    }
  }

  private static String claim(Queue queue) {
    String sql =
        queue.sql().statements().stream()
            .filter(s -> s.name().equals("claim"))
            .map(SqlListing.Statement::sql)
            .findFirst()
            .orElseThrow();
    for (Map.Entry<String, String> value : VALUES.entrySet()) {
      sql = sql.replaceAll(value.getKey() + "\\b", value.getValue());
    }
    return sql;
  }

  private static List<String> explain(Server server, String sql) throws SQLException {
    try (Connection connection = server.pool().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      try (var rows = statement.executeQuery("EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) " + sql)) {
        List<String> lines = new java.util.ArrayList<>();
        while (rows.next()) {
          lines.add("  " + rows.getString(1));
        }
        return lines;
      } finally {
        connection.rollback();
      }
    }
  }

  private static void time(Server server, Queue queue, int claims) throws SQLException {
    server.execute("ANALYZE films");
    double[] millis = new double[claims];
    for (int i = 0; i < claims; i++) {
      long start = System.nanoTime();
      int got = queue.claim(10).size();
      millis[i] = (System.nanoTime() - start) / 1e6;
      if (got != 10) {
        throw new IllegalStateException("claim " + i + " returned " + got + " rows");
      }
    }
    java.util.Arrays.sort(millis);
    System.out.printf(
        Locale.ROOT,
        "%d claims of 10 rows: median %.2f ms, 99 %% below %.2f ms%n",
        claims,
        millis[claims / 2],
        millis[(int) (claims * 0.99)]);
  }
}
