package dev.rowlock;

/** A feature that the columns of a {@link Mapping} switch on. */
public enum Capability {
  /**
   * Attempts are counted, and a row that has used them up is a dead letter. Needs {@code attempts}.
   */
  RETRY_LIMIT("map attempts"),
  /**
   * A claim ends by itself and the row can be recovered. Needs {@code lease-until} or {@code
   * claimed-at}.
   */
  EXPIRY("map lease-until or claimed-at"),
  /** Two claims of one row can always be told apart. Needs {@code token} or {@code attempts}. */
  FENCE("map token"),
  /** Rows can wait: backoff, snooze, delay. Needs {@code run-at}. */
  DELAY("map run-at"),
  /** The text of the last failure is kept. Needs {@code error}. */
  ERROR_TEXT("map error"),
  /**
   * A refused row has a place of its own. Needs a {@code dead} state, {@code dead-at}, or a
   * terminal {@code failed} state.
   */
  DEAD_LETTER("map a dead state or dead-at"),
  /** Strict order for each group key. Needs {@code group}. */
  GROUP_ORDER("map group"),
  /** The row says which worker holds it. Needs {@code worker}. */
  WORKER_NAME("map worker");

  private final String remedy;

  Capability(String remedy) {
    this.remedy = remedy;
  }

  /**
   * What to add to the mapping to get this capability.
   *
   * @return a short instruction, never null
   */
  public String remedy() {
    return remedy;
  }
}
