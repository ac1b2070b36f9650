package dev.rowlock.cli.command;

import dev.rowlock.Change;
import dev.rowlock.Claim;
import picocli.CommandLine;

/** Gives rows back. */
@CommandLine.Command(
    name = "release",
    description = "Give claimed rows back untouched, for anybody to claim.",
    footer = {"", "Example:", "  rowlock release films --claim \"$CLAIM\""})
public final class ReleaseCommand extends ChangeCommand {
  @Override
  Change change(Claim claim) {
    return new Change.Release(claim);
  }
}
