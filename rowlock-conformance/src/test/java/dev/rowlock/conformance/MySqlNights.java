package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.conformance.kit.TestTable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The nights on which clocks change, in a session whose zone has summer time. The server's clock is
 * set for a session by its variable {@code timestamp}.
 */
interface MySqlNights extends MySqlHazards {

  private Queue at(TestTable t, String zone, Instant now) {
    String sql = "set time_zone = '%s', timestamp = %d".formatted(zone, now.getEpochSecond());
    return t.queue(bench().pool(config -> config.setConnectionInitSql(sql)));
  }

  /** Half past two comes twice on the last Sunday of October, and not at all in March. */
  @ParameterizedTest
  @CsvSource({
    "Europe/Berlin, 2026-10-25T00:30:00Z, timestamp(6) null",
    "Europe/Berlin, 2026-10-25T00:59:30Z, timestamp null",
    "Europe/Berlin, 2026-10-25T01:30:00Z, timestamp(6) null",
    "Europe/Berlin, 2026-03-29T00:59:30Z, timestamp(6) null",
    "Europe/Berlin, 2026-10-25T00:30:00Z, datetime(6)",
    "Europe/Berlin, 2026-10-25T00:59:30Z, datetime",
    "Europe/Berlin, 2026-03-29T00:59:30Z, datetime(6)",
    "America/New_York, 2026-11-01T05:30:00Z, timestamp(6) null",
    "America/New_York, 2026-11-01T06:30:00Z, timestamp(6) null",
    "America/St_Johns, 2026-03-08T05:29:30Z, timestamp(6) null"
  })
  default void p07_c048_theNightOnWhichClocksChange(String zone, Instant now, String type) {
    if (type.startsWith("timestamp")) {
      needs(Facility.POINTS_IN_TIME);
    }
    TestTable t =
        table("jobs")
            .key("id")
            .state()
            .with(Role.LEASE_UNTIL, "lease_until", type)
            .with(Role.RUN_AT, "run_at", type)
            .with(Role.TOKEN, Role.ERROR)
            .create();
    Queue then = at(t, zone, now);
    then.enqueue(List.of(Map.of("id", 1), Map.of("id", 2), Map.of("id", 3, "run_at", now)));
    List<Claim> claims = then.claim(5);
    assertThat(keys(claims)).containsExactlyInAnyOrder(1L, 2L, 3L);
    for (Claim claim : claims) {
      assertThat(claim.leaseUntil()).contains(now.plus(Duration.ofMinutes(5)));
    }
    Claim second = claims.stream().filter(c -> c.key().equals(then.key("2"))).findFirst().get();
    then.apply(new Change.Fail(second, "x", Optional.of(Duration.ofMinutes(50))));
    assertThat(instant("select run_at from %s where id = 2".formatted(t.name())))
        .isEqualTo(now.plus(Duration.ofMinutes(50)));
    assertThat(at(t, zone, now.plusSeconds(299)).recover(5).size()).isZero();
    Queue later = at(t, zone, now.plusSeconds(301));
    assertThat(later.recover(5).ready()).hasSize(2);
    assertThat(keys(later.claim(5))).as("due, and not due yet").containsExactlyInAnyOrder(1L, 3L);
    assertThat(at(t, zone, now.plus(Duration.ofMinutes(49))).claim(5)).isEmpty();
    Queue due = at(t, zone, now.plus(Duration.ofMinutes(51)));
    Claim again = claim(due);
    assertThat(again.key()).isEqualTo(due.key("2"));
    Claim extended = due.extend(again, Duration.ofHours(2));
    assertThat(extended.leaseUntil()).contains(now.plus(Duration.ofMinutes(171)));
    due.complete(extended);
    assertThat(instant("select lease_until from %s where id = 1".formatted(t.name())))
        .isEqualTo(now.plusSeconds(601));
  }
}
