package dev.rowlock.cli.command;

import dev.rowlock.ConfigurationException;
import dev.rowlock.Queue;
import dev.rowlock.SqlListing;
import dev.rowlock.cli.CommandFailure;
import dev.rowlock.cli.ExitCode;
import dev.rowlock.cli.config.QueueConfig;
import dev.rowlock.cli.database.Database;
import dev.rowlock.cli.output.Json;
import dev.rowlock.cli.output.Parameters;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Iterator;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Prints the statements. */
@CommandLine.Command(
    name = "sql",
    description = "Print every statement that Rowlock runs for a mapping, and the DDL it advises.",
    footer = {
      "",
      "Values are :named parameters. With --dialect no database is needed.",
      "--run FILE makes the embedded database in ./.rowlock/ if no other is named.",
      "",
      "Examples:",
      "  rowlock sql films",
      "  rowlock sql films --dialect postgresql",
      "  rowlock sql --run films.sql"
    })
public final class SqlCommand extends QueueCommand {
  /** What a queue has that is not told otherwise. */
  private static final Duration LEASE = Duration.ofMinutes(5);

  @Option(
      names = "--dialect",
      paramLabel = "NAME",
      completionCandidates = Names.class,
      description = "Do not connect; one of: ${COMPLETION-CANDIDATES}.")
  private String dialect;

  /** What {@code --dialect} may be. */
  static final class Names implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return Queue.dialects().iterator();
    }
  }

  @Option(
      names = "--run",
      paramLabel = "FILE",
      description = "Run the statements of a file, - for standard input: to make a table.")
  private String script;

  @Option(names = "--json", description = "Print a JSON line for each statement.")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    if (script != null) {
      if (dialect != null || queueName().isPresent()) {
        throw usage("--run runs a file and needs no QUEUE and no --dialect");
      }
      return runScript();
    }
    if (dialect == null) {
      return super.call();
    }
    QueueConfig config = config(queueName());
    SqlListing listing = Queue.sql(dialect, config.name(), config.mapping());
    return print(
        config.name(),
        listing,
        Parameters.text(
            listing, config.mapping(), config.retry().maxAttempts(), config.lease().orElse(LEASE)));
  }

  @Override
  int run(Queue queue) {
    SqlListing listing = queue.sql();
    return print(
        queue.name(),
        listing,
        Parameters.text(listing, queue.mapping(), queue.retry().maxAttempts(), queue.lease()));
  }

  private int runScript() throws IOException {
    String name = script.equals("-") ? "standard input" : script;
    String statements = read(name);
    try (Database database = connectForScript();
        Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      database.target().product().run(statement, statements);
      connection.commit();
      print("%s was run on %s".formatted(name, database.target()));
    } catch (SQLException e) {
      throw new CommandFailure(
          ExitCode.FAILED, "%s: %s".formatted(name, e.getMessage().replaceAll("\\s+", " ")));
    }
    return ExitCode.DONE;
  }

  private String read(String name) throws IOException {
    String text;
    if (script.equals("-")) {
      text = new String(shell().in().readAllBytes(), StandardCharsets.UTF_8);
    } else {
      Path path = shell().directory().resolve(script);
      if (!Files.isReadable(path) || Files.isDirectory(path)) {
        throw new ConfigurationException(name + ": there is no such file, or it cannot be read");
      }
      text = new String(Files.readAllBytes(path), StandardCharsets.UTF_8);
    }
    if (text.isBlank()) {
      throw new ConfigurationException(name + ": there is no statement in it");
    }
    return text;
  }

  private int print(String queue, SqlListing listing, String parameters) {
    if (!json) {
      print(
          "-- Rowlock, queue '%s', %s. Values are :named parameters."
              .formatted(queue, listing.dialect()));
      if (dialect != null) {
        print("-- Made without a database: types of columns are unknown.");
      }
      if (!parameters.isEmpty()) {
        print("-- " + parameters);
      }
    }
    listing.statements().forEach(statement -> print("statement", statement));
    if (!json && !listing.advice().isEmpty()) {
      print("");
      print("-- Recommended for this mapping:");
    }
    listing.advice().forEach(statement -> print("advice", statement));
    return ExitCode.DONE;
  }

  private void print(String kind, SqlListing.Statement statement) {
    if (json) {
      print(
          Json.object()
              .put("kind", kind)
              .put("name", statement.name())
              .put("comment", statement.comment())
              .put("sql", statement.sql()));
      return;
    }
    print("");
    print(
        "-- " + (statement.name() + ": " + statement.comment()).replaceAll("\\s*\\R\\s*", "\n-- "));
    String sql = statement.sql().stripTrailing();
    print(sql.endsWith(";") ? sql : sql + ";");
  }
}
