package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.Queue;
import dev.rowlock.RetryPolicy;
import dev.rowlock.Role;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** P3 for groups: rows of one group are worked strictly one after the other. */
interface P03Groups extends Suite {

  private TestTable grouped(String name) {
    TestTable t = table(name).full().with(Role.GROUP).create();
    t.add("id", 1, "grp", "a").add("id", 2, "grp", "a").add("id", 3, "grp", "b");
    return t.add("id", 4).add("id", 5);
  }

  @Test
  default void p03_group_oneRowOfAGroupAtATime() {
    TestTable t = grouped("jobs");
    List<Claim> claims = t.queue().claim(10);
    assertThat(keys(claims)).containsExactly(1L, 3L, 4L, 5L);
    assertThat(t.queue().claim(10)).isEmpty();
    t.queue().complete(claims.get(0));
    assertThat(keys(t.queue().claim(10))).containsExactly(2L);
  }

  @Test
  default void p03_group_aRetryThatWaitsHoldsItsGroupBack() {
    TestTable t = grouped("jobs");
    Claim first = claim(t.queue());
    t.queue().apply(new Change.Fail(first, "x", Optional.of(Duration.ofHours(1))));
    assertThat(keys(t.queue().claim(10))).containsExactly(3L, 4L, 5L);
    t.dueAll();
    assertThat(keys(t.queue().claim(10))).containsExactly(1L);
  }

  @Test
  default void p03_group_aDeadLetterLetsItsGroupGoOn() {
    TestTable t = grouped("jobs");
    Claim first = claim(t.queue());
    t.queue().apply(new Change.Dead(first, "refused"));
    assertThat(t.state(1)).isEqualTo("dead");
    assertThat(keys(t.queue().claim(10))).containsExactly(2L, 3L, 4L, 5L);
  }

  @Test
  default void p03_group_usedUpAttemptsWithoutADeadStateLetTheGroupGoOn() {
    TestTable t =
        table("jobs")
            .key("id")
            .state(dev.rowlock.State.of("state", "ready", "processing", "done"))
            .with(Role.ATTEMPTS, Role.GROUP)
            .retry(RetryPolicy.defaults().withMaxAttempts(1))
            .create();
    t.add("id", 1, "grp", "a").add("id", 2, "grp", "a");
    assertThat(t.queue().fail(claim(t.queue()), "x")).isEqualTo(dev.rowlock.Applied.Status.DEAD);
    assertThat(keys(t.queue().claim(10))).containsExactly(2L);
  }

  @Test
  default void p03_group_anExpiredRowHoldsItsGroupUntilItIsRecovered() {
    TestTable t = grouped("jobs");
    t.queue().claim(1);
    t.expireAll();
    assertThat(keys(t.queue().claim(10))).containsExactly(3L, 4L, 5L);
    t.queue().recover(10);
    assertThat(keys(t.queue().claim(10))).containsExactly(1L);
  }

  @Test
  default void p03_group_priorityOrdersWithinTheGroup() {
    TestTable t = table("jobs").full().with(Role.GROUP, Role.PRIORITY).create();
    t.add("id", 1, "grp", "a").add("id", 2, "grp", "a", "priority", 5);
    t.add("id", 3, "grp", "a", "priority", 1);
    List<Object> seen = new ArrayList<>();
    for (List<Claim> c = t.queue().claim(10); !c.isEmpty(); c = t.queue().claim(10)) {
      seen.addAll(keys(c));
      c.forEach(t.queue()::complete);
    }
    assertThat(seen).containsExactly(3L, 2L, 1L);
  }

  @Test
  default void p03_group_eightWorkersKeepTheOrderOfEachGroup() {
    TestTable t = table("jobs").full().with(Role.GROUP).create();
    for (int id = 1; id <= 120; id++) {
      t.add("id", id, "grp", "g" + id % 4);
    }
    Map<Long, List<Long>> effects = new ConcurrentHashMap<>();
    Map<Long, Boolean> busy = new ConcurrentHashMap<>();
    List<String> overlaps = Collections.synchronizedList(new ArrayList<>());
    Threads.race(
        8,
        n -> {
          Queue queue = t.queue(q -> q.workerName("w" + n));
          while (queue.stats().left() > 0) {
            for (Claim claim : queue.claim(3)) {
              long id = (Long) claim.key().get("id");
              long group = id % 4;
              if (busy.put(group, true) != null) {
                overlaps.add("group " + group + " was worked twice at once: " + id);
              }
              effects
                  .computeIfAbsent(group, g -> Collections.synchronizedList(new ArrayList<>()))
                  .add(id);
              busy.remove(group);
              queue.complete(claim);
            }
          }
          return null;
        });
    assertThat(overlaps).isEmpty();
    assertThat(effects).hasSize(4);
    effects.forEach((group, seen) -> assertThat(seen).as("group " + group).hasSize(30).isSorted());
    assertThat(t.count("attempts", 1)).isEqualTo(120);
  }
}
