package dev.rowlock.cli.database;

import java.util.Optional;

/**
 * What was said in one place about the connection.
 *
 * @param url where the database is
 * @param user the user
 * @param password the password
 */
public record Credentials(Optional<String> url, Optional<String> user, Optional<String> password) {

  /** Nothing was said. */
  public static final Credentials NONE =
      new Credentials(Optional.empty(), Optional.empty(), Optional.empty());

  @Override
  public String toString() {
    return "credentials (not shown)";
  }
}
