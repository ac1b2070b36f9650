package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Applied;
import dev.rowlock.Applied.Status;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.Queue;
import dev.rowlock.RetryPolicy;
import dev.rowlock.Role;
import dev.rowlock.RowState;
import dev.rowlock.State;
import dev.rowlock.conformance.kit.TestTable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Retries, backoff, dead letters, and what a release or a snooze costs. */
interface Retrying extends Suite {

  @Test
  default void retry_attemptsAreCountedWhenClaimedAndEndInADeadLetter() {
    TestTable t =
        table("jobs")
            .full()
            .with(Role.DEAD_AT)
            .retry(RetryPolicy.defaults().withMaxAttempts(3))
            .create()
            .rows(1, 1);
    for (int attempt = 1; attempt <= 3; attempt++) {
      Claim claim = claim(t.queue());
      assertThat(claim.attempt()).hasValue(attempt);
      assertThat(t.queue().fail(claim, "failure " + attempt))
          .isEqualTo(attempt < 3 ? Status.RETRYING : Status.DEAD);
      assertThat(t.get(1, "last_error")).isEqualTo("failure " + attempt);
      t.dueAll();
    }
    assertThat(t.state(1)).isEqualTo("dead");
    assertThat(t.get(1, "dead_at")).isNotNull();
    assertThat(t.number(1, "attempts")).isEqualTo(3);
    assertThat(t.queue().claim(1)).isEmpty();
  }

  @Test
  default void retry_theDelayGrowsAndIsCapped() {
    RetryPolicy policy =
        new RetryPolicy(10, Duration.ofSeconds(10), 3, Duration.ofSeconds(100), 0.0);
    TestTable t = table("jobs").full().retry(policy).create().rows(1, 1);
    long[] wanted = {10, 30, 90, 100, 100};
    for (long seconds : wanted) {
      t.queue().fail(claim(t.queue()), "x");
      Duration delay = Duration.between(dbNow(), runAt(t, 1));
      assertThat(delay).isBetween(Duration.ofSeconds(seconds - 5), Duration.ofSeconds(seconds));
      assertThat(t.queue().claim(1)).isEmpty();
      t.dueAll();
    }
  }

  private Instant runAt(TestTable t, int id) {
    return instant(
        "select %s from %s where %s".formatted(db().quote("run_at"), t.name(), t.is(id)));
  }

  @Test
  default void retry_c150_rowsThatFailTogetherComeBackApart() {
    RetryPolicy policy =
        new RetryPolicy(10, Duration.ofSeconds(1000), 2, Duration.ofHours(10), 0.5);
    TestTable t = table("jobs").full().retry(policy).create().rows(1, 300);
    List<Claim> claims = t.queue().claim(300);
    Instant before = dbNow();
    t.queue()
        .apply(claims.stream().map(c -> new Change.Fail(c, "down", Optional.empty())).toList());
    List<Long> delays = new ArrayList<>();
    for (int id = 1; id <= 300; id++) {
      delays.add(Duration.between(before, runAt(t, id)).toMillis());
    }
    double mean = delays.stream().mapToLong(d -> d).average().orElseThrow();
    double deviation =
        Math.sqrt(
            delays.stream().mapToDouble(d -> (d - mean) * (d - mean)).average().orElseThrow());
    assertThat(delays).allMatch(d -> d >= 1_000_000 && d <= 1_510_000);
    assertThat(deviation).isGreaterThan(100_000);
  }

  @Test
  default void retry_aRowsOwnLimitOfAttemptsCounts() {
    TestTable t = table("jobs").full().with(Role.MAX_ATTEMPTS).create();
    t.add("id", 1, "max_attempts", 1).add("id", 2, "max_attempts", 2).add("id", 3);
    List<Claim> claims = t.queue().claim(3);
    assertThat(claims.stream().map(c -> c.maxAttempts().orElse(-1))).containsExactly(1, 2, -1);
    assertThat(t.queue().fail(claims.get(0), "x")).isEqualTo(Status.DEAD);
    assertThat(t.queue().fail(claims.get(1), "x")).isEqualTo(Status.RETRYING);
    assertThat(t.queue().fail(claims.get(2), "x")).isEqualTo(Status.RETRYING);
    t.dueAll();
    List<Claim> again = t.queue().claim(3);
    assertThat(keys(again)).containsExactly(2L, 3L);
    assertThat(t.queue().fail(t.queue().claim(again.get(0).token()), "x"))
        .as("known to the token too")
        .isEqualTo(Status.DEAD);
    assertThat(t.queue().fail(again.get(1), "x")).isEqualTo(Status.RETRYING);
  }

