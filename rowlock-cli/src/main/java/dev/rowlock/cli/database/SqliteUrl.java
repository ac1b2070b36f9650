package dev.rowlock.cli.database;

import dev.rowlock.ConfigurationException;

/** {@code sqlite:app.db} and {@code sqlite:///var/lib/app.db}: a file, as other tools write it. */
final class SqliteUrl {
  private static final String SCHEME = "sqlite:";

  private SqliteUrl() {}

  static boolean is(String url) {
    return url.startsWith(SCHEME);
  }

  static String jdbc(String url) {
    String file = url.substring(SCHEME.length());
    boolean host = file.startsWith("//") && !file.startsWith("///");
    if (host || file.isEmpty()) {
      throw new ConfigurationException(
          "'%s' names no file; allowed: sqlite:app.db for a file here, sqlite:///var/lib/app.db for one anywhere"
              .formatted(url));
    }
    return "jdbc:sqlite:" + (file.startsWith("///") ? file.substring(2) : file);
  }
}
