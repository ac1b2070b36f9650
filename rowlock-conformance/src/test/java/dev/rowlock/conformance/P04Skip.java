package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.DatabaseException;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.Threads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** P4: a row locked by anyone is passed over; nobody waits for it. */
interface P04Skip extends Suite {
  /** Far below every lock timeout, far above what a statement takes. */
  Duration AT_ONCE = Duration.ofSeconds(2);

  private <T> T atOnce(java.util.concurrent.Callable<T> work) {
    long start = System.nanoTime();
    T result = Threads.get(Threads.start(work));
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(AT_ONCE);
    return result;
  }

  @Test
  default void p04_aRowLockedBySelectForUpdateIsPassedOver() {
    needs(Facility.ROW_LOCKS);
    TestTable t = table("jobs").full().create().rows(1, 3);
    OpenTransaction other = open().run(db().lockRows(t.name(), t.is(1)));
    assertThat(keys(atOnce(() -> t.queue().claim(1)))).containsExactly(2L);
    other.commit();
    assertThat(keys(t.queue().claim(1))).containsExactly(1L);
  }

  @Test
  default void p04_aRowThatSomebodyIsUpdatingIsPassedOver() {
    needs(Facility.ROW_LOCKS);
    TestTable t = table("jobs").full().create().rows(1, 3);
    OpenTransaction other = open();
    other.run(
        "update %s set %s = 'x' where %s".formatted(t.name(), db().quote("last_error"), t.is(1)));
    assertThat(keys(atOnce(() -> t.queue().claim(5)))).containsExactly(2L, 3L);
    other.rollback();
    assertThat(keys(t.queue().claim(5))).containsExactly(1L);
  }

  @Test
  default void p04_aRowThatIsBeingInsertedIsNotSeen() {
    needs(Facility.ROW_LOCKS);
    TestTable t = table("jobs").full().create();
    OpenTransaction other = open();
    other.run("insert into %s (%s) values (1)".formatted(t.name(), db().quote("id")));
    assertThat(atOnce(() -> t.queue().claim(5))).isEmpty();
    other.commit();
    assertThat(keys(t.queue().claim(5))).containsExactly(1L);
  }

  @Test
  default void p04_aRowTakenWhileItWasLockedIsNotTakenAgain() {
    needs(Facility.ROW_LOCKS);
    TestTable t = table("jobs").full().create().rows(1, 2);
    OpenTransaction other = open();
    List<Claim> theirs = t.queue().claim(other.connection(), 1);
    assertThat(keys(atOnce(() -> t.queue().claim(5)))).containsExactly(2L);
    other.commit();
    assertThat(t.queue().claim(5)).isEmpty();
    t.queue().complete(theirs.get(0));
    assertThat(t.state(1)).isEqualTo("done");
  }

  @Test
  default void p04_c148_recoveryPassesLockedRowsOverAndFindsThemLater() {
    needs(Facility.ROW_LOCKS);
    TestTable t = table("jobs").full().create().rows(1, 2);
    t.queue().claim(2);
    t.expireAll();
    OpenTransaction dying = open().run(db().lockRows(t.name(), t.is(1)));
    assertThat(atOnce(() -> t.queue().recover(10)).ready()).containsExactly(t.queue().key("2"));
    dying.close();
    assertThat(t.queue().recover(10).ready()).containsExactly(t.queue().key("1"));
  }

  @Test
  default void p04_extendingARowThatIsLockedNeitherWaitsNorLosesIt() {
    needs(Facility.ROW_LOCKS);
    TestTable t = table("jobs").full().create().rows(1, 2);
    List<Claim> claims = t.queue().claim(2);
    OpenTransaction other = open().run(db().lockRows(t.name(), t.is(1)));
    List<Applied> applied =
        atOnce(
            () ->
                t.queue()
                    .apply(
                        claims.stream()
                            .map(c -> new Change.Extend(c, Duration.ofHours(1)))
                            .toList()));
    assertThat(applied.stream().map(Applied::status))
        .containsExactly(Applied.Status.BUSY, Applied.Status.EXTENDED);
    other.rollback();
    assertThat(t.queue().apply(new Change.Extend(claims.get(0), Duration.ofHours(1))).status())
        .isEqualTo(Applied.Status.EXTENDED);
    t.queue().complete(claims.get(0));
  }

  @Test
  default void p04_c119_aCompletionWaitsForALockThatIsSoonGone() throws Exception {
    TestTable t = table("jobs").full().create().rows(1, 1);
    Claim claim = claim(t.queue());
    OpenTransaction other = open();
    other.run(
        "update %s set %s = 'x' where %s".formatted(t.name(), db().quote("last_error"), t.is(1)));
    Future<Applied> completing = Threads.start(() -> t.queue().apply(new Change.Complete(claim)));
    // Long enough for a lock timeout of a small database, short against the bounded retries.
    assertThatThrownBy(() -> completing.get(1500, TimeUnit.MILLISECONDS))
        .isInstanceOf(java.util.concurrent.TimeoutException.class);
    other.commit();
    assertThat(Threads.get(completing).status()).isEqualTo(Applied.Status.COMPLETED);
    assertThat(t.state(1)).isEqualTo("done");
  }

  @Test
  default void p04_aLockThatStaysEndsInAClearErrorAndChangesNothing() {
    TestTable t = table("jobs").full().lease(Duration.ofSeconds(4)).create().rows(1, 1);
    Claim claim = claim(t.queue());
    open().run(db().lockRows(t.name(), t.is(1)));
    assertThatThrownBy(
            () -> Threads.get(Threads.start(() -> t.queue().apply(new Change.Complete(claim)))))
        .isInstanceOfSatisfying(
            DatabaseException.class,
            e ->
                assertThat(e.fault())
                    .isIn(dev.rowlock.Fault.LOCK_TIMEOUT, dev.rowlock.Fault.TIMEOUT));
    assertThat(t.state(1)).isEqualTo("processing");
  }
}
