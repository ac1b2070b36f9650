package dev.rowlock.dialect;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Points in time as text in UTC, the only form that no driver and no session converts. */
final class MySqlTimes {
  private static final DateTimeFormatter TEXT =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSSSSS");

  private MySqlTimes() {}

  static Instant parse(String text) {
    return text == null
        ? null
        : LocalDateTime.parse(text.replace(' ', 'T')).toInstant(ZoneOffset.UTC);
  }

  /** A time with an offset in UTC; any other text as it is, for the server to judge. */
  static String inUtc(String text) {
    try {
      OffsetDateTime time = OffsetDateTime.parse(text.strip().replace(' ', 'T'));
      return TEXT.format(time.withOffsetSameInstant(ZoneOffset.UTC));
    } catch (DateTimeException e) {
      return text;
    }
  }
}
