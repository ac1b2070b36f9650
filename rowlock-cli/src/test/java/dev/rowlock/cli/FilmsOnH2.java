package dev.rowlock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.cli.output.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A table of films, one with less, a configuration of both, and a command line to work on them. */
@Timeout(60)
abstract class FilmsOnH2 {
  @TempDir Path directory;
  Connection connection;
  Cli cli;

  @BeforeEach
  void start() throws Exception {
    String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DATABASE_TO_LOWER=TRUE";
    connection = DriverManager.getConnection(url, "sa", "");
    execute(
        """
        CREATE TABLE films (id INT PRIMARY KEY, title VARCHAR(200), state VARCHAR(20) DEFAULT 'ready',
          rendered_title VARCHAR(200), attempts INT DEFAULT 0 NOT NULL, claim_no BIGINT DEFAULT 0 NOT NULL,
          locked_until TIMESTAMP WITH TIME ZONE, run_after TIMESTAMP WITH TIME ZONE, last_error VARCHAR(200),
          extra JSON)
        """);
    execute("CREATE TABLE plain (id INT PRIMARY KEY, state VARCHAR(20) DEFAULT 'ready')");
    Files.writeString(
        directory.resolve("rowlock.yaml"),
        """
        database: { url: "%s" }
        queues:
          films:
            table: films
            key: id
            state: { column: state, ready: ready, processing: processing, done: done, dead: dead }
            columns: { attempts: attempts, token: claim_no, lease-until: locked_until, run-at: run_after, error: last_error }
            read: [title, extra]
            write: [rendered_title]
            retry: { initial: 10ms, max: 20ms, max-attempts: 2 }
          plain:
            table: plain
            key: id
            state: { column: state, ready: ready, processing: busy, done: done }
        """
            .formatted(url));
    cli = new Cli(directory);
  }

  @AfterEach
  void stop() throws SQLException {
    connection.close();
  }

  void execute(String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  String value(String sql) throws SQLException {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      return rows.next() ? rows.getString(1) : "no row";
    }
  }

  static JsonNode json(String line) {
    return Json.parse(line).orElseThrow();
  }

  void enqueue(int rows) {
    StringBuilder lines = new StringBuilder();
    for (int i = 1; i <= rows; i++) {
      lines.append("{\"id\":%d,\"title\":\"film %d\",\"extra\":{\"n\":[%d]}}\n".formatted(i, i, i));
    }
    Cli.Result result = cli.input(lines.toString()).run("enqueue", "films", "-");
    assertThat(result.err()).isEmpty();
    assertThat(result.out())
        .isEqualTo("films: %d row%s enqueued\n".formatted(rows, rows == 1 ? "" : "s"));
  }

  String claim() {
    return json(cli.run("claim", "films").out()).get("claim").stringValue();
  }
}
