package dev.rowlock.cli.config;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: {@code 500ms 30s 5m 2h 1d 1h30m}, and ISO {@code PT5M}. */
public final class Durations {
  /** What is allowed, for messages. */
  public static final String ALLOWED = "a duration such as 500ms, 30s, 5m, 2h, 1d or PT5M";

  private static final Pattern PART = Pattern.compile("(\\d+(?:\\.\\d+)?)(ms|s|m|h|d)");
  private static final Pattern WHOLE = Pattern.compile("(?:" + PART.pattern() + ")+");

  private Durations() {}

  /** Reads a duration; empty if it is none, is negative or does not fit. */
  public static Optional<Duration> parse(String text) {
    String word = text.strip().toLowerCase(Locale.ROOT);
    try {
      if (word.equals("0")) {
        return Optional.of(Duration.ZERO);
      }
      if (word.startsWith("p")) {
        return Optional.of(Duration.parse(word)).filter(d -> !d.isNegative());
      }
      return WHOLE.matcher(word).matches() ? Optional.of(sum(word)) : Optional.empty();
    } catch (DateTimeParseException | ArithmeticException e) {
      return Optional.empty();
    }
  }

  private static Duration sum(String word) {
    Duration total = Duration.ZERO;
    Matcher part = PART.matcher(word);
    while (part.find()) {
      double nanos = Double.parseDouble(part.group(1)) * unit(part.group(2)).toNanos();
      if (nanos >= Long.MAX_VALUE) {
        throw new ArithmeticException("too long");
      }
      total = total.plusNanos(Math.round(nanos));
    }
    return total;
  }

  private static Duration unit(String unit) {
    return switch (unit) {
      case "ms" -> Duration.ofMillis(1);
      case "s" -> Duration.ofSeconds(1);
      case "m" -> Duration.ofMinutes(1);
      case "h" -> Duration.ofHours(1);
      default -> Duration.ofDays(1);
    };
  }

  /** Writes a duration in short, in its two largest units. */
  public static String show(Duration duration) {
    long seconds = duration.toSeconds();
    if (seconds < 1) {
      return duration.toMillis() + "ms";
    }
    if (seconds < 60) {
      int millis = duration.toMillisPart();
      return millis == 0
          ? seconds + "s"
          : String.format(Locale.ROOT, "%.1fs", millis / 1e3 + seconds);
    }
    if (seconds < 3600) {
      return two(seconds / 60, "m", seconds % 60, "s");
    }
    return seconds < 86400
        ? two(seconds / 3600, "h", seconds % 3600 / 60, "m")
        : two(seconds / 86400, "d", seconds % 86400 / 3600, "h");
  }

  private static String two(long large, String largeUnit, long small, String smallUnit) {
    return large + largeUnit + (small == 0 ? "" : small + smallUnit);
  }
}
