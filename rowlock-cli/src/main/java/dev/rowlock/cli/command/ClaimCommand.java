package dev.rowlock.cli.command;

import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.Queue;
import dev.rowlock.cli.ExitCode;
import dev.rowlock.cli.Shell.BrokenPipeException;
import dev.rowlock.cli.config.QueueConfig;
import dev.rowlock.cli.database.Database;
import dev.rowlock.cli.output.Json;
import dev.rowlock.cli.output.JsonColumns;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

/** Claims rows and prints what a script needs to go on. */
@CommandLine.Command(
    name = "claim",
    description = "Claim rows; prints a JSON line for each, or nothing (exit 3).",
    footer = {
      "",
      "A line: {\"claim\":\"rl1.…\",\"key\":{…},\"row\":{…},\"attempt\":1,\"leaseUntil\":\"…Z\"}",
      "Pass the \"claim\" to complete, fail, snooze, release or extend.",
      "",
      "Examples:",
      "  rowlock claim films --limit 10",
      "  rowlock claim films | rowlock complete films --claim -",
      "  rowlock claim --table films --key id --state state --ready ready \\",
      "      --processing busy --done done --col lease-until=locked_until --read title"
    })
public final class ClaimCommand extends QueueCommand {
  @Option(names = "--limit", paramLabel = "N", defaultValue = "1", description = "Rows at most; 1.")
  private int limit;

  @Option(
      names = "--worker",
      paramLabel = "NAME",
      description = "Name for the worker column; host and process by default.")
  private String worker;

  @Option(names = "--json", description = "Always so; accepted like everywhere.")
  private boolean json;

  @Override
  public Integer call() {
    if (limit < 1) {
      throw usage("--limit is " + limit + "; allowed: 1 or more");
    }
    QueueConfig config = config(queueName());
    config.mapping();
    try (Database database = connect(FEW)) {
      Queue queue = builder(database, config).workerName(worker).build();
      requireLeases(queue);
      return run(queue, new JsonColumns(database.dataSource()));
    }
  }

  @Override
  int run(Queue queue) {
    throw new IllegalStateException("call() does it");
  }

  private int run(Queue queue, JsonColumns documents) {
    List<Claim> claims = queue.claim(limit);
    int printed = 0;
    try {
      for (Claim claim : claims) {
        print(line(claim, documents));
        printed++;
      }
    } catch (BrokenPipeException e) {
      queue.apply(
          claims.subList(printed, claims.size()).stream().map(Change.Release::new).toList());
      throw e;
    }
    return claims.isEmpty() ? ExitCode.NOTHING : ExitCode.DONE;
  }

  private static ObjectNode line(Claim claim, JsonColumns documents) {
    ObjectNode line = Json.object();
    line.put("claim", claim.token());
    line.set("key", Json.key(claim.key()));
    line.set("row", Json.columns(documents.row(claim)));
    line.set(
        "attempt", Json.value(claim.attempt().isPresent() ? claim.attempt().getAsInt() : null));
    line.set("leaseUntil", Json.value(claim.leaseUntil().orElse(null)));
    claim.problem().ifPresent(problem -> line.put("problem", problem));
    return line;
  }
}
