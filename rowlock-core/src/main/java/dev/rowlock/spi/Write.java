package dev.rowlock.spi;

import java.util.List;

/**
 * A kind of fenced write.
 *
 * @param kind what happens to the row
 * @param results for {@link Kind#COMPLETE}: the write columns that are set
 */
public record Write(Kind kind, List<Column> results) {

  /**
   * Copies the list.
   *
   * @param kind see above
   * @param results see above
   */
  public Write {
    results = List.copyOf(results);
  }

  /** What happens to the row. */
  public enum Kind {
    /** Done. */
    COMPLETE,
    /** Failed, to be tried again. */
    RETRY,
    /** Dead letter. */
    DEAD,
    /** Later, at no cost. */
    SNOOZE,
    /** Back. */
    RELEASE
  }

  /**
   * A write without results.
   *
   * @param kind what happens
   * @return the write
   */
  public static Write of(Kind kind) {
    return new Write(kind, List.of());
  }
}