  @Test
  default void retry_aHandlersOwnDelayIsUsed() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    t.queue().apply(new Change.Fail(claim(t.queue()), "x", Optional.of(Duration.ofHours(7))));
    assertThat(Duration.between(dbNow(), runAt(t, 1)))
        .isBetween(Duration.ofMinutes(419), Duration.ofMinutes(420));
  }

  @Test
  default void retry_refusedForGoodWhateverIsLeft() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    assertThat(t.queue().apply(new Change.Dead(claim(t.queue()), "never")).status())
        .isEqualTo(Status.DEAD);
    assertThat(t.state(1)).isEqualTo("dead");
    assertThat(t.get(1, "last_error")).isEqualTo("never");
    assertThat(t.queue().stats().count(RowState.DEAD)).isEqualTo(1);
  }

  @Test
  default void retry_c131_aRowThatKillsItsWorkersBecomesADeadLetter() {
    TestTable t =
        table("jobs")
            .full()
            .with(Role.DEAD_AT)
            .retry(RetryPolicy.defaults().withMaxAttempts(3))
            .create()
            .rows(1, 2);
    t.queue().complete(claim(t.queue(), 2, 1));
    for (int death = 1; death <= 3; death++) {
      assertThat(claim(t.queue()).attempt()).hasValue(death);
      t.expireAll();
      var recovery = t.queue().recover(10);
      assertThat(recovery.dead()).hasSize(death == 3 ? 1 : 0);
      assertThat(recovery.ready()).hasSize(death == 3 ? 0 : 1);
    }
    assertThat(t.state(1)).isEqualTo("dead");
    assertThat(t.get(1, "last_error").toString()).contains("lease expired");
    assertThat(t.get(1, "dead_at")).isNotNull();
    assertThat(t.queue().claim(1)).isEmpty();
  }

  private Claim claim(Queue queue, int of, int which) {
    List<Claim> claims = queue.claim(of);
    for (int i = 0; i < claims.size(); i++) {
      if (i != which) {
        queue.release(claims.get(i));
      }
    }
    return claims.get(which);
  }

  @Test
  default void retry_withoutADeadStateUsedUpRowsStayAndAreNotClaimed() {
    TestTable t =
        table("jobs")
            .key("id")
            .state(State.of("state", "ready", "processing", "done"))
            .with(Role.ATTEMPTS, Role.ERROR, Role.LEASE_UNTIL)
            .retry(RetryPolicy.defaults().withMaxAttempts(2))
            .create()
            .rows(1, 2);
    List<Claim> claims = t.queue().claim(2);
    t.queue().apply(new Change.Dead(claims.get(1), "never"));
    assertThat(t.queue().fail(claims.get(0), "x")).isEqualTo(Status.RETRYING);
    assertThat(t.queue().fail(claim(t.queue()), "x")).isEqualTo(Status.DEAD);
    assertThat(t.queue().claim(5)).isEmpty();
    assertThat(t.queue().stats().count(RowState.FAILED)).isEqualTo(2);
    assertThat(t.queue().stats().left()).isZero();
    t.set(1, "attempts", 0);
    assertThat(keys(t.queue().claim(5))).as("redriven by hand").containsExactly(1L);
  }

  @Test
  default void retry_withoutAttemptsARowIsTriedForEver() {
    TestTable t = table("jobs").key("id").state().with(Role.TOKEN).create().rows(1, 1);
    for (int i = 0; i < 12; i++) {
      assertThat(t.queue().fail(claim(t.queue()), "x")).isEqualTo(Status.RETRYING);
    }
    assertThat(t.number(1, "claim_no")).isEqualTo(12);
  }

  @Test
  default void release_costsNoAttemptWhereATokenIsTheFence() {
    TestTable t = table("jobs").full().create().rows(1, 2);
    List<Claim> claims = t.queue().claim(2);
    t.queue().release(claims.get(0));
    t.queue().apply(new Change.Snooze(claims.get(1), Duration.ZERO));
    assertThat(t.number(1, "attempts")).isZero();
    assertThat(t.number(2, "attempts")).isZero();
    assertThat(t.number(1, "claim_no")).as("the token never falls").isEqualTo(1);
    assertThat(t.queue().claim(2)).allMatch(c -> c.attempt().getAsInt() == 1);
    assertThat(t.number(1, "claim_no")).isEqualTo(2);
  }

  @Test
  default void release_neverLowersAttemptsWhereTheyAreTheFence() {
    TestTable t =
        table("jobs").key("id").state().with(Role.ATTEMPTS, Role.RUN_AT).create().rows(1, 2);
    List<Claim> claims = t.queue().claim(2);
    t.queue().release(claims.get(0));
    t.queue().apply(new Change.Snooze(claims.get(1), Duration.ZERO));
    assertThat(t.number(1, "attempts")).isEqualTo(1);
    assertThat(t.number(2, "attempts")).isEqualTo(1);
    List<Claim> again = t.queue().claim(2);
    assertThat(again).allMatch(c -> c.attempt().getAsInt() == 2);
    assertThatThrownBy(() -> t.queue().complete(claims.get(0)))
        .isInstanceOf(dev.rowlock.LeaseLostException.class);
  }

  @Test
  default void release_atTheLastAttemptIsADeadLetterWhereAttemptsAreTheFence() {
    TestTable t =
        table("jobs")
            .key("id")
            .state(State.of("state", "ready", "processing", "done").withDead("dead"))
            .with(Role.ATTEMPTS, Role.ERROR)
            .retry(RetryPolicy.defaults().withMaxAttempts(1))
            .create()
            .rows(1, 1);
    Applied applied = t.queue().apply(new Change.Release(claim(t.queue())));
    assertThat(applied.status()).isEqualTo(Applied.Status.DEAD);
    assertThat(t.state(1)).isEqualTo("dead");
    assertThat(t.get(1, "last_error").toString()).contains("given back at its last attempt");
  }

  @Test
  default void release_leavesTheErrorAndTheDelayAlone() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    t.queue().fail(claim(t.queue()), "first");
    t.dueAll();
    Instant due = runAt(t, 1);
    t.queue().release(claim(t.queue()));
    assertThat(t.get(1, "last_error")).isEqualTo("first");
    assertThat(runAt(t, 1)).isEqualTo(due);
    assertThat(t.get(1, "worker")).isNull();
    assertThat(t.get(1, "lease_until")).isNull();
  }

  @Test
  default void snooze_needsAColumnToWaitIn() {
    TestTable t = table("jobs").key("id").state().with(Role.TOKEN).create().rows(1, 1);
    Claim claim = claim(t.queue());
    assertThatThrownBy(() -> t.queue().snooze(claim, Duration.ofHours(1)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("run-at");
    assertThat(t.state(1)).isEqualTo("processing");
  }

  @Test
  default void snooze_waitsAsAskedAndIsNoFailure() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    t.queue().snooze(claim(t.queue()), Duration.ofMinutes(10));
    assertThat(t.queue().claim(1)).isEmpty();
    assertThat(t.queue().stats().count(RowState.SCHEDULED)).isEqualTo(1);
    assertThat(Duration.between(dbNow(), runAt(t, 1)))
        .isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10));
    assertThat(t.get(1, "last_error")).isNull();
  }

  @Test
  default void dead_needsSomewhereToBe() {
    TestTable t =
        table("jobs")
            .key("id")
            .state(State.of("state", "ready", "processing", "done"))
            .create()
            .rows(1, 1);
    Claim claim = claim(t.queue());
    assertThatThrownBy(() -> t.queue().apply(new Change.Dead(claim, "x")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("dead");
    assertThat(t.state(1)).isEqualTo("processing");
  }
}
