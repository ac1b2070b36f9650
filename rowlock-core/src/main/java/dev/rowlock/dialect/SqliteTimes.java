package dev.rowlock.dialect;

import dev.rowlock.Mapping;
import dev.rowlock.Role;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Kind;
import dev.rowlock.spi.Model;
import dev.rowlock.spi.Table;
import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Points in time in SQLite, which has no type for them: text {@code YYYY-MM-DD HH:MM:SS.SSS} in the
 * mapped zone, or whole numbers that count milliseconds since 1970.
 */
final class SqliteTimes {

  /** Sorts as text as the times do. */
  private static final String FORMAT = "'%Y-%m-%d %H:%M:%f'";

  /** The longest form that Rowlock writes. */
  private static final int LENGTH = 23;

  private static final Instant RECENT = Instant.parse("2025-01-01T00:00:00Z");

  private SqliteTimes() {}

  /** A text or number that is mapped as a time is one, and is refused if its zone is not known. */
  static Table mapped(Mapping mapping, Table table) {
    Map<String, Column> columns = new LinkedHashMap<>(table.columns());
    List<String> problems = new ArrayList<>(table.problems());
    for (Role role :
        List.of(Role.CLAIMED_AT, Role.LEASE_UNTIL, Role.RUN_AT, Role.DONE_AT, Role.DEAD_AT)) {
      List<Column> found = table.find(mapping.columns().getOrDefault(role, ""));
      if (found.size() == 1) {
        Column column = found.get(0);
        columns.put(column.name(), time(column));
      }
    }
    boolean text = columns.values().stream().anyMatch(c -> c.kind() == Kind.LOCAL_TIMESTAMP);
    if (text && offset(mapping.timeZone()).isEmpty()) {
      problems.add(
          "its times are kept in zone %s, whose clocks change: SQLite can compute with a fixed offset only; keep them in UTC (the default) or in a zone without summer time, such as Etc/GMT-2"
              .formatted(mapping.timeZone()));
    }
    return new Table(
        table.quoted(),
        table.name(),
        columns,
        table.unique(),
        table.indexes(),
        problems,
        table.notes());
  }

  private static Column time(Column c) {
    boolean text = c.kind() == Kind.TEXT && (c.size() == 0 || c.size() >= LENGTH);
    Kind kind = text ? Kind.LOCAL_TIMESTAMP : c.kind() == Kind.INTEGER ? Kind.INSTANT : c.kind();
    return new Column(
        c.name(),
        c.quoted(),
        kind,
        c.type(),
        text ? 0 : c.size(),
        c.nullable(),
        c.hasDefault(),
        c.writable());
  }

  /** What a zone's clocks are ahead of UTC, for good; empty if they change. */
  private static Optional<Integer> offset(ZoneId zone) {
    ZoneRules rules = zone.getRules();
    List<ZoneOffsetTransition> changes = rules.getTransitions();
    Instant last = changes.isEmpty() ? Instant.MIN : changes.get(changes.size() - 1).getInstant();
    return rules.getTransitionRules().isEmpty() && last.isBefore(RECENT)
        ? Optional.of(rules.getOffset(RECENT).getTotalSeconds())
        : Optional.empty();
  }

  private static int seconds(Model model) {
    return offset(model.mapping().timeZone()).orElse(0);
  }

  private static String shift(int seconds) {
    return seconds == 0 ? "" : ", '%+d seconds'".formatted(seconds);
  }

  // The clock is read once for a statement, in milliseconds. A time after the year 9999 is none in
  // SQLite, and none would mean "at once".
  static String now(Model model, Column target, Optional<String> plusMillis) {
    if (target.kind() == Kind.INSTANT) {
      String now = "CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)";
      return plusMillis.map(ms -> now + " + (" + ms + ")").orElse(now);
    }
    String shift = shift(seconds(model));
    if (plusMillis.isEmpty()) {
      return "strftime(" + FORMAT + ", 'now'" + shift + ")";
    }
    String ms = plusMillis.get();
    String then =
        "strftime(%s, 'now', printf('%%+.3f seconds', (%s) / 1000.0)%s)"
            .formatted(FORMAT, ms, shift);
    return ms.startsWith("-") ? then : "COALESCE(" + then + ", '9999-12-31 23:59:59.999')";
  }

  // Other programs write 2026-01-01T10:00:00Z, leave out the fraction, or (the JDBC driver's own
  // setTimestamp) put milliseconds into any column: all of it is brought into one form. An index is
  // not lost by that: the time is a filter on rows that come in the index's order.
  static String moment(Model model, String expression, Column column) {
    if (column.kind() == Kind.INSTANT) {
      return expression;
    }
    int seconds = seconds(model);
    String zoned =
        seconds == 0
            ? ""
            : ", CASE WHEN %1$s GLOB '*Z' OR %1$s GLOB '*[+-]??:??' THEN '%2$+d seconds' ELSE '+0 seconds' END"
                .formatted(expression, seconds);
    return "CASE typeof(%1$s) WHEN 'integer' THEN strftime(%2$s, %1$s / 1000.0, 'unixepoch'%3$s) ELSE COALESCE(strftime(%2$s, %1$s%4$s), %1$s) END"
        .formatted(expression, FORMAT, shift(seconds), zoned);
  }

  /** How many seconds ago a moment was. */
  static String age(Model model, String moment, Column column) {
    return column.kind() == Kind.INSTANT
        ? "(%s - %s) / 1000.0".formatted(now(model, column, Optional.empty()), moment)
        : "(julianday('now'%s) - julianday(%s)) * 86400.0".formatted(shift(seconds(model)), moment);
  }
}
