package dev.rowlock.dialect;

import dev.rowlock.spi.Column;
import java.sql.SQLDataException;
import java.sql.SQLException;
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

  static Instant instant(String text, Column column) throws SQLException {
    LocalDateTime utc = local(text, column);
    return utc == null ? null : utc.toInstant(ZoneOffset.UTC);
  }

  /** The zero date stands for no date, and is read as NULL. */
  static LocalDateTime local(String text, Column column) throws SQLException {
    if (text == null || text.startsWith("0000-00-00")) {
      return null;
    }
    try {
      return LocalDateTime.parse(text.replace(' ', 'T'));
    } catch (DateTimeException e) {
      throw new SQLDataException(
          "column '%s' holds %s, which is no time".formatted(column.name(), text), "22007", e);
    }
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
