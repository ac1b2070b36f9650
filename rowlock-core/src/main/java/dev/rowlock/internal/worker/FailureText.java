package dev.rowlock.internal.worker;

import dev.rowlock.RowlockException;
import java.sql.SQLException;

/** Turns whatever a handler or a driver threw into one bounded line. Never throws itself. */
final class FailureText {
  private static final int MAX_CAUSES = 5;
  private static final int MAX_MESSAGE = 1000;

  private FailureText() {}

  /** Class and message of the throwable and its causes. */
  static String of(Throwable thrown) {
    try {
      StringBuilder text = new StringBuilder(200);
      Throwable current = thrown;
      for (int depth = 0; current != null && depth <= MAX_CAUSES; depth++) {
        text.append(depth == 0 ? "" : "; caused by ").append(one(current));
        Throwable cause = current.getCause();
        current = cause == current ? null : cause;
      }
      return text.toString();
    } catch (Throwable t) { // an overridden getCause, or no memory: the class alone must do
      return thrown.getClass().getName();
    }
  }

  /**
   * For a place that names the queue itself: Rowlock's own messages say it all in one line, SQL
   * state included; of others class, message, causes and SQL state.
   */
  static String plain(Throwable thrown) {
    if (thrown instanceof RowlockException && thrown.getMessage() != null) {
      return thrown.getMessage().replaceFirst("^queue '[^']*': ", "");
    }
    String state = sqlState(thrown);
    return state == null ? of(thrown) : of(thrown) + " [SQLSTATE " + state + "]";
  }

  private static String one(Throwable thrown) {
    String name = thrown.getClass().getName();
    String message;
    try {
      message = thrown.getMessage();
    } catch (Throwable t) {
      return name + " (its getMessage threw " + t.getClass().getName() + ")";
    }
    return message == null || message.isBlank() ? name : name + ": " + firstLine(message);
  }

  private static String firstLine(String message) {
    String line = message.strip().lines().findFirst().orElse("");
    if (line.length() <= MAX_MESSAGE) {
      return line;
    }
    int end =
        Character.isHighSurrogate(line.charAt(MAX_MESSAGE - 1)) ? MAX_MESSAGE - 1 : MAX_MESSAGE;
    return line.substring(0, end) + "…";
  }

  private static String sqlState(Throwable thrown) {
    Throwable current = thrown;
    for (int depth = 0; current != null && depth <= MAX_CAUSES; depth++) {
      if (current instanceof SQLException sql) {
        return sql.getSQLState();
      }
      current = current.getCause();
    }
    return null;
  }
}
