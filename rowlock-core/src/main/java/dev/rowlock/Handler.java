package dev.rowlock;

/**
 * The user's code. Called from many threads at once, never twice at once for one claim. It may be
 * called again for a row that it has worked on before (at least once), so its effects outside the
 * database should bear repetition.
 */
@FunctionalInterface
public interface Handler {
  /**
   * Works on one row.
   *
   * @param job the row and its claim
   * @return what to do with the row; null counts as a failed attempt
   * @throws Exception any exception or error is a failed attempt: its text is recorded and the row
   *     is tried again, or becomes a dead letter when its attempts are used up
   */
  Outcome handle(Job job) throws Exception;
}
