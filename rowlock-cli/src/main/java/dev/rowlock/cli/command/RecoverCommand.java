package dev.rowlock.cli.command;

import dev.rowlock.Capability;
import dev.rowlock.Key;
import dev.rowlock.Queue;
import dev.rowlock.Recovery;
import dev.rowlock.RowState;
import dev.rowlock.RowView;
import dev.rowlock.cli.CommandFailure;
import dev.rowlock.cli.ExitCode;
import dev.rowlock.cli.output.Json;
import dev.rowlock.cli.output.Rows;
import dev.rowlock.cli.output.Table;
import dev.rowlock.cli.output.Words;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Brings back rows whose workers are gone. */
@CommandLine.Command(
    name = "recover",
    description = "Make rows claimable again whose lease has ended.",
    footer = {
      "",
      "Workers do this by themselves. Where no column says when a row was claimed",
      "nothing is reset: the rows are listed (exit 1), and --unfenced resets them",
      "after asking, for a person who knows that their workers are gone.",
      "",
      "Examples:",
      "  rowlock recover films",
      "  rowlock recover articles --unfenced"
    })
public final class RecoverCommand extends QueueCommand {
  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Rows at most; 1000.")
  private int limit;

  @Option(
      names = "--unfenced",
      description = "Reset rows although nothing proves that their workers are gone.")
  private boolean unfenced;

  @Option(names = "--yes", description = "Do not ask.")
  private boolean yes;

  @Option(names = "--json", description = "Print a JSON line for each row.")
  private boolean json;

  @Override
  int run(Queue queue) throws IOException {
    if (limit < 1) {
      throw usage("--limit is " + limit + "; allowed: 1 or more");
    }
    boolean expiry = queue.mapping().capabilities().contains(Capability.EXPIRY);
    if (unfenced) {
      return reset(queue);
    }
    return expiry ? recover(queue) : stuck(queue);
  }

  private int recover(Queue queue) {
    Recovery recovery = queue.recover(limit);
    if (json) {
      recovery.ready().forEach(key -> line(key, "ready"));
      recovery.dead().forEach(key -> line(key, "dead"));
      return ExitCode.DONE;
    }
    if (recovery.size() == 0) {
      print("%s: no lease has ended; nothing to recover".formatted(queue.name()));
      return ExitCode.DONE;
    }
    print(
        "%s: %s recovered: %s ready again, %s out of attempts"
            .formatted(
                queue.name(),
                Words.rows(recovery.size()),
                Words.count(recovery.ready().size()),
                Words.count(recovery.dead().size())));
    recovery.ready().forEach(key -> print("  ready again  " + Table.text(key)));
    recovery.dead().forEach(key -> print("  dead letter  " + Table.text(key)));
    return ExitCode.DONE;
  }

  private int stuck(Queue queue) {
    List<RowView> rows = queue.list(RowState.STUCK, limit);
    if (rows.isEmpty()) {
      print("%s: no row is claimed; nothing to recover".formatted(queue.name()));
      return ExitCode.DONE;
    }
    show(rows);
    throw new CommandFailure(
        ExitCode.FAILED,
        "queue '%s': %s claimed, and no column says since when, so nothing was reset; add a time column and %s (and %s), or reset them with --unfenced"
            .formatted(
                queue.name(),
                rows.size() == 1 ? "1 row is" : Words.rows(rows.size()) + " are",
                Capability.EXPIRY.remedy(),
                Capability.FENCE.remedy()));
  }

  private int reset(Queue queue) throws IOException {
    List<RowView> rows = new ArrayList<>(queue.list(RowState.STUCK, limit));
    if (rows.size() < limit) {
      rows.addAll(queue.list(RowState.EXPIRED, limit - rows.size()));
    }
    if (rows.isEmpty()) {
      print("%s: no row is stuck or expired; nothing to reset".formatted(queue.name()));
      return ExitCode.DONE;
    }
    if (!yes) {
      show(rows);
      ask(queue, rows.size());
    }
    List<Key> keys = queue.resetUnfenced(rows.stream().map(RowView::key).toList());
    keys.forEach(key -> line(key, "ready"));
    if (!json) {
      print("%s: %s ready again".formatted(queue.name(), Words.rows(keys.size())));
    }
    return ExitCode.DONE;
  }

  private void ask(Queue queue, int rows) throws IOException {
    if (!shell().terminal().in()) {
      throw usage("--unfenced asks before it resets, and nobody is there to answer; add --yes");
    }
    shell()
        .err()
        .printf(
            "Reset %s of %s? A worker that still holds one will not be noticed. [y/N] ",
            rows == 1 ? "this row" : "these " + Words.rows(rows), queue.name());
    shell().err().flush();
    String answer =
        new BufferedReader(new InputStreamReader(shell().in(), StandardCharsets.UTF_8)).readLine();
    if (answer == null || !answer.strip().toLowerCase(java.util.Locale.ROOT).startsWith("y")) {
      throw new CommandFailure(ExitCode.FAILED, "nothing was reset");
    }
  }

  private void line(Key key, String result) {
    if (json) {
      var line = Json.object();
      line.set("key", Json.key(key));
      line.put("result", result);
      print(line);
    }
  }

  private void show(List<RowView> rows) {
    if (json) {
      rows.forEach(row -> print(Rows.json(row)));
    } else {
      Rows.table(rows).print(shell().out(), 0);
      shell().checkOutput();
    }
  }
}
