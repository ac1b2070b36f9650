package dev.rowlock.conformance;

import static dev.rowlock.conformance.kit.TestTable.ids;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Claim;
import dev.rowlock.Queue;
import dev.rowlock.RetryPolicy;
import dev.rowlock.Role;
import dev.rowlock.conformance.kit.TableSpec;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.TestTable.Raw;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** P3: rows come in the mapped order among those not locked, ties by key; so is the list. */
interface P03Ordered extends Suite {

  private List<Object> oneByOne(Queue queue) {
    List<Object> seen = new ArrayList<>();
    for (List<Claim> c = queue.claim(1); !c.isEmpty(); c = queue.claim(1)) {
      seen.addAll(keys(c));
    }
    return seen;
  }

  @Test
  default void p03_c005_theListIsInClaimOrder() {
    TestTable t =
        table("jobs").full().column("prio", "integer").map(m -> m.order("prio desc")).create();
    t.rows(1, 2000).sql("update %s set %s = mod(%s * 7919, 100)", t.name(), q("prio"), q("id"));
    List<Claim> claims = t.queue().claim(200);
    List<Long> prios = new ArrayList<>();
    for (Object id : keys(claims)) {
      prios.add(t.number(id, "prio") * 10_000 - (Long) id);
    }
    assertThat(prios).hasSize(200).isSortedAccordingTo(java.util.Comparator.reverseOrder());
    assertThat(prios.get(0)).isGreaterThan(980_000);
  }

  private String q(String name) {
    return db().quote(name);
  }

  @Test
  default void p03_c006_tiesAreBrokenByTheKey() {
    TestTable t = table("jobs").full().create().rows(1, 100);
    t.setAll("run_at", new Raw(db().nowPlus(-5000)));
    // Rewrites rows in another order than they were inserted in.
    for (int id : new int[] {3, 99, 1, 50, 2, 77}) {
      t.set(id, "last_error", "moved");
    }
    assertThat(oneByOne(t.queue())).isEqualTo(ids(1, 100));
  }

  @Test
  default void p03_c032_rowsWithoutAPriorityComeLastUnlessToldOtherwise() {
    record Case(String order, Object... wanted) {}
    List<Case> cases =
        List.of(
            new Case("", 2L, 5L, 3L, 1L, 4L),
            new Case("priority desc", 3L, 2L, 5L, 1L, 4L),
            new Case("priority nulls first", 1L, 4L, 2L, 5L, 3L),
            new Case("priority desc nulls first", 1L, 4L, 3L, 2L, 5L),
            new Case("priority ASC NULLS LAST", 2L, 5L, 3L, 1L, 4L));
    for (int i = 0; i < cases.size(); i++) {
      Case c = cases.get(i);
      TableSpec spec = table("jobs" + i).key("id").state().with(Role.PRIORITY);
      TestTable t = (c.order.isEmpty() ? spec : spec.map(m -> m.order(c.order))).create();
      t.add("id", 1).add("id", 2, "priority", 1).add("id", 3, "priority", 5);
      t.add("id", 4).add("id", 5, "priority", 1);
      assertThat(keys(t.queue().claim(3)))
          .as(c.order)
          .containsExactly(c.wanted[0], c.wanted[1], c.wanted[2]);
      assertThat(oneByOne(t.queue())).as(c.order).containsExactly(c.wanted[3], c.wanted[4]);
    }
  }

  @Test
  default void p03_priorityThenDueTimeThenKeyWhereNothingElseIsSaid() {
    TestTable t = table("jobs").full().with(Role.PRIORITY).create();
    t.add("id", 1, "priority", 2, "run_at", new Raw(db().nowPlus(-9000)));
    t.add("id", 2, "priority", 1, "run_at", new Raw(db().nowPlus(-1000)));
    t.add("id", 3, "priority", 1, "run_at", new Raw(db().nowPlus(-8000)));
    t.add("id", 4, "priority", 1, "run_at", new Raw(db().nowPlus(60_000)));
    assertThat(keys(t.queue().claim(10))).containsExactly(3L, 2L, 1L);
  }

  @Test
  default void p03_lockedRowsArePassedOverAndTheRestStaysInOrder() {
    needs(Facility.ROW_LOCKS);
    TestTable t = table("jobs").full().create().rows(1, 6);
    open().run(db().lockRows(t.name(), t.is(1))).run(db().lockRows(t.name(), t.is(4)));
    assertThat(keys(t.queue().claim(3))).containsExactly(2L, 3L, 5L);
  }

  @Test
  default void p03_c013_failedRowsDoNotStarveNewOnes() {
    TestTable t =
        table("jobs").full().retry(RetryPolicy.defaults().withMaxAttempts(10)).create().rows(1, 20);
    Queue queue = t.queue();
    List<Claim> failing = queue.claim(20);
    failing.forEach(c -> queue.fail(c, "provider down"));
    t.dueAll();
    t.add("id", 21, "run_at", new Raw(db().nowPlus(-100)));
    // The twenty are due before it, so they come once more, and then wait longer than it.
    queue.claim(10).forEach(c -> queue.fail(c, "provider down"));
    queue.claim(10).forEach(c -> queue.fail(c, "provider down"));
    assertThat(keys(queue.claim(10))).containsExactly(21L);
  }

  @Test
  default void p03_compositeKeysBreakTiesColumnByColumn() {
    TestTable t =
        table("jobs").key("tenant", db().varcharType(10)).key("no", "integer").state().create();
    t.add("tenant", "b", "no", 1).add("tenant", "a", "no", 2).add("tenant", "a", "no", 1);
    assertThat(t.queue().claim(3).stream().map(c -> c.key().toString()).toList())
        .containsExactly("tenant=a, no=1", "tenant=a, no=2", "tenant=b, no=1");
  }

  @Test
  default void p03_aRetryWaitsItsDelayAndLetsOthersPass() {
    TestTable t = table("jobs").full().create().rows(1, 2);
    Claim first = claim(t.queue());
    t.queue()
        .apply(new dev.rowlock.Change.Fail(first, "x", java.util.Optional.of(Duration.ofHours(1))));
    assertThat(keys(t.queue().claim(5))).containsExactly(2L);
  }
}
