package dev.rowlock.cli.command;

import dev.rowlock.Key;
import dev.rowlock.Queue;
import dev.rowlock.RowView;
import dev.rowlock.cli.CommandFailure;
import dev.rowlock.cli.ExitCode;
import dev.rowlock.cli.config.QueueConfig;
import dev.rowlock.cli.config.QueueKey;
import dev.rowlock.cli.config.QueueSettings;
import dev.rowlock.cli.database.Database;
import dev.rowlock.cli.output.Rows;
import dev.rowlock.cli.output.Table;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Looks at one row. */
@CommandLine.Command(
    name = "show",
    description = "Look at one row, without locks.",
    footer = {
      "",
      "Examples:",
      "  rowlock show films 17",
      "  rowlock show invoices acme 2026-001        (a key of two columns)"
    })
public final class ShowCommand extends DatabaseCommand {
  @Parameters(
      arity = "1..*",
      paramLabel = "QUEUE KEY",
      description = "The queue, and a value for each key column.")
  private List<String> words;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() {
    boolean unnamed = unnamed();
    QueueConfig config = config(unnamed ? Optional.empty() : Optional.of(words.get(0)));
    List<String> key = unnamed ? words : words.subList(1, words.size());
    List<String> columns = config.mapping().key();
    if (key.size() != columns.size()) {
      throw usage("give a value for each key column (%s)".formatted(String.join(", ", columns)));
    }
    try (Database database = connect(FEW)) {
      Queue queue = builder(database, config).build();
      Key wanted = queue.key(key.toArray(String[]::new));
      RowView row = queue.show(wanted).orElseThrow(() -> none(queue, wanted));
      if (json) {
        print(Rows.json(row));
      } else {
        Rows.card(row).print(shell().out(), 0);
        shell().checkOutput();
      }
    }
    return ExitCode.DONE;
  }

  private static CommandFailure none(Queue queue, Key key) {
    return new CommandFailure(
        ExitCode.FAILED, "queue '%s' has no row %s".formatted(queue.name(), Table.text(key)));
  }

  /** Whether all words are the key, because the flags or the file leave no doubt of the queue. */
  private boolean unnamed() {
    QueueSettings flags = flags();
    if (flags.has(QueueKey.TABLE) && flags.has(QueueKey.KEY)) {
      return config(Optional.empty()).mapping().key().size() == words.size();
    }
    boolean one = file().queues().size() == 1 && !file().names().contains(words.get(0));
    return one && config(Optional.empty()).mapping().key().size() == words.size();
  }
}
