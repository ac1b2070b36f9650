package dev.rowlock.cli.config;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Names that people type: the nearest of those that exist, and lists in one argument. */
public final class Names {
  private Names() {}

  /** The allowed name that was probably meant. */
  public static Optional<String> nearest(String typed, Collection<String> allowed) {
    String best = null;
    int least = Integer.MAX_VALUE;
    for (String name : allowed) {
      int distance = distance(plain(typed), plain(name));
      if (distance < least) {
        least = distance;
        best = name;
      }
    }
    return least <= Math.max(1, typed.length() / 3) ? Optional.ofNullable(best) : Optional.empty();
  }

  /** {@code "; did you mean 'x'?"}, or nothing. */
  public static String didYouMean(String typed, Collection<String> allowed) {
    return nearest(typed, allowed).map(n -> "; did you mean '" + n + "'?").orElse("");
  }

  /** Splits at commas outside double quotes; the quotes stay. Parts are stripped of spaces. */
  static List<String> split(String text) {
    List<String> parts = new ArrayList<>();
    int from = 0;
    boolean quoted = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        parts.add(text.substring(from, i).strip());
        from = i + 1;
      }
    }
    parts.add(text.substring(from).strip());
    return parts;
  }

  /** A name without the double quotes around it. */
  static String unquote(String name) {
    boolean quoted = name.length() > 2 && name.startsWith("\"") && name.endsWith("\"");
    return quoted ? name.substring(1, name.length() - 1).replace("\"\"", "\"") : name;
  }

  private static String plain(String name) {
    return name.toLowerCase(Locale.ROOT).replace("_", "").replace("-", "");
  }

  /** Levenshtein's distance. */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
