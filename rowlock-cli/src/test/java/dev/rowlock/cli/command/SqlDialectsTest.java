package dev.rowlock.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.rowlock.Queue;
import dev.rowlock.SqlListing;
import dev.rowlock.cli.Cli;
import dev.rowlock.cli.config.ConfigFile;
import dev.rowlock.cli.config.QueueConfig;
import dev.rowlock.cli.config.Variables;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The statements for every database are those of the library, and each has been read by a person:
 * what {@code rowlock sql} prints for the guide's tables is kept in {@code
 * src/test/resources/sql/DIALECT/QUEUE.sql}. Run with {@code -Drowlock.sql.write=true} to write
 * those files; then read the difference.
 */
class SqlDialectsTest {
  private static final Path SQL = Path.of("src/test/resources/sql");
  private static final Path DOCS = Path.of("../docs/command-line.md");
  private static final List<String> QUEUES = List.of("articles", "Table_Queue");
  private static final boolean WRITE = Boolean.getBoolean("rowlock.sql.write");

  private final Cli cli = new Cli(SQL.toAbsolutePath());

  static Stream<Arguments> all() {
    return Queue.dialects().stream()
        .flatMap(dialect -> QUEUES.stream().map(queue -> Arguments.of(dialect, queue)));
  }

  private String printed(String dialect, String queue) {
    Cli.Result result = cli.run("sql", queue, "--dialect", dialect);
    assertThat(result.err()).isEmpty();
    assertThat(result.code()).isZero();
    return result.out().replace("\r\n", "\n");
  }

  @ParameterizedTest
  @MethodSource("all")
  void theStatementsAreTheReviewedOnes(String dialect, String queue) throws IOException {
    Path file = SQL.resolve(dialect).resolve(queue + ".sql");
    String printed = printed(dialect, queue);
    if (WRITE) {
      Files.createDirectories(file.getParent());
      Files.writeString(file, printed);
    }
    if (!Files.exists(file)) {
      fail(
          "there is no %s in rowlock-cli; write it with -Drowlock.sql.write=true, then read it"
              .formatted(file));
    }
    assertThat(printed)
        .as("%s; if the change is meant: -Drowlock.sql.write=true, then read the difference", file)
        .isEqualTo(Files.readString(file, StandardCharsets.UTF_8).replace("\r\n", "\n"));
  }

  @ParameterizedTest
  @MethodSource("all")
  void theStatementsAreThoseOfTheLibrary(String dialect, String queue) {
    ConfigFile file = ConfigFile.find(Optional.empty(), SQL.toAbsolutePath());
    QueueConfig config =
        new QueueConfig(queue, file.queue(queue).orElseThrow(), new Variables(Map.of()));
    SqlListing listing = Queue.sql(dialect, queue, config.mapping());
    String printed = printed(dialect, queue);
    int at = 0;
    for (SqlListing.Statement statement : listing.statements()) {
      String sql = statement.sql().stripTrailing();
      int found = printed.indexOf("\n" + sql + (sql.endsWith(";") ? "\n" : ";\n"), at);
      assertThat(found).as("%s in its order", statement.name()).isGreaterThanOrEqualTo(at);
      at = found + sql.length();
    }
    assertThat(printed).contains("-- claim", "-- Made without a database: types of columns are");
  }

  @Test
  void noReviewedFileIsLeftOver() throws IOException {
    try (Stream<Path> folders = Files.list(SQL).filter(Files::isDirectory)) {
      assertThat(folders.map(f -> f.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(Queue.dialects());
    }
  }

  @Test
  void helpErrorsAndDocsNameEveryDialect() throws IOException {
    String all = String.join(", ", Queue.dialects());
    assertThat(cli.run("sql", "--help").out().replaceAll("\\s+", " ")).contains("one of: " + all);
    Cli.Result wrong = cli.run("sql", "articles", "--dialect", "oracle");
    assertThat(wrong.err())
        .isEqualTo("rowlock: no dialect is called 'oracle'; there are " + all + "\n");
    assertThat(wrong.code()).isEqualTo(2);
    assertThat(Files.readString(DOCS))
        .contains("`--dialect NAME` (`" + String.join("`, `", Queue.dialects()) + "`)");
  }
}
