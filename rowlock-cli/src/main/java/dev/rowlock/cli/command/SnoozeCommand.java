package dev.rowlock.cli.command;

import dev.rowlock.Change;
import dev.rowlock.Claim;
import java.time.Duration;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Gives rows back for later. */
@CommandLine.Command(
    name = "snooze",
    description = "Give claimed rows back for later; needs a run-at column.",
    footer = {"", "Example:", "  rowlock snooze films --claim \"$CLAIM\" --for 10m"})
public final class SnoozeCommand extends ChangeCommand {
  @Option(
      names = "--for",
      required = true,
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "How long, for example 10m.")
  private Duration delay;

  @Override
  Change change(Claim claim) {
    return new Change.Snooze(claim, delay);
  }
}
