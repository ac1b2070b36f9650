package dev.rowlock.cli.command;

import dev.rowlock.Change;
import dev.rowlock.Claim;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;

/** Completes rows. */
@CommandLine.Command(
    name = "complete",
    description = "Complete claimed rows, with results for the write columns.",
    footer = {
      "",
      "Exit 4 if the claim is no longer current: nothing was changed then.",
      "",
      "Examples:",
      "  rowlock complete films --claim \"$CLAIM\" --set rendered_title='THE LAND GIRLS'",
      "  rowlock complete films --claim \"$CLAIM\" --set-json '{\"rendered_title\":null}'",
      "  rowlock complete films --claim \"$A\" --claim \"$B\""
    })
public final class CompleteCommand extends ChangeCommand {
  @ArgGroup(validate = false)
  private final ColumnFlags columns = new ColumnFlags();

  private Map<String, Object> results;

  @Override
  void check() {
    results = columns.values();
  }

  @Override
  Change change(Claim claim) {
    return new Change.Complete(claim, results);
  }
}
