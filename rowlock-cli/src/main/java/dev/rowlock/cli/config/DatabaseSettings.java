package dev.rowlock.cli.config;

import java.util.Map;
import java.util.Optional;

/** The {@code database:} section of a configuration file; variables are filled in when asked. */
public final class DatabaseSettings {
  /** No section. */
  public static final DatabaseSettings NONE = new DatabaseSettings(Map.of());

  private final Map<String, Value> values;

  DatabaseSettings(Map<String, Value> values) {
    this.values = values;
  }

  /** Where the database is. */
  public Optional<String> url(Variables variables) {
    return get("url", variables);
  }

  /** The database's user. */
  public Optional<String> user(Variables variables) {
    return get("user", variables);
  }

  /** The user's password. */
  public Optional<String> password(Variables variables) {
    return get("password", variables);
  }

  private Optional<String> get(String key, Variables variables) {
    return Optional.ofNullable(values.get(key)).map(value -> value.resolve(variables).text());
  }
}
