package dev.rowlock.cli.command;

import dev.rowlock.cli.database.Credentials;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Where the database is. */
final class ConnectionFlags {
  @Option(names = "--url", paramLabel = "URL", description = "${bundle:urls} (or ROWLOCK_URL).")
  private String url;

  @Option(names = "--user", paramLabel = "NAME", description = "Database user (or ROWLOCK_USER).")
  private String user;

  @Option(
      names = "--password",
      paramLabel = "TEXT",
      description = "Its password; ROWLOCK_PASSWORD keeps it out of the process list.")
  private String password;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Configuration (or ROWLOCK_CONFIG); ./rowlock.yaml by default.")
  private String config;

  Credentials credentials() {
    return new Credentials(
        Optional.ofNullable(url), Optional.ofNullable(user), Optional.ofNullable(password));
  }

  Optional<String> config() {
    return Optional.ofNullable(config);
  }
}
