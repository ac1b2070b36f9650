package dev.rowlock.cli.config;

import dev.rowlock.ConfigurationException;

/**
 * Where a setting was written: {@code rowlock.yaml:5: queues.articles.lease}, or a flag.
 *
 * @param place what a message about the setting begins with
 */
public record Origin(String place) {

  /** A key in a file. */
  static Origin of(String file, int line, String path) {
    return new Origin("%s:%d: %s".formatted(file, line, path));
  }

  /** Says what was found and what is allowed. */
  public ConfigurationException refuse(String found, String allowed) {
    return new ConfigurationException("%s: found %s; allowed: %s".formatted(place, found, allowed));
  }

  /** Says what is wrong in other words. */
  public ConfigurationException refuse(String reason) {
    return new ConfigurationException(place + ": " + reason);
  }
}
