package dev.rowlock.cli;

import dev.rowlock.ConfigurationException;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.LeaseLostException;
import dev.rowlock.cli.config.Names;
import dev.rowlock.cli.database.Secrets;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns whatever went wrong into one line on standard error and an exit code. */
final class Errors implements IExecutionExceptionHandler, IParameterExceptionHandler {
  private final Shell shell;
  private final boolean debug;

  Errors(Shell shell, boolean debug) {
    this.shell = shell;
    this.debug = debug;
  }

  @Override
  public int handleExecutionException(Exception e, CommandLine line, ParseResult parsed) {
    if (e instanceof Shell.BrokenPipeException) {
      return ExitCode.FAILED;
    }
    if (e instanceof ParameterException parameter) {
      return handleParseException(parameter, null);
    }
    say(e, oneLine(e));
    return code(e);
  }

  @Override
  public int handleParseException(ParameterException e, String[] args) {
    String command = e.getCommandLine().getCommandSpec().qualifiedName();
    say(e, "%s; see '%s --help'".formatted(message(e), command));
    return ExitCode.USAGE;
  }

  private static String message(ParameterException e) {
    String text =
        e.getMessage()
            .replaceAll("\\s+", " ")
            .replaceAll("[.;]\\s*$", "")
            .replaceFirst("^Invalid value for option '(--[a-z-]+)': found ", "$1: found ")
            .replaceFirst(
                "^Invalid value for option '(--[a-z-]+)': ('.*') is not an? (int|long)$",
                "$1: found $2; allowed: a whole number");
    CommandLine line = e.getCommandLine();
    if (e instanceof UnmatchedArgumentException unmatched && unmatched.isUnknownOption()) {
      List<String> near = unmatched.getSuggestions();
      String meant = near.isEmpty() ? "" : "; did you mean " + String.join(" or ", near) + "?";
      return "Unknown option: '%s'%s".formatted(unmatched.getUnmatched().get(0), meant);
    }
    if (e instanceof UnmatchedArgumentException unmatched && line.getParent() == null) {
      return unknownCommand(unmatched.getUnmatched().get(0), line);
    }
    if (text.startsWith("Unknown subcommand '")) {
      return unknownCommand(
          text.replaceAll("^[^']*'|'.*$", ""), line.getParent() == null ? line : line.getParent());
    }
    if (e instanceof UnmatchedArgumentException unmatched) {
      List<String> near = unmatched.getSuggestions();
      return near.isEmpty() ? text : text + "; did you mean " + String.join(" or ", near) + "?";
    }
    return text;
  }

  private static String unknownCommand(String typed, CommandLine root) {
    return "unknown command '%s'%s"
        .formatted(typed, Names.didYouMean(typed, root.getSubcommands().keySet()));
  }

  private static int code(Throwable e) {
    if (e instanceof CommandFailure failure) {
      return failure.code();
    }
    if (e instanceof ConfigurationException || e instanceof IllegalArgumentException) {
      return ExitCode.USAGE;
    }
    if (e instanceof LeaseLostException) {
      return ExitCode.LOST;
    }
    boolean away = e instanceof DatabaseException d && d.fault() == Fault.CONNECTION;
    return away ? ExitCode.UNREACHABLE : ExitCode.FAILED;
  }

  private static String oneLine(Throwable e) {
    String message = e.getMessage();
    boolean expected = e instanceof dev.rowlock.RowlockException || e instanceof CommandFailure;
    String text =
        message == null || message.isBlank()
            ? e.toString()
            : expected || e instanceof IllegalArgumentException ? message : e.toString();
    return Secrets.hide(text.replaceAll("\\s*[\\r\\n]+\\s*", " ").strip());
  }

  private void say(Throwable e, String line) {
    shell.err().println("rowlock: " + line);
    if (debug) {
      e.printStackTrace(shell.err());
    }
  }
}
