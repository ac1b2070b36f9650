package dev.rowlock.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The PostgreSQL that is measured on: the one at a URL, or one of our own with durable commits. */
final class Server implements AutoCloseable {
  private final EmbeddedPostgres own;
  private final HikariDataSource pool;

  Server(String url, int connections) throws IOException {
    own =
        url != null
            ? null
            : EmbeddedPostgres.builder()
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("shared_buffers", "512MB")
                .setServerConfig("max_wal_size", "4GB")
                .start();
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url != null ? url : own.getJdbcUrl("postgres", "postgres"));
    config.setMaximumPoolSize(connections);
    config.setMinimumIdle(connections);
    pool = new HikariDataSource(config);
  }

  HikariDataSource pool() {
    return pool;
  }

  void execute(String... statements) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  List<String> lines(String sql) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> all = new ArrayList<>();
      while (rows.next()) {
        all.add(rows.getString(1));
      }
      return all;
    }
  }

  long number(String sql) throws SQLException {
    return Long.parseLong(lines(sql).get(0));
  }

  @Override
  public void close() throws IOException {
    pool.close();
    if (own != null) {
      own.close();
    }
  }
}
