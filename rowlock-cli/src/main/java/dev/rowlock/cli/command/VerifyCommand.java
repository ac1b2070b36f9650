package dev.rowlock.cli.command;

import dev.rowlock.Queue;
import dev.rowlock.Verification;
import dev.rowlock.Verification.Finding;
import dev.rowlock.Verification.Severity;
import dev.rowlock.cli.CommandFailure;
import dev.rowlock.cli.ExitCode;
import dev.rowlock.cli.output.Json;
import java.util.Locale;
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
      "back. Exit 1: not safe. Exit 3: too few claimable rows to tell.",
      "",
      "Examples:",
      "  rowlock verify films",
      "  rowlock verify --table public.films --key id --state state --ready ready \\",
      "      --processing processing --done done"
    })
public final class VerifyCommand extends QueueCommand {
  @Option(names = "--json", description = "Print a JSON line for each finding.")
  private boolean json;

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
      print("%s can be claimed safely; the table is as it was".formatted(queue.name()));
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
