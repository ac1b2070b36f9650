package dev.rowlock;

/** A mapping, an option or a table that cannot be used as asked. Trying again does not help. */
public class ConfigurationException extends RowlockException {
  private static final long serialVersionUID = 1L;

  /**
   * With a message.
   *
   * @param message what was found, what is allowed, what to do
   */
  public ConfigurationException(String message) {
    super(message);
  }

  /**
   * With a message and a cause.
   *
   * @param message what was found, what is allowed, what to do
   * @param cause what led to it, may be null
   */
  public ConfigurationException(String message, Throwable cause) {
    super(message, cause);
  }
}
