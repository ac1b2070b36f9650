package dev.rowlock.internal.store;

import dev.rowlock.spi.Column;
import dev.rowlock.spi.Dialect;
import java.nio.charset.StandardCharsets;

/**
 * Makes an error's text fit to be stored, so that recording a failure never fails itself: NUL and
 * lone surrogates are replaced (PostgreSQL refuses the one, drivers mangle the other) and the text
 * is cut between code points to what the column holds.
 */
final class ErrorText {
  private static final char REPLACEMENT = '\uFFFD';

  /** Nobody reads more; the column may hold it. */
  private static final int LONGEST = 16_384;

  private ErrorText() {}

  static String safe(String text, Column column, Dialect dialect) {
    if (text == null) {
      return null;
    }
    int limit = column.size() > 0 ? Math.min(column.size(), LONGEST) : LONGEST;
    StringBuilder out = new StringBuilder(Math.min(text.length(), limit));
    int used = 0;
    for (int i = 0; i < text.length(); ) {
      int codePoint = text.codePointAt(i);
      i += Character.charCount(codePoint);
      boolean lone = codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
      int safe = lone || codePoint == 0 ? REPLACEMENT : codePoint;
      safe =
          dialect.holds(safe, column)
              ? safe
              : dialect.holds(REPLACEMENT, column) ? REPLACEMENT : '?';
      used += cost(safe, dialect.textUnit(column));
      if (used > limit) {
        break;
      }
      out.appendCodePoint(safe);
    }
    return out.toString();
  }

  private static int cost(int codePoint, Dialect.TextUnit unit) {
    return switch (unit) {
      case CODE_POINTS -> 1;
      case UTF16 -> Character.charCount(codePoint);
      case BYTES -> Character.toString(codePoint).getBytes(StandardCharsets.UTF_8).length;
    };
  }
}
