package dev.rowlock.cli;

import dev.rowlock.cli.command.Command;
import dev.rowlock.cli.command.DatabaseCommand;
import dev.rowlock.cli.database.Product;
import java.util.Arrays;
import java.util.ListResourceBundle;
import picocli.CommandLine;

/** The command line. */
public final class Main {
  private Main() {}

  /** Runs a command and tells the shell how it went. */
  public static void main(String[] args) {
    int code = run(args, Shell.system());
    System.out.flush();
    System.exit(code);
  }

  /**
   * Runs a command.
   *
   * @param args as typed
   * @param shell the world around it
   * @return the exit code
   */
  public static int run(String[] args, Shell shell) {
    boolean debug = Arrays.asList(args).contains("--debug");
    Logs.configure(shell.err(), debug);
    CommandLine line = new CommandLine(new Rowlock(), new Factory(shell));
    line.setResourceBundle(new HelpTexts());
    line.getSubcommands()
        .values()
        .forEach(
            sub -> {
              sub.getCommandSpec()
                  .usageMessage()
                  .abbreviateSynopsis(true)
                  .sortOptions(false)
                  .parameterListHeading("%n");
              if (sub.getCommandSpec().userObject() instanceof DatabaseCommand command) {
                command.addMappingFlags(sub.getCommandSpec());
              }
            });
    Errors errors = new Errors(shell, debug);
    line.setExecutionExceptionHandler(errors);
    line.setParameterExceptionHandler(errors);
    line.setOut(new java.io.PrintWriter(shell.out(), true));
    line.setErr(new java.io.PrintWriter(shell.err(), true));
    line.setUsageHelpWidth(80);
    line.setUsageHelpLongOptionsMaxWidth(26);
    line.setOverwrittenOptionsAllowed(false);
    line.setAbbreviatedOptionsAllowed(false);
    line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
    try {
      return line.execute(args);
    } finally {
      line.getOut().flush();
      line.getErr().flush();
    }
  }

  /** What help says that is known in one place only. */
  private static final class HelpTexts extends ListResourceBundle {
    @Override
    protected Object[][] getContents() {
      return new Object[][] {{"urls", Product.allowed()}};
    }
  }

  /** Gives every command its shell. */
  private record Factory(Shell shell) implements CommandLine.IFactory {
    @Override
    public <K> K create(Class<K> type) throws Exception {
      K made = CommandLine.defaultFactory().create(type);
      if (made instanceof Command command) {
        command.use(shell);
      }
      return made;
    }
  }
}
