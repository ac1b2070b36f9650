package dev.rowlock.cli.command;

import dev.rowlock.QueueStats;
import dev.rowlock.RowState;
import dev.rowlock.cli.ExitCode;
import dev.rowlock.cli.config.Durations;
import dev.rowlock.cli.config.QueueConfig;
import dev.rowlock.cli.config.QueueKey;
import dev.rowlock.cli.database.Database;
import dev.rowlock.cli.output.Json;
import dev.rowlock.cli.output.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/** Counts rows. */
@CommandLine.Command(
    name = "stats",
    description = "Count the rows of a queue by state, without locks; of all queues by default.",
    footer = {"", "Examples:", "  rowlock stats", "  rowlock stats films --json"})
public final class StatsCommand extends DatabaseCommand {
  private static final List<RowState> SHOWN =
      List.of(
          RowState.READY,
          RowState.SCHEDULED,
          RowState.PROCESSING,
          RowState.EXPIRED,
          RowState.STUCK,
          RowState.DONE,
          RowState.FAILED,
          RowState.DEAD,
          RowState.OTHER);

  @Parameters(arity = "0..1", paramLabel = "QUEUE", description = "A name from the file.")
  private String queue;

  @Option(names = "--json", description = "Print a JSON line for each queue.")
  private boolean json;

  @Override
  public Integer call() {
    List<QueueConfig> configs = new ArrayList<>();
    if (queue == null && !flags().has(QueueKey.TABLE) && file().queues().size() > 1) {
      file().names().forEach(name -> configs.add(config(Optional.of(name))));
    } else {
      configs.add(config(Optional.ofNullable(queue)));
    }
    configs.forEach(QueueConfig::mapping);
    try (Database database = connect(FEW)) {
      List<QueueStats> all =
          configs.stream().map(config -> builder(database, config).build().stats()).toList();
      if (json) {
        all.forEach(stats -> print(json(stats)));
      } else {
        table(all).print(shell().out(), 0);
        shell().checkOutput();
      }
    }
    return ExitCode.DONE;
  }

  private static ObjectNode json(QueueStats stats) {
    ObjectNode line = Json.object().put("queue", stats.queue());
    SHOWN.forEach(state -> line.put(state.label(), stats.count(state)));
    if (stats.oldestReadySeconds().isPresent()) {
      line.put("oldestReadySeconds", stats.oldestReadySeconds().getAsDouble());
    } else {
      line.putNull("oldestReadySeconds");
    }
    return line;
  }

  private static Table table(List<QueueStats> all) {
    List<String> header = new ArrayList<>(List.of("queue"));
    SHOWN.forEach(state -> header.add(state.label()));
    header.add("oldest");
    Table table = new Table(header);
    for (QueueStats stats : all) {
      List<Object> row = new ArrayList<>(List.of(stats.queue()));
      SHOWN.forEach(state -> row.add(stats.count(state)));
      row.add(
          stats.oldestReadySeconds().isPresent()
              ? Durations.show(
                  Duration.ofMillis((long) (stats.oldestReadySeconds().getAsDouble() * 1000)))
              : "-");
      table.row(row.toArray());
    }
    return table;
  }
}
