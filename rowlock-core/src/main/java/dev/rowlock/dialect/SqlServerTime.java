package dev.rowlock.dialect;

import dev.rowlock.ConfigurationException;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Kind;
import dev.rowlock.spi.Model;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Optional;

/**
 * SQL Server's clock as an expression. SYSUTCDATETIME() and SYSDATETIMEOFFSET() tell the time of
 * the statement, in a transaction too.
 */
final class SqlServerTime {

  /**
   * SQL Server knows time zones by the names that Windows has for them. Where one of these is one
   * zone of the tz database (by CLDR's table, territory 001), it is here; others are refused rather
   * than guessed, since a wrong night of the year would end leases an hour early.
   */
  private static final Map<String, String> ZONES =
      Map.ofEntries(
          Map.entry("America/New_York", "Eastern Standard Time"),
          Map.entry("America/Chicago", "Central Standard Time"),
          Map.entry("America/Denver", "Mountain Standard Time"),
          Map.entry("America/Phoenix", "US Mountain Standard Time"),
          Map.entry("America/Los_Angeles", "Pacific Standard Time"),
          Map.entry("America/Anchorage", "Alaskan Standard Time"),
          Map.entry("Pacific/Honolulu", "Hawaiian Standard Time"),
          Map.entry("America/Halifax", "Atlantic Standard Time"),
          Map.entry("America/St_Johns", "Newfoundland Standard Time"),
          Map.entry("America/Bogota", "SA Pacific Standard Time"),
          Map.entry("America/Sao_Paulo", "E. South America Standard Time"),
          Map.entry("Europe/London", "GMT Standard Time"),
          Map.entry("Europe/Berlin", "W. Europe Standard Time"),
          Map.entry("Europe/Paris", "Romance Standard Time"),
          Map.entry("Europe/Warsaw", "Central European Standard Time"),
          Map.entry("Europe/Budapest", "Central Europe Standard Time"),
          Map.entry("Europe/Kiev", "FLE Standard Time"),
          Map.entry("Europe/Kyiv", "FLE Standard Time"),
          Map.entry("Europe/Bucharest", "GTB Standard Time"),
          Map.entry("Europe/Istanbul", "Turkey Standard Time"),
          Map.entry("Europe/Moscow", "Russian Standard Time"),
          Map.entry("Asia/Jerusalem", "Israel Standard Time"),
          Map.entry("Africa/Johannesburg", "South Africa Standard Time"),
          Map.entry("Africa/Lagos", "W. Central Africa Standard Time"),
          Map.entry("Africa/Nairobi", "E. Africa Standard Time"),
          Map.entry("Asia/Dubai", "Arabian Standard Time"),
          Map.entry("Asia/Karachi", "Pakistan Standard Time"),
          Map.entry("Asia/Calcutta", "India Standard Time"),
          Map.entry("Asia/Kolkata", "India Standard Time"),
          Map.entry("Asia/Katmandu", "Nepal Standard Time"),
          Map.entry("Asia/Kathmandu", "Nepal Standard Time"),
          Map.entry("Asia/Bangkok", "SE Asia Standard Time"),
          Map.entry("Asia/Shanghai", "China Standard Time"),
          Map.entry("Asia/Singapore", "Singapore Standard Time"),
          Map.entry("Asia/Tokyo", "Tokyo Standard Time"),
          Map.entry("Asia/Seoul", "Korea Standard Time"),
          Map.entry("Australia/Perth", "W. Australia Standard Time"),
          Map.entry("Australia/Brisbane", "E. Australia Standard Time"),
          Map.entry("Australia/Adelaide", "Cen. Australia Standard Time"),
          Map.entry("Australia/Sydney", "AUS Eastern Standard Time"),
          Map.entry("Pacific/Auckland", "New Zealand Standard Time"));

  private SqlServerTime() {}

  /** The time in a column's type and the mapped zone, rounded as the column rounds. */
  static String now(Model model, Column target, Optional<String> plusMillis) {
    boolean local = target.kind() == Kind.LOCAL_TIMESTAMP;
    String clock = target.kind() == Kind.INSTANT ? "SYSDATETIMEOFFSET()" : "SYSUTCDATETIME()";
    String then = plusMillis.map(ms -> later(clock, ms)).orElse(clock);
    String there = local ? inZone(then, model.mapping().timeZone()) : then;
    return exact(target) ? there : "CAST(" + there + " AS " + target.type() + ")";
  }

  /** The time now without a part of a second that a column could round. */
  private static boolean exact(Column target) {
    return target.kind() == Kind.UNKNOWN || target.type().endsWith("(7)");
  }

  // DATEADD counts in int: as milliseconds a delay of 25 days would not fit.
  private static String later(String clock, String millis) {
    return "DATEADD(millisecond, (%1$s) %% 1000, DATEADD(second, (%1$s) / 1000, %2$s))"
        .formatted(millis, clock);
  }

  private static String inZone(String utc, ZoneId zone) {
    if (zone.normalized() instanceof ZoneOffset offset) {
      int seconds = offset.getTotalSeconds();
      return seconds == 0 ? utc : "DATEADD(second, " + seconds + ", " + utc + ")";
    }
    return "CAST(%s AT TIME ZONE 'UTC' AT TIME ZONE '%s' AS datetime2(7))"
        .formatted(utc, windows(zone));
  }

  private static String windows(ZoneId zone) {
    String name = ZONES.get(zone.getId());
    if (name == null) {
      throw new ConfigurationException(
          "time-zone %s: SQL Server knows time zones by other names, and which one is meant is not sure; allowed: UTC, which no night of the year changes, or %s"
              .formatted(
                  zone.getId(), String.join(", ", ZONES.keySet().stream().sorted().toList())));
    }
    return name;
  }
}
