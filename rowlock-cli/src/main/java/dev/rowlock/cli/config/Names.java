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

  /** Insertions, deletions, substitutions and swaps of neighbours. */
  private static int distance(String a, String b) {
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          d[i][j] = i + j;
          continue;
        }
        int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        int least = Math.min(d[i - 1][j], d[i][j - 1]) + 1;
        d[i][j] = Math.min(least, d[i - 1][j - 1] + change);
        boolean swapped =
            i > 1
                && j > 1
                && a.charAt(i - 1) == b.charAt(j - 2)
                && a.charAt(i - 2) == b.charAt(j - 1);
        if (swapped) {
          d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
        }
      }
    }
    return d[a.length()][b.length()];
  }
}
