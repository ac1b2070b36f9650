package dev.rowlock;

/** How claim, handler and completion relate to transactions. */
public enum Mode {
  /**
   * The claim commits, the handler runs outside any transaction, the completion is fenced. At least
   * once; with {@link Job#complete(java.sql.Connection)} inside the handler's own transaction,
   * effects in the same database happen once.
   */
  LEASE("lease"),
  /**
   * Claim, handler and completion are one transaction on one connection, which is held while the
   * handler runs. A crash rolls all of it back at once: effects in the same database happen once.
   */
  TRANSACTIONAL("transactional");

  private final String label;

  Mode(String label) {
    this.label = label;
  }

  /**
   * The mode as it is spelled in configuration files.
   *
   * @return {@code lease} or {@code transactional}
   */
  public String label() {
    return label;
  }
}
