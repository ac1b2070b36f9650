package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Applied;
import dev.rowlock.Applied.Status;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.Key;
import dev.rowlock.LeaseLostException;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** P5: a write by a claim that is no longer current changes nothing and says so. */
interface P05Fenced extends Suite {

  /** Everything that can tell two claims apart, alone and together. */
  enum Fences {
    TOKEN(Role.TOKEN),
    TOKEN_AND_LEASE(Role.TOKEN, Role.LEASE_UNTIL),
    ATTEMPTS(Role.ATTEMPTS),
    ATTEMPTS_AND_CLAIM_TIME(Role.ATTEMPTS, Role.CLAIMED_AT),
    CLAIM_TIME(Role.CLAIMED_AT),
    LEASE_END(Role.LEASE_UNTIL),
    BOTH_TIMES(Role.CLAIMED_AT, Role.LEASE_UNTIL),
    WORKER(Role.WORKER),
    WORKER_AND_LEASE(Role.WORKER, Role.LEASE_UNTIL),
    EVERYTHING(
        Role.TOKEN,
        Role.ATTEMPTS,
        Role.CLAIMED_AT,
        Role.LEASE_UNTIL,
        Role.WORKER,
        Role.RUN_AT,
        Role.ERROR,
        Role.DONE_AT,
        Role.DEAD_AT);

    final Role[] roles;

    Fences(Role... roles) {
      this.roles = roles;
    }
  }

  /** Every fenced write. */
  private static List<Function<Claim, Change>> writes(Fences fences) {
    List<Role> roles = List.of(fences.roles);
    boolean delay = roles.contains(Role.RUN_AT);
    List<Function<Claim, Change>> all = new ArrayList<>();
    all.add(c -> new Change.Complete(c));
    all.add(c -> new Change.Fail(c, "failed", Optional.empty()));
    all.add(c -> new Change.Fail(c, "failed", Optional.of(Duration.ofMinutes(1))));
    all.add(c -> new Change.Dead(c, "refused"));
    all.add(Change.Release::new);
    if (roles.contains(Role.LEASE_UNTIL) || roles.contains(Role.CLAIMED_AT)) {
      all.add(c -> new Change.Extend(c, Duration.ofHours(1)));
    }
    if (delay) {
      all.add(c -> new Change.Snooze(c, Duration.ofMinutes(1)));
    }
    return all;
  }

  /** Rows claimed by one queue, lost to another: the old claims. */
  private List<Claim> lost(TestTable t, int rows, Queue thief) {
    Queue slow = t.queue(q -> q.lease(Duration.ofMillis(1)));
    List<Claim> claims = slow.claim(rows);
    assertThat(claims).hasSize(rows);
    boolean timed = t.mapping().has(Role.LEASE_UNTIL) || t.mapping().has(Role.CLAIMED_AT);
    if (timed) {
      int[] recovered = {0};
      Threads.until(
          "leases of 1 ms end", () -> (recovered[0] += slow.recover(rows).size()) == rows);
    } else {
      List<Key> keys = claims.stream().map(Claim::key).toList();
      assertThat(slow.resetUnfenced(keys)).containsExactlyInAnyOrderElementsOf(keys);
    }
    assertThat(thief.claim(rows)).hasSize(rows);
    return claims;
  }

  @ParameterizedTest
  @EnumSource(Fences.class)
  default void p05_c139_everyLateWriteIsRefused(Fences fences) {
    List<Function<Claim, Change>> writes = writes(fences);
    TestTable t = table("jobs").key("id").state().with(fences.roles).create();
    t.rows(1, writes.size());
    Queue thief = t.queue(q -> q.workerName("thief"));
    List<Claim> stale = lost(t, writes.size(), thief);
    List<List<Object>> before = t.all();
    Queue queue = t.queue();
    for (int i = 0; i < writes.size(); i++) {
      Change change = writes.get(i).apply(stale.get(i));
      assertThatThrownBy(() -> queue.apply(change))
          .as("%s", change)
          .isInstanceOfSatisfying(
              LeaseLostException.class, e -> assertThat(e.claim()).isEqualTo(change.claim()));
      assertThatThrownBy(() -> committed(c -> queue.apply(c, change)))
          .as("%s in the caller's transaction", change)
          .isInstanceOf(LeaseLostException.class);
    }
    List<Change> all = new ArrayList<>();
    for (int i = 0; i < writes.size(); i++) {
      all.add(writes.get(i).apply(stale.get(i)));
    }
    assertThat(queue.apply(all)).hasSize(all.size()).allMatch(Applied::lost);
    assertThat(applyInTransaction(queue, all)).hasSize(all.size()).allMatch(Applied::lost);
    assertThat(t.all()).as("nothing was changed").isEqualTo(before);
  }

