package dev.rowlock.cli;

/** What the command line tells the shell. */
public final class ExitCode {
  /** Done. */
  public static final int DONE = 0;

  /** It ran and failed. */
  public static final int FAILED = 1;

  /** Wrong use or configuration. */
  public static final int USAGE = 2;

  /** Nothing claimable. */
  public static final int NOTHING = 3;

  /** A lease was lost. */
  public static final int LOST = 4;

  /** The database is unreachable. */
  public static final int UNREACHABLE = 5;

  private ExitCode() {}
}
