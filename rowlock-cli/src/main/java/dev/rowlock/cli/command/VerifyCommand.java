package dev.rowlock.cli.command;

import dev.rowlock.ConfigurationException;
import dev.rowlock.Queue;
import dev.rowlock.Verification;
import dev.rowlock.Verification.Finding;
import dev.rowlock.Verification.Severity;
import dev.rowlock.cli.CommandFailure;
import dev.rowlock.cli.ExitCode;
import dev.rowlock.cli.config.QueueConfig;
import dev.rowlock.cli.config.QueueKey;
import dev.rowlock.cli.database.Database;
import dev.rowlock.cli.output.Json;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Checks a real table. */
@CommandLine.Command(
    name = "verify",
    description = "Check that a table can be claimed safely; leaves no trace.",
    footer = {
      "",
      "Two sessions claim without committing and must get different rows; both roll",
      "back. Exit 1: not safe. Exit 3: too few claimable rows to tell. Without QUEUE",
      "all configured queues are checked; the worst exit code counts.",
      "",
      "Examples:",
      "  rowlock verify",
      "  rowlock verify films",
      "  rowlock verify --table public.films --key id --state state --ready ready \\",
      "      --processing processing --done done"
    })
public final class VerifyCommand extends QueueCommand {
  private static final List<Integer> WORSE =
      List.of(ExitCode.DONE, ExitCode.NOTHING, ExitCode.FAILED, ExitCode.USAGE);

  @Option(names = "--json", description = "Print a JSON line for each finding.")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    boolean all = queueName().isEmpty() && !flags().has(QueueKey.TABLE);
    if (!all || file().queues().size() < 2) {
      return super.call();
    }
    List<QueueConfig> configs =
        file().names().stream().map(name -> config(Optional.of(name))).toList();
    configs.forEach(QueueConfig::mapping);
    int worst = ExitCode.DONE;
    try (Database database = connect(FEW)) {
      for (QueueConfig config : configs) {
        int code = one(database, config);
        worst = WORSE.indexOf(code) > WORSE.indexOf(worst) ? code : worst;
      }
    }
    return worst;
  }

  /** One of several: what is wrong with it is said, and the others are looked at all the same. */
  private int one(Database database, QueueConfig config) {
    try {
      return run(builder(database, config).build());
    } catch (CommandFailure e) {
      say(e.getMessage());
      return e.code();
    } catch (ConfigurationException e) {
      say(e.getMessage());
      return ExitCode.USAGE;
    }
  }

  @Override
  int run(Queue queue) {
    Verification verification = queue.verify();
    verification.findings().forEach(this::show);
    if (!verification.safe()) {
      String reasons =
          verification.findings().stream()
              .filter(finding -> finding.severity() == Severity.ERROR)
              .map(Finding::text)
              .collect(Collectors.joining("; "));
      throw new CommandFailure(
          ExitCode.FAILED, "queue '%s' is not safe: %s".formatted(queue.name(), reasons));
    }
    if (!verification.conclusive()) {
      throw new CommandFailure(
          ExitCode.NOTHING,
          "queue '%s': nothing is wrong, but too few rows are claimable to play the two-session check"
              .formatted(queue.name()));
    }
    if (!json) {
      long warnings =
          verification.findings().stream()
              .filter(finding -> finding.severity() == Severity.WARNING)
              .count();
      print(
          warnings == 0
              ? "%s can be claimed safely; the table is as it was".formatted(queue.name())
              : "%s can be claimed; %d %s, see above; the table is as it was"
                  .formatted(queue.name(), warnings, warnings == 1 ? "warning" : "warnings"));
    }
    return ExitCode.DONE;
  }

  private void show(Finding finding) {
    String severity = finding.severity().name().toLowerCase(Locale.ROOT);
    if (json) {
      print(
          Json.object()
              .put("severity", severity)
              .put("check", finding.check())
              .put("text", finding.text()));
    } else {
      print("%-8s %s: %s".formatted(severity, finding.check(), finding.text()));
    }
  }
}
