package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.Role;
import dev.rowlock.RowState;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.TestTable.Raw;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Times in a database that has no type for them. */
interface SqliteTimes extends Suite {

  private static String at(String format, int seconds) {
    return "strftime('" + format + "', 'now', '" + seconds + " seconds')";
  }

  /** What applications write, a minute before and a minute after now. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "%Y-%m-%d %H:%M:%f",
        "%Y-%m-%d %H:%M:%S",
        "%Y-%m-%dT%H:%M:%SZ",
        "%Y-%m-%dT%H:%M:%fZ",
        "%Y-%m-%dT%H:%M:%f",
        "%Y-%m-%d %H:%M:%S+00:00",
        "%Y-%m-%d %H:%M:%S+00"
      })
  default void p07_sqlite_everyWayToWriteATimeIsUnderstood(String format) {
    TestTable t = table("jobs").full().create();
    t.add("id", 1, "run_at", new Raw(at(format, -60)));
    t.add("id", 2, "run_at", new Raw(at(format, 60)));
    t.add("id", 3, "state", "processing", "lease_until", new Raw(at(format, -60)));
    t.add("id", 4, "state", "processing", "lease_until", new Raw(at(format, 60)));
    assertThat(t.queue().stats().count(RowState.READY)).isEqualTo(1);
    assertThat(t.queue().stats().count(RowState.SCHEDULED)).isEqualTo(1);
    if (!format.endsWith("+00")) { // compared as text, but not computed with
      assertThat(t.queue().stats().oldestReadySeconds().orElseThrow()).isBetween(55.0, 90.0);
    }
    assertThat(t.queue().recover(5).ready()).containsExactly(t.queue().key("3"));
    assertThat(keys(t.queue().claim(5))).containsExactlyInAnyOrder(1L, 3L);
  }

  /** The driver's setTimestamp() writes milliseconds, whatever the column is called. */
  @Test
  default void p07_sqlite_whatTheDriverMakesOfATimestampIsUnderstood() throws SQLException {
    TestTable t = table("jobs").full().create();
    try (Connection c = bench().schema().dataSource().getConnection();
        PreparedStatement insert =
            c.prepareStatement("insert into jobs(id, run_at) values (?, ?)")) {
      for (int id = 1; id <= 2; id++) {
        insert.setInt(1, id);
        insert.setTimestamp(2, Timestamp.from(Instant.now().plusSeconds(id == 1 ? -3600 : 3600)));
        insert.executeUpdate();
      }
    }
    assertThat(keys(t.queue().claim(5))).containsExactly(1L);
  }

  @Test
  default void p07_sqlite_integersCountMilliseconds() {
    TestTable t =
        table("jobs")
            .key("id")
            .state()
            .with(Role.LEASE_UNTIL, "lease_until", "integer")
            .with(Role.RUN_AT, "run_at", "bigint")
            .with(Role.DONE_AT, "done_at", "integer")
            .with(Role.TOKEN)
            .create()
            .rows(1, 3);
    List<Claim> claims = t.queue().claim(3);
    assertThat(claims.get(0).leaseUntil().orElseThrow())
        .isCloseTo(dbNow().plusSeconds(300), within(10, java.time.temporal.ChronoUnit.SECONDS));
    t.queue().complete(claims.get(0));
    assertThat(t.number(1, "done_at") / 1000.0)
        .isCloseTo(dbNow().toEpochMilli() / 1000.0, org.assertj.core.api.Assertions.within(10.0));
    t.queue().apply(new Change.Fail(claims.get(1), "x", Optional.of(Duration.ofHours(1))));
    assertThat(t.queue().claim(1)).as("waits an hour").isEmpty();
    t.set(2, "run_at", new Raw("run_at - 3601000"));
    t.set(3, "lease_until", new Raw("lease_until - 301000"));
    assertThat(t.queue().recover(5).ready()).containsExactly(t.queue().key("3"));
    t.queue().enqueue(List.of(Map.of("id", 4, "run_at", dbNow().minusSeconds(5))));
    assertThat(keys(t.queue().claim(9))).containsExactlyInAnyOrder(2L, 3L, 4L);
  }

  @Test
  default void p07_sqlite_plainTextIsATimeIfItIsMappedAsOne() {
    TestTable t =
        table("jobs").key("id").state().with(Role.LEASE_UNTIL, "until", "text").create().rows(1, 1);
    Claim claim = claim(t.queue());
    assertThat(t.get(1, "until").toString())
        .matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3}");
    t.queue().complete(t.queue().extend(claim, Duration.ofHours(1)));
  }

  @Test
  default void p07_sqlite_aZoneWhoseClocksChangeIsRefused() {
    TestTable t = table("jobs").full().map(m -> m.timeZone(ZoneId.of("Europe/Berlin"))).create();
    assertThatThrownBy(t::queue)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("Europe/Berlin")
        .hasMessageContaining("Etc/GMT-2");
  }

  @Test
  default void p07_sqlite_anOffsetInTheTextCountsInAnyZone() {
    TestTable t = table("jobs").full().map(m -> m.timeZone(ZoneId.of("Etc/GMT-2"))).create();
    t.add("id", 1, "run_at", new Raw(at("%Y-%m-%dT%H:%M:%SZ", -60)));
    t.add("id", 2, "run_at", new Raw(at("%Y-%m-%dT%H:%M:%SZ", 60)));
    t.add("id", 3, "run_at", new Raw("strftime('%Y-%m-%d %H:%M:%S', 'now', '+7140 seconds')"));
    t.add("id", 4, "run_at", new Raw("strftime('%Y-%m-%d %H:%M:%S', 'now', '+7260 seconds')"));
    assertThat(keys(t.queue().claim(5))).containsExactlyInAnyOrder(1L, 3L);
  }

  @Test
  default void p07_sqlite_aDelayBeyondTheCalendarIsNotAtOnce() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    t.queue().apply(new Change.Snooze(claim(t.queue()), Duration.ofDays(4_000_000)));
    assertThat(t.get(1, "run_at")).isEqualTo("9999-12-31 23:59:59.999");
    assertThat(t.queue().claim(1)).isEmpty();
  }
}
