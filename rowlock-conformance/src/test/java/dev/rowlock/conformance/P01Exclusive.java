package dev.rowlock.conformance;

import static dev.rowlock.conformance.kit.TestTable.ids;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Claim;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.Threads;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * P1: of any number of concurrent claimers, one gets a row, until its lease ends or it is released.
 */
interface P01Exclusive extends Suite {

  @Test
  default void p01_everyRowGoesToOneOfEightClaimers() {
    TestTable t = table("jobs").full().create().rows(1, 400);
    List<List<Object>> taken =
        Threads.race(
            8,
            n -> {
              Queue queue = t.queue(q -> q.workerName("w" + n));
              List<Object> mine = new ArrayList<>();
              for (List<Claim> c = queue.claim(3); !c.isEmpty(); c = queue.claim(3)) {
                mine.addAll(keys(c));
              }
              return mine;
            });
    assertThat(taken.stream().flatMap(List::stream).toList())
        .containsExactlyInAnyOrderElementsOf(ids(1, 400));
    assertThat(t.states()).containsOnly(org.assertj.core.api.Assertions.entry("processing", 400L));
    assertThat(t.count("attempts", 1)).isEqualTo(400);
  }

  @Test
  default void p01_oneRowAndEightClaimers() {
    TestTable t = table("jobs").key("id").state().with(Role.TOKEN).create().rows(1, 1);
    for (int round = 0; round < 25; round++) {
      List<Integer> got = Threads.race(8, n -> t.queue().claim(5).size());
      assertThat(got.stream().mapToInt(i -> i).sum()).as("round %s", round).isEqualTo(1);
      t.set(1, "state", "ready");
    }
  }

  @Test
  default void p01_aClaimIsSeenByEverybodyAtOnce() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    Claim claim = claim(t.queue());
    assertThat(t.state(1)).isEqualTo("processing");
    assertThat(t.get(1, "worker")).isEqualTo(t.queue().instance());
    assertThat(t.number(1, "attempts")).isEqualTo(1);
    assertThat(claim.attempt()).hasValue(1);
    assertThat(t.queue().claim(1)).isEmpty();
    assertThat(t.queue(q -> q.workerName("other")).claim(1)).isEmpty();
  }

  @Test
  default void p01_aReleasedRowIsThereForTheNext() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    Claim first = claim(t.queue());
    t.queue().release(first);
    assertThat(t.state(1)).isEqualTo("ready");
    Claim second = claim(t.queue());
    assertThat(second.key()).isEqualTo(first.key());
    assertThat(second.fence()).isNotEqualTo(first.fence());
  }

  @Test
  default void p01_aRowWhoseLeaseHasEndedIsThereForTheNext() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    claim(t.queue());
    assertThat(t.queue().recover(10).size()).isZero();
    t.expireAll();
    assertThat(t.queue().claim(1)).as("expired, not yet recovered").isEmpty();
    assertThat(t.queue().recover(10).ready()).containsExactly(t.queue().key("1"));
    assertThat(claim(t.queue()).attempt()).hasValue(2);
  }

  @Test
  default void p01_concurrentRecoveriesShareTheRows() {
    TestTable t = table("jobs").full().create().rows(1, 60);
    t.queue().claim(60);
    t.expireAll();
    List<Object> recovered =
        Threads.race(
                4,
                n -> {
                  List<Object> mine = new ArrayList<>();
                  for (var r = t.queue().recover(7); r.size() > 0; r = t.queue().recover(7)) {
                    r.ready().forEach(k -> mine.add(k.get("id")));
                  }
                  return mine;
                })
            .stream()
            .flatMap(List::stream)
            .toList();
    assertThat(recovered).containsExactlyInAnyOrderElementsOf(ids(1, 60));
    assertThat(t.count("state", "ready")).isEqualTo(60);
  }

  @Test
  default void p01_c103_aRestartedWorkerOfTheSameNameDoesNotGetItsOldRows() {
    TestTable t = table("jobs").full().create().rows(1, 4);
    Queue before = t.queue(q -> q.workerName("same"));
    Queue after = t.queue(q -> q.workerName("same"));
    assertThat(before.instance()).startsWith("same").isNotEqualTo(after.instance());
    assertThat(keys(before.claim(2))).containsExactly(1L, 2L);
    assertThat(keys(after.claim(2))).containsExactly(3L, 4L);
  }

  @Test
  default void p01_statesAndMarkersAlone() {
    for (Role marker : List.of(Role.CLAIMED_AT, Role.LEASE_UNTIL)) {
      TestTable t =
          table("marks_" + marker.label())
              .key("id")
              .with(marker, Role.DONE_AT)
              .create()
              .rows(1, 60);
      List<List<Object>> taken =
          Threads.race(
              4,
              n -> {
                List<Object> mine = new ArrayList<>();
                for (var c = t.queue().claim(4); !c.isEmpty(); c = t.queue().claim(4)) {
                  mine.addAll(keys(c));
                }
                return mine;
              });
      assertThat(taken.stream().flatMap(List::stream).toList())
          .as(marker.label())
          .containsExactlyInAnyOrderElementsOf(ids(1, 60));
    }
  }
}
