package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.RowState;
import dev.rowlock.conformance.kit.TableSpec;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.TestTable.Raw;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * P7: leases, delays and backoff use the database's clock; any session zone, any zone-less column.
 */
interface P07Time extends Suite {

  private TableSpec timed(String type) {
    return table("jobs")
        .key("id")
        .state()
        .with(Role.LEASE_UNTIL, "lease_until", type)
        .with(Role.CLAIMED_AT, "claimed_at", type)
        .with(Role.RUN_AT, "run_at", type)
        .with(Role.DONE_AT, "done_at", type)
        .with(Role.DEAD_AT, "dead_at", type)
        .with(Role.TOKEN, Role.ATTEMPTS);
  }

  /** The column is now plus some seconds, give or take ten, as the database itself sees it. */
  private void near(TestTable t, int id, String column, boolean local, String zone, long seconds) {
    String from = around(local, zone, seconds - 10);
    String to = around(local, zone, seconds + 10);
    String sql =
        "select count(*) from %s where %s and %s between %s and %s"
            .formatted(t.name(), t.is(id), db().quote(column), from, to);
    assertThat(bench().schema().value(sql)).as("%s is now + %s s", column, seconds).isEqualTo(1L);
  }

  private String around(boolean local, String zone, long seconds) {
    return local ? db().localNowPlus(zone, seconds * 1000) : db().nowPlus(seconds * 1000);
  }

  private void wholeLife(TestTable t, Queue queue, boolean local, String zone) {
    t.rows(1, 4);
    List<Claim> claims = queue.claim(4);
    assertThat(claims).hasSize(4);
    near(t, 1, "lease_until", local, zone, 300);
    near(t, 1, "claimed_at", local, zone, 0);
    Instant until = claims.get(0).leaseUntil().orElseThrow();
    assertThat(until).isCloseTo(dbNow().plusSeconds(300), within(10));
    queue.complete(claims.get(0));
    near(t, 1, "done_at", local, zone, 0);
    queue.apply(new Change.Fail(claims.get(1), "x", Optional.of(Duration.ofHours(2))));
    near(t, 2, "run_at", local, zone, 7200);
    queue.apply(new Change.Dead(claims.get(2), "x"));
    near(t, 3, "dead_at", local, zone, 0);
    queue.extend(claims.get(3), Duration.ofHours(3));
    near(t, 4, "lease_until", local, zone, 10_800);
    assertThat(queue.recover(10).size()).as("nothing has ended").isZero();
    assertThat(queue.claim(10)).as("nothing is due").isEmpty();
    t.set(2, "run_at", new Raw(around(local, zone, -1)));
    t.set(4, "lease_until", new Raw(around(local, zone, -1)));
    assertThat(queue.recover(10).ready()).containsExactly(queue.key("4"));
    assertThat(keys(queue.claim(10))).containsExactlyInAnyOrder(2L, 4L);
    queue.enqueue(List.of(Map.of("id", 5, "run_at", dbNow().plusSeconds(3600))));
    near(t, 5, "run_at", local, zone, 3600);
    assertThat(queue.stats().count(RowState.SCHEDULED)).isEqualTo(1);
  }

  private static org.assertj.core.data.TemporalUnitOffset within(int seconds) {
    return new org.assertj.core.data.TemporalUnitWithinOffset(seconds, ChronoUnit.SECONDS);
  }

  @ParameterizedTest
  @CsvSource({
    "UTC, UTC",
    "Europe/London, America/St_Johns",
    "America/St_Johns, Pacific/Kiritimati",
    "Pacific/Kiritimati, Europe/London"
  })
  default void p07_c045_zoneLessColumnsAreUtcWhateverSessionAndMachineSay(
      String session, String machine) {
    inZone(
        machine,
        () -> {
          TestTable t = timed(db().localTimestampType()).create();
          wholeLife(t, t.queue(sessionIn(session)), true, "UTC");
        });
  }

  @ParameterizedTest
  @CsvSource({"Europe/London, America/St_Johns", "America/St_Johns, Pacific/Kiritimati"})
  default void p07_pointsInTimeDoNotDependOnSessionOrMachine(String session, String machine) {
    inZone(
        machine,
        () -> {
          TestTable t = timed(db().timestampType()).create();
          wholeLife(t, t.queue(sessionIn(session)), false, "UTC");
        });
  }

