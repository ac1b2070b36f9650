package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.Threads;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** P5 under races: two workers at the end of a lease never both win. */
interface P05Races extends Suite {

  /** Lets the holder of an ended lease and a thief run at each other, again and again. */
  private void race(TestTable t, int rounds, Function<Claim, Change> write, String won) {
    Queue holder = t.queue(q -> q.lease(Duration.ofMillis(1)));
    Queue thief = t.queue(q -> q.workerName("thief"));
    int[] wins = {0, 0};
    for (int round = 0; round < rounds; round++) {
      Claim claim = claim(holder);
      List<Object> results =
          Threads.race(
              List.of(
                  () -> holder.apply(List.of(write.apply(claim))).get(0),
                  () -> {
                    // The clock may need a moment to reach the end of 1 ms.
                    holder.recover(1);
                    return thief.claim(1);
                  }));
      boolean lost = ((Applied) results.get(0)).lost();
      List<?> stolen = (List<?>) results.get(1);
      String state = t.state(1);
      if (lost) {
        assertThat(state).as("round %s: lost", round).isIn("ready", "processing");
      } else {
        // The thief may have taken what the holder gave back, never what it finished.
        assertThat(state)
            .as("round %s: won", round)
            .isEqualTo(stolen.isEmpty() ? won : "processing");
        assertThat(won.equals("done") && !stolen.isEmpty())
            .as("round %s: both won", round)
            .isFalse();
      }
      wins[lost ? 1 : 0]++;
      t.sql("update %s set %s = 'ready'", t.name(), db().quote("state"));
    }
    assertThat(wins[0] + wins[1]).isEqualTo(rounds);
  }

  @Test
  default void p05_c142_completeAgainstRecoverAndClaim() {
    TestTable t =
        table("jobs").key("id").state().with(Role.TOKEN, Role.LEASE_UNTIL).create().rows(1, 1);
    race(t, 400, Change.Complete::new, "done");
  }

  @Test
  default void p05_c142_completeAgainstRecoverAndClaimWithTimesAlone() {
    TestTable t = table("jobs").key("id").state().with(Role.LEASE_UNTIL).create().rows(1, 1);
    race(t, 200, Change.Complete::new, "done");
  }

  @Test
  default void p05_c142_failAgainstRecoverAndClaim() {
    TestTable t =
        table("jobs").key("id").state().with(Role.TOKEN, Role.LEASE_UNTIL).create().rows(1, 1);
    race(t, 100, c -> new Change.Fail(c, "x", Optional.empty()), "ready");
  }

  @Test
  default void p05_c148_completeAndRecoverDoNotDeadlock() {
    TestTable t = table("jobs").full().create().rows(1, 400);
    Queue holder = t.queue(q -> q.lease(Duration.ofMillis(1)));
    List<Claim> claims = new java.util.ArrayList<>(holder.claim(400));
    java.util.Collections.reverse(claims);
    List<Long> counts =
        Threads.race(
            List.of(
                () ->
                    holder.apply(claims.stream().map(Change.Complete::new).toList()).stream()
                        .filter(a -> !a.lost())
                        .count(),
                () -> {
                  long recovered = 0;
                  for (int i = 0; i < 20; i++) {
                    recovered += holder.recover(50).size();
                  }
                  return recovered;
                }));
    assertThat(t.count("state", "done")).isEqualTo(counts.get(0));
    assertThat(t.count("state", "ready")).isEqualTo(counts.get(1));
  }

  @Test
  default void p05_twoBatchesInOppositeOrderDoNotDeadlock() {
    TestTable t = table("jobs").full().create().rows(1, 300);
    Queue queue = t.queue();
    List<Claim> claims = queue.claim(300);
    List<Claim> reversed = new java.util.ArrayList<>(claims);
    java.util.Collections.reverse(reversed);
    List<Long> done =
        Threads.race(List.of(() -> completed(queue, claims), () -> completed(queue, reversed)));
    assertThat(done.get(0) + done.get(1)).isEqualTo(300);
    assertThat(t.count("state", "done")).isEqualTo(300);
  }

  private long completed(Queue queue, List<Claim> claims) {
    return queue.apply(claims.stream().map(Change.Complete::new).toList()).stream()
        .filter(a -> !a.lost())
        .count();
  }

  @Test
  default void p05_twoCompletionsOfOneClaimCountOnce() {
    TestTable t = table("jobs").full().create().rows(1, 100);
    for (Claim claim : t.queue().claim(100)) {
      List<Boolean> lost =
          Threads.race(2, n -> t.queue().apply(List.of(new Change.Complete(claim))).get(0).lost());
      assertThat(lost).containsExactlyInAnyOrder(true, false);
    }
    assertThat(t.count("state", "done")).isEqualTo(100);
  }
}