  @ParameterizedTest
  @EnumSource(Fences.class)
  default void p05_theCurrentClaimWorksInEveryForm(Fences fences) {
    List<Function<Claim, Change>> writes = writes(fences);
    TestTable t = table("jobs").key("id").state().with(fences.roles).create();
    t.rows(1, 4 * writes.size());
    Queue queue = t.queue();
    List<Change> batch = new ArrayList<>();
    List<Change> callersBatch = new ArrayList<>();
    for (Function<Claim, Change> write : writes) {
      List<Claim> claims = queue.claim(4);
      assertThat(queue.apply(write.apply(claims.get(0))).lost()).isFalse();
      assertThat(committed(c -> queue.apply(c, write.apply(claims.get(1)))).lost()).isFalse();
      batch.add(write.apply(claims.get(2)));
      callersBatch.add(write.apply(claims.get(3)));
      // A released row would be claimed again by the next round.
      park(t, claims.get(0), claims.get(1));
    }
    assertThat(queue.apply(batch)).as("batch").noneMatch(Applied::lost);
    assertThat(applyInTransaction(queue, callersBatch)).as("caller's").noneMatch(Applied::lost);
    long done = t.count("state", "done");
    assertThat(done).isEqualTo(2);
    assertThat(t.count("state", "dead")).isEqualTo(2);
    assertThat(t.count("state", "processing")).isBetween(0L, 2L);
  }

  private void park(TestTable t, Claim... claims) {
    for (Claim claim : claims) {
      t.set(claim.key().get("id"), "state", "parked");
    }
  }

  @ParameterizedTest
  @EnumSource(Fences.class)
  default void p05_aClaimIsOverOnceTheRowIsFinishedOrGivenBack(Fences fences) {
    TestTable t = table("jobs").key("id").state().with(fences.roles).create().rows(1, 3);
    List<Claim> claims = t.queue().claim(3);
    t.queue().complete(claims.get(0));
    t.queue().release(claims.get(1));
    t.queue().apply(new Change.Dead(claims.get(2), "no"));
    List<List<Object>> before = t.all();
    for (Claim claim : claims) {
      assertThatThrownBy(() -> t.queue().complete(claim)).isInstanceOf(LeaseLostException.class);
      assertThatThrownBy(() -> t.queue().fail(claim, "x")).isInstanceOf(LeaseLostException.class);
      assertThatThrownBy(() -> t.queue().release(claim)).isInstanceOf(LeaseLostException.class);
    }
    assertThat(t.all()).isEqualTo(before);
  }

