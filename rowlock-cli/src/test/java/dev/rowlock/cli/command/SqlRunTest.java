package dev.rowlock.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.cli.Cli;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code sql --run} on SQLite, whose driver runs the first statement of several if it may. */
class SqlRunTest {
  private static final String SCRIPT =
      """
      CREATE TABLE jobs (id INTEGER PRIMARY KEY, state TEXT NOT NULL DEFAULT 'ready');
      CREATE TRIGGER log AFTER UPDATE ON jobs BEGIN SELECT 1; SELECT 2; END;
      INSERT INTO jobs(id) VALUES (1), (2);
      """;

  private static final String[] STATS = {
    "stats",
    "--table",
    "jobs",
    "--key",
    "id",
    "--state",
    "state",
    "--ready",
    "ready",
    "--processing",
    "busy",
    "--done",
    "done",
    "--json"
  };

  @TempDir Path directory;
  private Cli cli;

  @BeforeEach
  void inItsFolder() {
    cli = new Cli(directory).environment("ROWLOCK_URL", "jdbc:sqlite:" + directory + "/a.db");
  }

  @Test
  void everyStatementOfAFileRuns() throws Exception {
    Files.writeString(directory.resolve("all.sql"), SCRIPT);
    assertThat(cli.run("sql", "--run", "all.sql").code()).isZero();
    assertThat(cli.run(STATS).out()).contains("\"ready\":2");
  }

  @Test
  void anErrorInALaterStatementIsTold() throws Exception {
    Files.writeString(directory.resolve("all.sql"), SCRIPT + "INSERT INTO nosuch VALUES (1);");
    Cli.Result result = cli.run("sql", "--run", "all.sql");
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("all.sql", "no such table: nosuch");
    assertThat(cli.run(STATS).err()).as("nothing is left of the others").contains("no table jobs");
  }

  /** Exit code 5 says that it may work later, which no wrong name ever does. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "sqlite:text.txt",
        "sqlite:folder",
        "sqlite:no/such/folder/a.db",
        "mariadb://u:hidden@127.0.0.1:port/a",
        "jdbc:mariadb:rubbish",
        "jdbc:mariadb://127.0.0.1:1/a?sslMode=nonsense"
      })
  void aWrongNameIsAMistakeAndNoOutage(String url) throws Exception {
    Files.writeString(directory.resolve("text.txt"), "this file is no database, but a text");
    Files.createDirectory(directory.resolve("folder"));
    String absolute = url.replaceFirst("^sqlite:", "sqlite://" + directory + "/");
    Cli.Result result = cli.environment("ROWLOCK_URL", absolute).run(STATS);
    assertThat(result.err()).hasLineCount(1).doesNotContain("hidden");
    assertThat(result.code()).as(result.err()).isEqualTo(2);
  }
}
