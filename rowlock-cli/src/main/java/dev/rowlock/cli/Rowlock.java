package dev.rowlock.cli;

import dev.rowlock.cli.command.ClaimCommand;
import dev.rowlock.cli.command.CompleteCommand;
import dev.rowlock.cli.command.DemoCommand;
import dev.rowlock.cli.command.EnqueueCommand;
import dev.rowlock.cli.command.ExtendCommand;
import dev.rowlock.cli.command.FailCommand;
import dev.rowlock.cli.command.ListCommand;
import dev.rowlock.cli.command.RecoverCommand;
import dev.rowlock.cli.command.ReleaseCommand;
import dev.rowlock.cli.command.ShowCommand;
import dev.rowlock.cli.command.SnoozeCommand;
import dev.rowlock.cli.command.SqlCommand;
import dev.rowlock.cli.command.StatsCommand;
import dev.rowlock.cli.command.VerifyCommand;
import dev.rowlock.cli.command.WorkCommand;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The root: lists the commands. */
@CommandLine.Command(
    name = "rowlock",
    synopsisSubcommandLabel = "COMMAND",
    versionProvider = Rowlock.Version.class,
    description = "Turns a table in your SQL database into a safe, fast work queue.",
    subcommands = {
      DemoCommand.class,
      VerifyCommand.class,
      SqlCommand.class,
      EnqueueCommand.class,
      ClaimCommand.class,
      CompleteCommand.class,
      FailCommand.class,
      SnoozeCommand.class,
      ReleaseCommand.class,
      ExtendCommand.class,
      RecoverCommand.class,
      WorkCommand.class,
      StatsCommand.class,
      ListCommand.class,
      ShowCommand.class,
      CommandLine.HelpCommand.class
    },
    footer = {
      "",
      "Exit codes: 0 done; 1 it ran and failed; 2 wrong use or configuration;",
      "3 nothing claimable; 4 lease lost; 5 database unreachable.",
      "",
      "Start with:  rowlock demo",
      "Then:        rowlock COMMAND --help"
    })
final class Rowlock implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Print this help.")
  private boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Print the version.")
  private boolean version;

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getOut());
    return ExitCode.DONE;
  }

  /** Reads the version from the jar. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Rowlock.class.getPackage().getImplementationVersion();
      return new String[] {"rowlock " + (version == null ? "(not packaged)" : version)};
    }
  }
}
