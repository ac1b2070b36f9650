package dev.rowlock.conformance.kit;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Fills the time zone tables of MariaDB and MySQL with the zones that the tests use, from Java's
 * own rules: the server's tool needs files that not every system has.
 */
public final class ZoneTables {
  private static final List<String> ZONES =
      List.of(
          "Europe/London",
          "Europe/Berlin",
          "America/St_Johns",
          "America/New_York",
          "Pacific/Kiritimati",
          "Asia/Kathmandu");
  private static final Instant FIRST = Instant.parse("1990-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("2037-12-31T00:00:00Z");

  private ZoneTables() {}

  /** On a fresh server; a server that has zones is left alone. */
  public static void load(Statement statement) throws SQLException {
    try (ResultSet known = statement.executeQuery("select count(*) from mysql.time_zone_name")) {
      known.next();
      if (known.getInt(1) > 0) {
        return;
      }
    }
    int id = 1;
    for (String zone : ZONES) {
      load(statement, id++, ZoneId.of(zone));
    }
  }

  private static void load(Statement statement, int id, ZoneId zone) throws SQLException {
    ZoneRules rules = zone.getRules();
    List<Instant> changes = new ArrayList<>();
    for (ZoneOffsetTransition t = rules.nextTransition(FIRST);
        t != null && t.getInstant().isBefore(LAST);
        t = rules.nextTransition(t.getInstant())) {
      changes.add(t.getInstant());
    }
    Set<ZoneOffset> offsets = new LinkedHashSet<>();
    offsets.add(rules.getOffset(FIRST));
    changes.forEach(c -> offsets.add(rules.getOffset(c)));
    List<ZoneOffset> types = List.copyOf(offsets);
    run(statement, "mysql.time_zone values (%d, 'N')", id);
    run(statement, "mysql.time_zone_name values ('%s', %d)", zone.getId(), id);
    for (int i = 0; i < types.size(); i++) {
      int seconds = types.get(i).getTotalSeconds();
      run(
          statement,
          "mysql.time_zone_transition_type values (%d, %d, %d, %d, 'T%d')",
          id,
          i,
          seconds,
          0,
          i);
    }
    for (Instant change : changes) {
      run(
          statement,
          "mysql.time_zone_transition values (%d, %d, %d)",
          id,
          change.getEpochSecond(),
          types.indexOf(rules.getOffset(change)));
    }
  }

  private static void run(Statement statement, String sql, Object... values) throws SQLException {
    statement.execute("insert into " + sql.formatted(values));
  }
}
