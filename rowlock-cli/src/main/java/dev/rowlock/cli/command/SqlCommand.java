package dev.rowlock.cli.command;

import dev.rowlock.Queue;
import dev.rowlock.SqlListing;
import dev.rowlock.SqlListing.Statement;
import dev.rowlock.cli.ExitCode;
import dev.rowlock.cli.config.QueueConfig;
import dev.rowlock.cli.output.Json;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Prints the statements. */
@CommandLine.Command(
    name = "sql",
    description = "Print every statement that Rowlock runs for a mapping, and the DDL it advises.",
    footer = {
      "",
      "Values are :named parameters. With --dialect no database is needed.",
      "",
      "Examples:",
      "  rowlock sql films",
      "  rowlock sql films --dialect postgresql"
    })
public final class SqlCommand extends QueueCommand {
  @Option(
      names = "--dialect",
      paramLabel = "NAME",
      description = "postgresql or h2: do not connect.")
  private String dialect;

  @Option(names = "--json", description = "Print a JSON line for each statement.")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    if (dialect == null) {
      return super.call();
    }
    QueueConfig config = config(queueName());
    return print(config.name(), Queue.sql(dialect, config.name(), config.mapping()));
  }

  @Override
  int run(Queue queue) {
    return print(queue.name(), queue.sql());
  }

  private int print(String queue, SqlListing listing) {
    if (!json) {
      print(
          "-- Rowlock, queue '%s', %s. Values are :named parameters."
              .formatted(queue, listing.dialect()));
    }
    listing.statements().forEach(statement -> print("statement", statement));
    if (!json && !listing.advice().isEmpty()) {
      print("");
      print("-- Recommended for this mapping:");
    }
    listing.advice().forEach(statement -> print("advice", statement));
    return ExitCode.DONE;
  }

  private void print(String kind, Statement statement) {
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
