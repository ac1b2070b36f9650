package dev.rowlock.cli.command;

import dev.rowlock.cli.Shell;
import dev.rowlock.cli.output.Json;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** What every command has. */
public abstract class Command implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Print this help.")
  private boolean help;

  @Option(names = "--debug", description = "Log more, and print stack traces of errors.")
  private boolean debug;

  private Shell shell;

  /** Called before anything else. */
  public final void use(Shell given) {
    shell = given;
  }

  /** The world around the command. */
  protected final Shell shell() {
    return shell;
  }

  /** Prints a result; ends the command if nobody reads it. */
  protected final void print(String line) {
    shell.out().println(line);
    shell.checkOutput();
  }

  /** Prints a result as a JSON line. */
  protected final void print(JsonNode node) {
    print(Json.line(node));
  }

  /** Prints a message to people. */
  protected final void say(String line) {
    shell.err().println("rowlock: " + line);
  }

  /** Wrong use of this command. */
  protected final ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