  @Test
  default void p07_aTableThatKeepsAnotherZoneIsReadAndWrittenInIt() {
    inZone(
        "America/New_York",
        () -> {
          TestTable t =
              timed(db().localTimestampType())
                  .map(m -> m.timeZone(ZoneId.of("Asia/Kathmandu")))
                  .create();
          wholeLife(t, t.queue(sessionIn("Europe/London")), true, "Asia/Kathmandu");
        });
  }

  private javax.sql.DataSource sessionIn(String zone) {
    return bench().pool(config -> config.setConnectionInitSql(db().timeZone(zone)));
  }

  private static void inZone(String zone, Runnable test) {
    TimeZone before = TimeZone.getDefault();
    TimeZone.setDefault(TimeZone.getTimeZone(zone));
    try {
      test.run();
    } finally {
      TimeZone.setDefault(before);
    }
  }

  @Test
  default void p07_c050_theLeaseEndThatIsReturnedIsTheOneInTheRow() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    Claim claim = claim(t.queue());
    String column = "select %s from %s".formatted(db().quote("lease_until"), t.name());
    assertThat(claim.leaseUntil()).contains(instant(column));
    Claim extended = t.queue().extend(claim, Duration.ofMillis(123_457));
    assertThat(extended.leaseUntil()).contains(instant(column));
  }

  @Test
  default void p07_c050_dueNowIsClaimableNowInWholeSecondsToo() {
    String seconds =
        db().timestampType().replace("(6)", "").replace("timestamptz", "timestamptz(0)");
    String type = seconds.contains("(0)") ? seconds : seconds.replace("timestamp", "timestamp(0)");
    TestTable t = table("jobs").key("id").state().with(Role.RUN_AT, "run_at", type).create();
    for (int i = 1; i <= 12; i++) {
      t.queue().enqueue(List.of(Map.of("id", i, "run_at", dbNow())));
      assertThat(keys(t.queue().claim(1))).as("enqueued for now").containsExactly((long) i);
    }
    TestTable retried =
        table("again")
            .key("id")
            .state()
            .with(Role.RUN_AT, "run_at", type)
            .with(Role.TOKEN)
            .create();
    retried.rows(1, 1);
    for (int i = 1; i <= 12; i++) {
      Claim claim = claim(retried.queue());
      retried.queue().apply(new Change.Fail(claim, "x", Optional.of(Duration.ZERO)));
    }
    assertThat(retried.number(1, "claim_no")).isEqualTo(12);
  }

  @Test
  default void p07_c050_leasesInWholeSecondsStillFence() {
    String seconds =
        db().timestampType().replace("(6)", "").replace("timestamptz", "timestamptz(0)");
    String type = seconds.contains("(0)") ? seconds : seconds.replace("timestamp", "timestamp(0)");
    TestTable t =
        table("jobs")
            .key("id")
            .state()
            .with(Role.LEASE_UNTIL, "lease_until", type)
            .create()
            .rows(1, 1);
    Claim claim = claim(t.queue());
    Claim extended = t.queue().extend(claim, Duration.ofMinutes(20));
    t.queue().complete(extended);
    assertThat(t.state(1)).isEqualTo("done");
  }

  @Test
  default void p07_aShorterLeaseThanTheRestIsPossible() {
    TestTable t = table("jobs").full().lease(Duration.ofMillis(1500)).create().rows(1, 1);
    Claim claim = claim(t.queue());
    assertThat(Duration.between(dbNow(), claim.leaseUntil().orElseThrow()))
        .isBetween(Duration.ofMillis(-500), Duration.ofMillis(1500));
  }

  @Test
  default void p07_claimTimeAndLeaseLengthAreALeaseEnd() {
    TestTable t =
        table("jobs").key("id").state().with(Role.CLAIMED_AT, Role.ATTEMPTS).create().rows(1, 2);
    List<Claim> claims = t.queue().claim(2);
    assertThat(claims.get(0).leaseUntil().orElseThrow())
        .isCloseTo(dbNow().plusSeconds(300), within(10));
    t.set(1, "claimed_at", new Raw(db().nowPlus(-299_000)));
    assertThat(t.queue().recover(10).size()).isZero();
    t.set(1, "claimed_at", new Raw(db().nowPlus(-301_000)));
    assertThat(t.queue().recover(10).ready()).containsExactly(t.queue().key("1"));
    Claim extended = t.queue().extend(claims.get(1), Duration.ofHours(1));
    assertThat(extended.leaseUntil().orElseThrow())
        .isCloseTo(dbNow().plusSeconds(3600), within(10));
    t.queue().complete(extended);
  }
}
