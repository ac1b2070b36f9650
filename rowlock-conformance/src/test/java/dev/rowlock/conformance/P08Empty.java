package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.QueueStats;
import dev.rowlock.RowState;
import dev.rowlock.conformance.kit.TestTable;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** P8: "nothing claimable now" and "nothing left" are different answers. */
interface P08Empty extends Suite {

  @Test
  default void p08_c012_anEmptyClaimIsNotADrainedQueue() {
    needs(Facility.ROW_LOCKS);
    TestTable t = table("jobs").full().create().rows(1, 1);
    OpenTransaction other = open().run(db().lockRows(t.name(), t.is(1)));
    assertThat(t.queue().claim(1)).isEmpty();
    assertThat(t.queue().stats().count(RowState.READY)).isEqualTo(1);
    assertThat(t.queue().stats().left()).isEqualTo(1);
    other.rollback();
    t.queue().complete(claim(t.queue()));
    assertThat(t.queue().stats().left()).isZero();
  }

  @Test
  default void p08_everyUnfinishedStateIsLeft() {
    TestTable t = table("jobs").full().create().rows(1, 6);
    List<Claim> claims = t.queue().claim(5);
    t.queue().apply(new Change.Snooze(claims.get(0), Duration.ofHours(1)));
    t.queue().complete(claims.get(1));
    t.queue().apply(new Change.Dead(claims.get(2), "no"));
    t.set(4, "lease_until", new dev.rowlock.conformance.kit.TestTable.Raw(db().nowPlus(-1000)));
    QueueStats stats = t.queue().stats();
    assertThat(stats.count(RowState.SCHEDULED)).isEqualTo(1);
    assertThat(stats.count(RowState.DONE)).isEqualTo(1);
    assertThat(stats.count(RowState.DEAD)).isEqualTo(1);
    assertThat(stats.count(RowState.EXPIRED)).isEqualTo(1);
    assertThat(stats.count(RowState.PROCESSING)).isEqualTo(1);
    assertThat(stats.count(RowState.READY)).isEqualTo(1);
    assertThat(stats.left()).isEqualTo(4);
  }

  @Test
  default void p08_drainedMeansThatNothingIsLeftInAnyUnfinishedState() {
    TestTable t = table("jobs").full().create().rows(1, 5);
    List<Claim> claims = t.queue().claim(4);
    t.queue().apply(new Change.Snooze(claims.get(0), Duration.ofHours(1)));
    t.set(2, "lease_until", new dev.rowlock.conformance.kit.TestTable.Raw(db().nowPlus(-1000)));
    t.queue().apply(new Change.Dead(claims.get(2), "no"));
    assertThat(t.queue().drained()).as("ready, scheduled, expired, processing").isFalse();
    t.queue().complete(claims.get(3));
    t.queue().complete(claim(t.queue()));
    assertThat(t.queue().drained()).as("scheduled, expired").isFalse();
    t.queue().complete(claims.get(1));
    assertThat(t.queue().drained()).as("scheduled").isFalse();
    t.set(1, "run_at", null);
    t.queue().complete(claim(t.queue()));
    assertThat(t.queue().drained()).as("two kinds of finished rows").isTrue();
    assertThat(t.queue().stats().left()).isZero();
  }

  @Test
  default void p08_countingNeitherWaitsForLocksNorTakesAny() {
    TestTable t = table("jobs").full().create().rows(1, 5);
    OpenTransaction other = open();
    other.run("update %s set %s = 'done'".formatted(t.name(), db().quote("state")));
    other.run("insert into %s (%s) values (6)".formatted(t.name(), db().quote("id")));
    QueueStats stats = t.queue().stats();
    assertThat(stats.count(RowState.READY)).as("uncommitted changes do not count").isEqualTo(5);
    other.rollback();
    assertThat(stats.count(RowState.DONE)).isZero();
  }

  @Test
  default void p08_anErrorIsNeverAnEmptyClaim() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    dev.rowlock.Queue queue = t.queue();
    t.sql("drop table " + t.name());
    org.assertj.core.api.Assertions.assertThatThrownBy(() -> queue.claim(1))
        .isInstanceOfSatisfying(
            dev.rowlock.DatabaseException.class,
            e -> assertThat(e.fault()).isEqualTo(dev.rowlock.Fault.MISSING_OBJECT));
    table("jobs").full().create();
  }
}
