package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Applied.Status;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.LeaseLostException;
import dev.rowlock.Queue;
import dev.rowlock.RetryPolicy;
import dev.rowlock.Role;
import dev.rowlock.RowState;
import dev.rowlock.conformance.kit.TestTable;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tables without a state column: NULL means "not yet". */
interface Markers extends Suite {

  @Test
  default void marker_theWholeLifeWithAllMarkers() {
    TestTable t =
        table("inbox")
            .key("id")
            .with(Role.CLAIMED_AT, Role.LEASE_UNTIL, Role.DONE_AT, Role.DEAD_AT)
            .with(Role.TOKEN, Role.ATTEMPTS, Role.RUN_AT, Role.ERROR)
            .retry(RetryPolicy.defaults().withMaxAttempts(2))
            .create()
            .rows(1, 5);
    Queue queue = t.queue();
    List<Claim> claims = queue.claim(4);
    assertThat(t.count("claimed_at", null)).isEqualTo(1);
    queue.complete(claims.get(0));
    assertThat(t.get(1, "done_at")).isNotNull();
    assertThat(queue.apply(new Change.Dead(claims.get(1), "no")).status()).isEqualTo(Status.DEAD);
    assertThat(t.get(2, "dead_at")).isNotNull();
    assertThat(queue.fail(claims.get(2), "x")).isEqualTo(Status.RETRYING);
    assertThat(t.get(3, "claimed_at")).isNull();
    t.expireAll();
    assertThat(queue.stats().count(RowState.EXPIRED)).isEqualTo(1);
    assertThat(queue.recover(9).ready()).containsExactly(queue.key("4"));
    assertThat(queue.stats().counts())
        .containsEntry(RowState.DONE, 1L)
        .containsEntry(RowState.DEAD, 1L)
        .containsEntry(RowState.SCHEDULED, 1L)
        .containsEntry(RowState.READY, 2L);
    assertThatThrownBy(() -> queue.complete(claims.get(3))).isInstanceOf(LeaseLostException.class);
    t.dueAll();
    assertThat(keys(queue.claim(9))).containsExactlyInAnyOrder(3L, 4L, 5L);
  }

  @Test
  default void marker_leaseEndAlone() {
    TestTable t =
        table("outbox").key("id").with(Role.LEASE_UNTIL, Role.DONE_AT).create().rows(1, 3);
    List<Claim> claims = t.queue().claim(3);
    t.queue().complete(claims.get(0));
    t.queue().release(claims.get(1));
    Claim extended = t.queue().extend(claims.get(2), Duration.ofHours(1));
    assertThatThrownBy(() -> t.queue().complete(claims.get(2)))
        .isInstanceOf(LeaseLostException.class);
    t.queue().complete(extended);
    assertThat(t.count("done_at", null)).isEqualTo(1);
    assertThat(keys(t.queue().claim(5))).containsExactly(2L);
    t.expireAll();
    assertThat(t.queue().recover(5).size()).isEqualTo(1);
  }

  @Test
  default void marker_claimTimeAlone() {
    TestTable t =
        table("outbox")
            .key("id")
            .with(Role.CLAIMED_AT)
            .map(m -> m.onDone(dev.rowlock.OnDone.delete()))
            .create()
            .rows(1, 3);
    List<Claim> claims = t.queue().claim(3);
    t.queue().complete(claims.get(0));
    t.queue().release(claims.get(1));
    assertThatThrownBy(() -> t.queue().release(claims.get(1)))
        .isInstanceOf(LeaseLostException.class);
    t.expireAll();
    assertThat(t.queue().recover(5).ready()).containsExactly(claims.get(2).key());
    assertThatThrownBy(() -> t.queue().complete(claims.get(2)))
        .isInstanceOf(LeaseLostException.class);
    assertThat(t.count()).isEqualTo(2);
  }

  @Test
  default void marker_doneAtBesideAStateIsAStamp() {
    TestTable t = table("jobs").full().with(Role.DONE_AT, Role.CLAIMED_AT).create().rows(1, 1);
    Claim claim = claim(t.queue());
    t.queue().complete(claim);
    assertThat(t.get(1, "done_at")).isNotNull();
    assertThat(t.get(1, "claimed_at")).as("when it was claimed stays known").isNotNull();
    assertThat(t.queue().stats().count(RowState.DONE)).isEqualTo(1);
  }

  @Test
  default void marker_withoutADeadLetterUsedUpRowsAreNotClaimed() {
    TestTable t =
        table("inbox")
            .key("id")
            .with(Role.LEASE_UNTIL, Role.DONE_AT, Role.ATTEMPTS, Role.ERROR)
            .retry(RetryPolicy.defaults().withMaxAttempts(2))
            .create()
            .rows(1, 1);
    assertThat(t.queue().fail(claim(t.queue()), "x")).isEqualTo(Status.RETRYING);
    assertThat(t.queue().fail(claim(t.queue()), "y")).isEqualTo(Status.DEAD);
    assertThat(t.queue().claim(1)).isEmpty();
    assertThat(t.get(1, "last_error")).isEqualTo("y");
    assertThat(t.queue().stats().count(RowState.FAILED)).isEqualTo(1);
  }
}
