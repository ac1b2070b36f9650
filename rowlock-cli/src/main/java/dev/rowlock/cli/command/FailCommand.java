package dev.rowlock.cli.command;

import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Records failed attempts. */
@CommandLine.Command(
    name = "fail",
    description = "Record a failed attempt: the row is tried again, or becomes a dead letter.",
    footer = {
      "",
      "Examples:",
      "  rowlock fail films --claim \"$CLAIM\" --error 'no such film'",
      "  rowlock fail films --claim \"$CLAIM\" --error - <error.log --retry-in 30s",
      "  rowlock fail films --claim \"$CLAIM\" --error 'not for us' --dead"
    })
public final class FailCommand extends ChangeCommand {
  @Option(
      names = "--error",
      paramLabel = "TEXT",
      description = "What went wrong; - reads it from standard input.")
  private String error;

  @Option(
      names = "--retry-in",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "When to try again, instead of the backoff.")
  private Duration retryIn;

  @Option(names = "--dead", description = "Refused for good, whatever attempts are left.")
  private boolean dead;

  @Override
  void check() {
    if (dead && retryIn != null) {
      throw usage("--dead and --retry-in exclude each other");
    }
    if ("-".equals(error)) {
      try {
        error = new String(shell().in().readAllBytes(), StandardCharsets.UTF_8).strip();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  String remark(Queue queue) {
    boolean kept = error == null || error.isEmpty() || queue.mapping().has(Role.ERROR);
    return kept ? "" : " (the error text was not kept: map error)";
  }

  @Override
  Change change(Claim claim) {
    return dead
        ? new Change.Dead(claim, error)
        : new Change.Fail(claim, error, Optional.ofNullable(retryIn));
  }
}