  @Test
  default void p05_recoveredButNotYetTakenIsLostToo() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    Claim claim = claim(t.queue());
    t.expireAll().queue().recover(1);
    assertThatThrownBy(() -> t.queue().complete(claim)).isInstanceOf(LeaseLostException.class);
    assertThat(t.state(1)).isEqualTo("ready");
  }

  @Test
  default void p05_c142_endedButNotTakenIsStillCurrent() {
    TestTable t = table("jobs").full().create().rows(1, 3);
    List<Claim> claims = t.queue().claim(3);
    t.expireAll();
    t.queue().complete(claims.get(0));
    assertThat(t.queue().fail(claims.get(1), "x")).isEqualTo(Status.RETRYING);
    t.queue().extend(claims.get(2), Duration.ofMinutes(1));
    assertThat(t.queue().recover(10).size()).isZero();
    assertThat(t.state(1)).isEqualTo("done");
    assertThat(t.state(3)).isEqualTo("processing");
  }

  @ParameterizedTest
  @EnumSource(Fences.class)
  default void p05_anExtensionGivesTheClaimToGoOnWith(Fences fences) {
    TestTable t = table("jobs").key("id").state().with(fences.roles).create().rows(1, 1);
    Claim claim = claim(t.queue());
    if (claim.leaseUntil().isEmpty()) {
      assertThatThrownBy(() -> t.queue().extend(claim, Duration.ofHours(3)))
          .isInstanceOf(dev.rowlock.ConfigurationException.class)
          .hasMessageContaining("lease-until");
      t.queue().complete(claim);
      return;
    }
    Claim extended = t.queue().extend(claim, Duration.ofHours(3));
    Claim again = t.queue().extend(extended, Duration.ofHours(4));
    assertThat(again.leaseUntil().orElseThrow()).isAfter(claim.leaseUntil().orElseThrow());
    assertThat(Duration.between(dbNow(), again.leaseUntil().orElseThrow()))
        .isBetween(Duration.ofMinutes(239), Duration.ofMinutes(241));
    t.queue().complete(again);
    assertThat(t.state(1)).isEqualTo("done");
  }

  @Test
  default void p05_aBatchAnswersForEachRowInItsOrder() {
    TestTable t = table("jobs").full().create().rows(1, 7);
    List<Claim> claims = t.queue().claim(7);
    t.queue().release(claims.get(1));
    t.queue().complete(claims.get(4));
    List<Change> changes =
        List.of(
            new Change.Complete(claims.get(6)),
            new Change.Complete(claims.get(1)),
            new Change.Fail(claims.get(2), "x", Optional.empty()),
            new Change.Snooze(claims.get(3), Duration.ofHours(1)),
            new Change.Release(claims.get(4)),
            new Change.Extend(claims.get(5), Duration.ofHours(1)),
            new Change.Dead(claims.get(0), "no"));
    List<Applied> applied = t.queue().apply(changes);
    assertThat(applied.stream().map(Applied::change)).isEqualTo(changes);
    assertThat(applied.stream().map(Applied::status))
        .containsExactly(
            Status.COMPLETED,
            Status.LOST,
            Status.RETRYING,
            Status.SNOOZED,
            Status.LOST,
            Status.EXTENDED,
            Status.DEAD);
    assertThat(t.states()).isEqualTo(Map.of("ready", 3L, "done", 2L, "dead", 1L, "processing", 1L));
  }

  @Test
  default void p05_aRowThatIsGoneIsLost() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    Claim claim = claim(t.queue());
    t.sql("delete from " + t.name());
    assertThatThrownBy(() -> t.queue().complete(claim))
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("id=1")
        .hasMessageContaining("complete")
        .hasMessageContaining("test");
    assertThat(
            t.queue().apply(List.of(new Change.Extend(claim, Duration.ofHours(1)))).get(0).lost())
        .isTrue();
  }

  @Test
  default void p05_somebodyWhoTakesTheRowByHandTakesTheClaimToo() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    Claim claim = claim(t.queue());
    t.set(1, "claim_no", 7);
    assertThatThrownBy(() -> t.queue().complete(claim)).isInstanceOf(LeaseLostException.class);
    assertThat(t.state(1)).isEqualTo("processing");
  }

  @Test
  default void p05_aCallersTransactionSeesTheLossBeforeItCommits() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    Claim stale = lost(t, 1, t.queue(q -> q.workerName("thief"))).get(0);
    table("effects").key("id").state().create();
    assertThatThrownBy(
            () ->
                committed(
                    c -> {
                      try (var s = c.createStatement()) {
                        s.execute(
                            "insert into "
                                + db().quote("effects")
                                + " ("
                                + db().quote("id")
                                + ") values (1)");
                      }
                      t.queue().complete(c, stale, Map.of());
                      return null;
                    }))
        .isInstanceOf(LeaseLostException.class);
    assertThat(bench().schema().count(db().quote("effects"))).isZero();
  }
}
