package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Applied.Status;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.LeaseLostException;
import dev.rowlock.OnDone;
import dev.rowlock.Queue;
import dev.rowlock.RetryPolicy;
import dev.rowlock.Role;
import dev.rowlock.RowState;
import dev.rowlock.conformance.kit.TableSpec;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.TestTable.Raw;
import dev.rowlock.conformance.kit.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tables where run-at and lease-until are one column, as in a message queue. */
interface VisibilityTimeout extends Suite {

  private TableSpec visible(String name) {
    String type = db().timestampType() + " default " + db().now() + " not null";
    return table(name)
        .key("id")
        .with(Role.LEASE_UNTIL, "visible_at", type)
        .with(Role.RUN_AT, "visible_at", type);
  }

  private TestTable messages() {
    return visible("messages")
        .with(Role.TOKEN, Role.ATTEMPTS)
        .map(m -> m.onDone(OnDone.delete()))
        .create();
  }

  private void end(TestTable t) {
    t.setAll("visible_at", new Raw(db().nowPlus(-1000)));
  }

  @Test
  default void visible_aClaimHidesTheRowUntilItsLeaseEnds() {
    TestTable t = messages().rows(1, 2);
    Claim first = claim(t.queue());
    assertThat(keys(t.queue().claim(5))).containsExactly(2L);
    assertThat(t.queue().claim(5)).isEmpty();
    end(t);
    List<Claim> again = t.queue().claim(5);
    assertThat(again).hasSize(2).allMatch(c -> c.attempt().getAsInt() == 2);
    assertThatThrownBy(() -> t.queue().complete(first)).isInstanceOf(LeaseLostException.class);
    again.forEach(t.queue()::complete);
    assertThat(t.count()).isZero();
  }

  @Test
  default void visible_endedButNotTakenIsStillCurrent() {
    TestTable t = messages().rows(1, 1);
    Claim claim = claim(t.queue());
    end(t);
    t.queue().complete(claim);
    assertThat(t.count()).isZero();
  }

  @Test
  default void visible_releaseSnoozeFailAndExtend() {
    TestTable t = messages().rows(1, 4);
    List<Claim> claims = t.queue().claim(4);
    t.queue().release(claims.get(0));
    assertThat(keys(t.queue().claim(5))).containsExactly(1L);
    t.queue().snooze(claims.get(1), Duration.ofHours(1));
    assertThat(
            t.queue()
                .apply(new Change.Fail(claims.get(2), "x", Optional.of(Duration.ofHours(1))))
                .status())
        .isEqualTo(Status.RETRYING);
    t.queue().extend(claims.get(3), Duration.ofHours(2));
    assertThat(t.queue().claim(5)).isEmpty();
    assertThatThrownBy(() -> t.queue().complete(claims.get(0)))
        .isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(() -> t.queue().complete(claims.get(1)))
        .isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(() -> t.queue().complete(claims.get(2)))
        .isInstanceOf(LeaseLostException.class);
    t.queue().complete(claims.get(3));
    end(t);
    assertThat(keys(t.queue().claim(5))).containsExactlyInAnyOrder(1L, 2L, 3L);
  }

  @Test
  default void visible_attemptsAreLimited() {
    TestTable t =
        visible("messages")
            .with(Role.TOKEN, Role.ATTEMPTS, Role.DEAD_AT, Role.DONE_AT)
            .retry(RetryPolicy.defaults().withMaxAttempts(2))
            .create()
            .rows(1, 2);
    List<Claim> claims = t.queue().claim(2);
    claims.forEach(c -> t.queue().fail(c, "x"));
    end(t);
    List<Claim> again = t.queue().claim(2);
    assertThat(t.queue().fail(again.get(0), "x")).isEqualTo(Status.DEAD);
    assertThat(t.queue().stats().count(RowState.DEAD)).isEqualTo(1);
    // The other one's worker dies with its last attempt.
    end(t);
    assertThat(t.queue().claim(5)).isEmpty();
    assertThat(t.queue().stats().count(RowState.EXPIRED)).isEqualTo(1);
    assertThat(t.queue().recover(5).dead()).containsExactly(again.get(1).key());
    assertThat(t.queue().stats().count(RowState.DEAD)).isEqualTo(2);
    assertThat(t.queue().stats().left()).isZero();
  }

  @Test
  default void visible_timeAloneFences() {
    TestTable t = visible("messages").map(m -> m.onDone(OnDone.delete())).create().rows(1, 2);
    List<Claim> claims = t.queue().claim(2);
    Claim extended = t.queue().extend(claims.get(0), Duration.ofHours(1));
    assertThatThrownBy(() -> t.queue().complete(claims.get(0)))
        .isInstanceOf(LeaseLostException.class);
    t.queue().complete(extended);
    t.queue().release(claims.get(1));
    assertThatThrownBy(() -> t.queue().complete(claims.get(1)))
        .isInstanceOf(LeaseLostException.class);
    t.queue().complete(claim(t.queue()));
    assertThat(t.count()).isZero();
  }

  @Test
  default void visible_attemptsWithoutATokenFenceAfterARelease() {
    TestTable t =
        visible("messages")
            .with(Role.ATTEMPTS)
            .map(m -> m.onDone(OnDone.delete()))
            .create()
            .rows(1, 1);
    Claim claim = claim(t.queue());
    t.queue().release(claim);
    assertThatThrownBy(() -> t.queue().complete(claim))
        .as("given back, though nobody has taken it yet")
        .isInstanceOf(LeaseLostException.class);
    assertThat(t.count()).isEqualTo(1);
  }

  @Test
  default void visible_withAStateItIsALeaseLikeAnyOther() {
    TestTable t = visible("messages").state().with(Role.TOKEN).create().rows(1, 1);
    Claim claim = claim(t.queue());
    end(t);
    assertThat(t.queue().claim(1)).as("processing").isEmpty();
    assertThat(t.queue().recover(5).ready()).containsExactly(claim.key());
    assertThatThrownBy(() -> t.queue().complete(claim)).isInstanceOf(LeaseLostException.class);
    t.queue().complete(claim(t.queue()));
    assertThat(t.state(1)).isEqualTo("done");
  }

  @Test
  default void visible_eightConsumersGetEachMessageOnce() {
    TestTable t = messages().rows(1, 200);
    List<List<Object>> taken =
        Threads.race(
            8,
            n -> {
              Queue queue = t.queue(q -> q.workerName("w" + n));
              List<Object> mine = new ArrayList<>();
              for (List<Claim> c = queue.claim(3); !c.isEmpty(); c = queue.claim(3)) {
                mine.addAll(keys(c));
                queue.apply(c.stream().map(Change.Complete::new).toList());
              }
              return mine;
            });
    assertThat(taken.stream().flatMap(List::stream).toList())
        .containsExactlyInAnyOrderElementsOf(TestTable.ids(1, 200));
    assertThat(t.count()).isZero();
  }
}
