package dev.rowlock.cli.database;

/** Keeps passwords out of messages. */
public final class Secrets {
  private Secrets() {}

  /** A URL without its passwords. */
  public static String hide(String url) {
    // SQL Server's driver takes values with semicolons in braces, a closing one doubled.
    return url.replaceAll(
            "(?i)([?&;](?:password|sslpassword|pwd)=)(?:[{](?:[^}]|}})*}|[^&;]*)", "$1***")
        .replaceAll("^([a-z0-9:+]+://[^/@:]*):[^/]*@", "$1:***@");
  }
}
