package dev.rowlock.cli.command;

import dev.rowlock.Queue;
import dev.rowlock.cli.config.QueueConfig;
import dev.rowlock.cli.database.Database;
import java.util.Optional;
import picocli.CommandLine.Parameters;

/** A command that works on one queue. */
abstract class QueueCommand extends DatabaseCommand {
  @Parameters(
      arity = "0..1",
      paramLabel = "QUEUE",
      description = "A name from the file; or give the mapping as flags.")
  private String queue;

  final Optional<String> queueName() {
    return Optional.ofNullable(queue);
  }

  @Override
  public Integer call() throws Exception {
    QueueConfig config = config(queueName());
    config.mapping();
    try (Database database = connect(FEW)) {
      return run(builder(database, config).build());
    }
  }

  /** Does the work. */
  abstract int run(Queue queue) throws Exception;
}
