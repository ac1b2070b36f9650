package dev.rowlock.cli.work;

import dev.rowlock.Claim;
import dev.rowlock.Job;
import dev.rowlock.Key;
import dev.rowlock.Mapping;
import dev.rowlock.State;
import dev.rowlock.cli.output.JsonColumns;
import java.sql.Connection;
import java.util.Map;
import org.h2.jdbcx.JdbcDataSource;

/** Jobs without an engine. */
final class TestJobs {
  static final RowJson ROWS =
      new RowJson(
          Mapping.table("films")
              .key("id")
              .state(State.of("state", "ready", "processing", "done"))
              .read("title")
              .write("rendered_title", "length")
              .build(),
          new JsonColumns(dataSource()));

  private TestJobs() {}

  private static JdbcDataSource dataSource() {
    JdbcDataSource dataSource = new JdbcDataSource();
    dataSource.setURL("jdbc:h2:mem:");
    return dataSource;
  }

  static Job job(String title) {
    Claim claim =
        new Claim.Builder("films", new Key(Map.of("id", 17L)))
            .attempts(2, null)
            .row(Map.of("title", title))
            .build();
    return new Job() {
      @Override
      public Claim claim() {
        return claim;
      }

      @Override
      public boolean cancelled() {
        return false;
      }

      @Override
      public void complete(Connection connection, Map<String, ?> results) {
        throw new UnsupportedOperationException();
      }

      @Override
      public Connection connection() {
        throw new IllegalStateException();
      }
    };
  }
}
