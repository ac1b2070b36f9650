package dev.rowlock;

/**
 * Root of everything that Rowlock throws. The message is one line: what was found, what is allowed,
 * what to do.
 */
public class RowlockException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * With a message.
   *
   * @param message one line
   */
  public RowlockException(String message) {
    super(message);
  }

  /**
   * With a message and a cause.
   *
   * @param message one line
   * @param cause what led to it, may be null
   */
  public RowlockException(String message, Throwable cause) {
    super(message, cause);
  }
}
