package dev.rowlock.cli.command;

import dev.rowlock.ConfigurationException;
import dev.rowlock.Mode;
import dev.rowlock.Queue;
import dev.rowlock.QueueBuilder;
import dev.rowlock.cli.config.ConfigFile;
import dev.rowlock.cli.config.Names;
import dev.rowlock.cli.config.QueueConfig;
import dev.rowlock.cli.config.QueueKey;
import dev.rowlock.cli.config.QueueSettings;
import dev.rowlock.cli.config.Variables;
import dev.rowlock.cli.database.Credentials;
import dev.rowlock.cli.database.Database;
import dev.rowlock.cli.database.Target;
import dev.rowlock.cli.database.Targets;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;

/** A command that works on the queues of a database. */
public abstract class DatabaseCommand extends Command {
  /** Connections of a short command at most; verify uses three. */
  static final int FEW = 4;

  @ArgGroup(
      validate = false,
      order = 90,
      heading = "%nConnection (first that is given: flags, ROWLOCK_*, file, PG*, ./.rowlock/)%n")
  private final ConnectionFlags connection = new ConnectionFlags();

  private final MappingFlags mapping = new MappingFlags();
  private ConfigFile file;

  /** Adds the mapping flags, once the command's own options are known. */
  public final void addMappingFlags(CommandSpec spec) {
    mapping.addTo(spec);
  }

  /** The mapping flags as they were given. */
  final QueueSettings flags() {
    return mapping.settings();
  }

  /** The configuration file; an empty one if there is none. */
  final ConfigFile file() {
    if (file == null) {
      Optional<String> variable =
          Optional.ofNullable(shell().environment().get("ROWLOCK_CONFIG"))
              .filter(v -> !v.isEmpty());
      file = ConfigFile.find(connection.config().or(() -> variable), shell().directory());
    }
    return file;
  }

  private Variables variables() {
    return new Variables(shell().environment());
  }

  /** Connects to the database that is meant. */
  final Database connect(int connections) {
    return Database.open(target(false), connections);
  }

  /** Connects to run a file; the embedded database is made if there is none. */
  final Database connectForScript() {
    return Database.open(target(true).forScripts(), FEW);
  }

  private Target target(boolean create) {
    Targets targets = new Targets(shell().environment(), shell().directory());
    return targets.find(connection.credentials(), this::fromFile, create);
  }

  /** A claim of a command outlives the command; one in a transaction does not. */
  static void requireLeases(Queue queue) {
    if (queue.mode() == Mode.TRANSACTIONAL) {
      throw new ConfigurationException(
          "queue '%s' is in transactional mode, in which a claim ends with its process: use rowlock work %s, or mode: lease"
              .formatted(queue.name(), queue.name()));
    }
  }

  private Credentials fromFile() {
    Variables variables = variables();
    return new Credentials(
        file().database().url(variables),
        file().database().user(variables),
        file().database().password(variables));
  }

  /** The queue that is meant: a name from the file, with the flags laid over it, or flags alone. */
  final QueueConfig config(Optional<String> name) {
    QueueSettings flags = flags();
    if (name.isPresent()) {
      QueueSettings settings = named(name.get(), flags);
      return new QueueConfig(name.get(), settings, variables());
    }
    if (flags.has(QueueKey.TABLE)) {
      return new QueueConfig(flags.table(), flags, variables());
    }
    if (file().queues().size() == 1) {
      String only = file().names().get(0);
      return new QueueConfig(only, file().queues().get(only).overlay(flags), variables());
    }
    throw usage(
        file().queues().isEmpty()
            ? "no queue is given, and none is configured: give --table, --key and --state, or write "
                + ConfigFile.DEFAULT_NAME
            : "give a queue: " + String.join(", ", file().names()));
  }

  private QueueSettings named(String name, QueueSettings flags) {
    Optional<QueueSettings> configured = file().queue(name);
    if (configured.isPresent()) {
      return configured.get().overlay(flags);
    }
    if (flags.has(QueueKey.TABLE)) {
      return flags;
    }
    if (flags.has(QueueKey.KEY)) {
      flags.flag(QueueKey.TABLE, List.of(name));
      return flags;
    }
    String where =
        file().file().map(f -> "in " + f).orElse("here: there is no " + ConfigFile.DEFAULT_NAME);
    String known =
        file().queues().isEmpty() ? "" : "; configured: " + String.join(", ", file().names());
    throw new ConfigurationException(
        "queue '%s' is not configured %s%s%s; or give the mapping as flags: --table, --key, --state …"
            .formatted(name, where, Names.didYouMean(name, file().names()), known));
  }

  /** Starts to build a queue. */
  final QueueBuilder builder(Database database, QueueConfig config) {
    return config.configure(Queue.builder(config.name(), database.dataSource(), config.mapping()));
  }
}
