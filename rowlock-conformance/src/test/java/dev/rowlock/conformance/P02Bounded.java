package dev.rowlock.conformance;

import static dev.rowlock.conformance.kit.TestTable.ids;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.OnDone;
import dev.rowlock.Role;
import dev.rowlock.State;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.Threads;
import java.util.List;
import org.junit.jupiter.api.Test;

/** P2: a claim of n changes at most n rows. */
interface P02Bounded extends Suite {

  @Test
  default void p02_c001_aClaimChangesAtMostLimitRows() {
    TestTable t = table("jobs").full().create().rows(1, 50);
    assertThat(t.queue().claim(3)).hasSize(3);
    assertThat(t.count("state", "processing")).isEqualTo(3);
    assertThat(t.count("attempts", 1)).isEqualTo(3);
  }

  @Test
  default void p02_aClaimOfMoreThanThereIsTakesWhatThereIs() {
    TestTable t = table("jobs").full().create().rows(1, 7);
    assertThat(keys(t.queue().claim(1000)))
        .containsExactlyElementsOf(ids(1, 7).stream().map(Object.class::cast).toList());
    assertThat(t.queue().claim(1000)).isEmpty();
  }

  @Test
  default void p02_severalReadyValuesShareOneLimit() {
    State state = State.of("state", "urgent", "processing", "done").withReady("urgent", "ready");
    TestTable t = table("jobs").key("id").state(state).create().rows(1, 2);
    for (int i = 3; i <= 9; i++) {
      t.add("id", i, "state", "ready");
    }
    assertThat(keys(t.queue().claim(5))).containsExactly(1L, 2L, 3L, 4L, 5L);
    assertThat(t.count("state", "processing")).isEqualTo(5);
    assertThat(keys(t.queue().claim(1))).containsExactly(6L);
  }

  @Test
  default void p02_concurrentClaimsAreBoundedToo() {
    TestTable t = table("jobs").full().create().rows(1, 300);
    List<Integer> sizes =
        Threads.race(
            8,
            n -> {
              int most = 0;
              for (List<Claim> c = t.queue().claim(2); !c.isEmpty(); c = t.queue().claim(2)) {
                most = Math.max(most, c.size());
              }
              return most;
            });
    assertThat(sizes).allMatch(size -> size <= 2);
    assertThat(t.count("state", "processing")).isEqualTo(300);
    assertThat(t.count("attempts", 1)).isEqualTo(300);
  }

  @Test
  default void p02_c002_deletingOnDoneDeletesWhatWasClaimedAndNoMore() {
    TestTable t = table("jobs").full().map(m -> m.onDone(OnDone.delete())).create().rows(1, 50);
    List<Claim> claims = t.queue().claim(3);
    assertThat(t.count()).isEqualTo(50);
    t.queue().apply(claims.stream().map(Change.Complete::new).toList());
    assertThat(t.count()).isEqualTo(47);
    assertThat(t.all().stream().map(row -> row.get(0))).doesNotContain(1L, 2L, 3L);
  }

  @Test
  default void p02_aRecoveryIsBounded() {
    TestTable t = table("jobs").full().create().rows(1, 20);
    t.queue().claim(20);
    t.expireAll();
    assertThat(t.queue().recover(6).size()).isEqualTo(6);
    assertThat(t.count("state", "ready")).isEqualTo(6);
    assertThat(committed(c -> t.queue().recover(c, 6)).size()).isEqualTo(6);
    assertThat(t.queue().recover(100).size()).isEqualTo(8);
  }

  @Test
  default void p02_markersAreBoundedToo() {
    TestTable t = table("jobs").key("id").with(Role.LEASE_UNTIL, Role.DONE_AT).create().rows(1, 20);
    assertThat(keys(t.queue().claim(4))).containsExactly(1L, 2L, 3L, 4L);
    assertThat(t.count("lease_until", null)).isEqualTo(16);
  }

  @Test
  default void p02_aLimitBelowOneIsRefused() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    for (int limit : new int[] {0, -1}) {
      assertThatThrownBy(() -> t.queue().claim(limit)).hasMessageContaining(String.valueOf(limit));
      assertThatThrownBy(() -> t.queue().recover(limit))
          .hasMessageContaining(String.valueOf(limit));
    }
    assertThat(t.count("state", "ready")).isEqualTo(1);
  }
}
