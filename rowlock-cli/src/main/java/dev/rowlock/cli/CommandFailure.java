package dev.rowlock.cli;

/** A command ran and ends with an exit code and a line on standard error. */
public final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The exit code. */
  private final int code;

  /** With an exit code and one line. */
  public CommandFailure(int code, String message) {
    super(message);
    this.code = code;
  }

  /** The exit code. */
  public int code() {
    return code;
  }
}
