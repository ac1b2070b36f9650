package dev.rowlock.cli.command;

import picocli.CommandLine;

/** Shows what Rowlock does. */
@CommandLine.Command(
    name = "demo",
    description = "See it work: needs no database and leaves nothing behind.")
public final class DemoCommand extends Command {
  @Override
  public Integer call() throws Exception {
    return new dev.rowlock.cli.demo.Demo(shell().out()).run();
  }
}
