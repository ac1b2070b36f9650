package dev.rowlock.cli.command;

import dev.rowlock.Change;
import dev.rowlock.Claim;
import java.time.Duration;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Extends leases. */
@CommandLine.Command(
    name = "extend",
    description = "Extend the lease of claimed rows, counted from now.",
    footer = {
      "",
      "With --json a line has \"newClaim\": go on with it. It differs from the old",
      "one where the lease itself is the fence.",
      "",
      "Example:",
      "  CLAIM=$(rowlock extend films --claim \"$CLAIM\" --by 5m --json | jq -r .newClaim)"
    })
public final class ExtendCommand extends ChangeCommand {
  @Option(
      names = "--by",
      required = true,
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "How long from now, for example 5m.")
  private Duration by;

  @Override
  void check() {
    if (by.isZero()) {
      throw usage("--by is 0; allowed: more than 0");
    }
  }

  @Override
  Change change(Claim claim) {
    return new Change.Extend(claim, by);
  }
}
