package dev.rowlock.cli.command;

import dev.rowlock.Queue;
import dev.rowlock.RowState;
import dev.rowlock.RowView;
import dev.rowlock.cli.ExitCode;
import dev.rowlock.cli.config.Names;
import dev.rowlock.cli.config.QueueConfig;
import dev.rowlock.cli.database.Database;
import dev.rowlock.cli.output.Rows;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Looks at rows. */
@CommandLine.Command(
    name = "list",
    description = "Look at the rows of a queue, without locks.",
    footer = {
      "",
      "States: ready, scheduled, processing, expired, stuck, done, failed, dead, other.",
      "Here the mapping's state column is --state-column.",
      "",
      "Examples:",
      "  rowlock list films",
      "  rowlock list films --state dead --limit 5 --json"
    })
public final class ListCommand extends DatabaseCommand {
  /** Without --state: what needs work or attention first. */
  private static final List<RowState> ALL =
      List.of(
          RowState.PROCESSING,
          RowState.EXPIRED,
          RowState.STUCK,
          RowState.READY,
          RowState.SCHEDULED,
          RowState.FAILED,
          RowState.DEAD,
          RowState.DONE,
          RowState.OTHER);

  @Parameters(arity = "0..1", paramLabel = "QUEUE", description = "A name from the file.")
  private String queue;

  @Option(names = "--state", paramLabel = "STATE", description = "Rows in this state alone.")
  private String state;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "20",
      description = "Rows at most; 20.")
  private int limit;

  @Option(names = "--json", description = "Print a JSON line for each row.")
  private boolean json;

  @Override
  public Integer call() {
    List<RowState> states = state == null ? ALL : List.of(state());
    if (limit < 1) {
      throw usage("--limit is " + limit + "; allowed: 1 or more");
    }
    QueueConfig config = config(Optional.ofNullable(queue));
    config.mapping();
    try (Database database = connect(FEW)) {
      List<RowView> rows = rows(builder(database, config).build(), states);
      if (json) {
        rows.forEach(row -> print(Rows.json(row)));
      } else if (rows.isEmpty()) {
        print("%s: no rows%s".formatted(config.name(), state == null ? "" : " in state " + state));
      } else {
        Rows.table(rows).print(shell().out(), 0);
        shell().checkOutput();
      }
    }
    return ExitCode.DONE;
  }

  private RowState state() {
    List<String> labels = Arrays.stream(RowState.values()).map(RowState::label).toList();
    int index = labels.indexOf(state);
    if (index < 0) {
      throw usage(
          "--state: found '%s'%s; allowed: %s; the state column is --state-column here"
              .formatted(state, Names.didYouMean(state, labels), String.join(", ", labels)));
    }
    return RowState.values()[index];
  }

  private List<RowView> rows(Queue queue, List<RowState> states) {
    List<RowView> rows = new ArrayList<>();
    for (RowState one : states) {
      if (rows.size() < limit) {
        rows.addAll(queue.list(one, limit - rows.size()));
      }
    }
    return rows;
  }
}
