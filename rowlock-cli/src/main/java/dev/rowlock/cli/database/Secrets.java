package dev.rowlock.cli.database;

/** Keeps passwords out of messages. */
public final class Secrets {
  private Secrets() {}

  /** A URL without its passwords. */
  public static String hide(String url) {
    // SQL Server's driver takes values in braces, in which } is doubled.
    return url.replaceAll(
            "(?i)([?&;][a-z]*(?:password|pwd|secret|accesstoken)=)(?:\\{(?:[^}]|}})*}|[^&;]*)",
            "$1***")
        .replaceAll("^([a-z0-9:+]+://[^/@:]*):[^/]*@", "$1:***@");
  }
}
