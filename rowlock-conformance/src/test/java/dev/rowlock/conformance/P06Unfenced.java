package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.Key;
import dev.rowlock.LeaseLostException;
import dev.rowlock.Role;
import dev.rowlock.RowState;
import dev.rowlock.conformance.kit.TestTable;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** P6: where nothing tells two claims apart, nothing is recovered blindly. */
interface P06Unfenced extends Suite {

  private TestTable bare() {
    return table("article_claim_demo")
        .key("id", "integer")
        .state(dev.rowlock.State.of("state", "ready", "processing", "done"))
        .read("title", db().textType())
        .write("rendered_title", db().textType())
        .create()
        .rows(1, 3);
  }

  @Test
  default void p06_aTableWithAStateAloneIsClaimedAndCompleted() {
    TestTable t = bare();
    Claim claim = claim(t.queue());
    assertThat(claim.fence().values()).isEmpty();
    assertThat(claim.attempt()).isEmpty();
    assertThat(claim.leaseUntil()).isEmpty();
    t.queue().complete(claim, java.util.Map.of("rendered_title", "X"));
    assertThat(t.state(1)).isEqualTo("done");
    assertThat(t.get(1, "rendered_title")).isEqualTo("X");
  }

  @Test
  default void p06_recoveryIsRefusedAndNamesTheColumnToAdd() {
    TestTable t = bare();
    t.queue().claim(2);
    List<List<Object>> before = t.all();
    assertThatThrownBy(() -> t.queue().recover(10))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("lease-until");
    assertThat(t.all()).isEqualTo(before);
  }

  @Test
  default void p06_stuckRowsAreListed() {
    TestTable t = bare();
    t.queue().claim(2);
    assertThat(t.queue().stats().count(RowState.STUCK)).isEqualTo(2);
    assertThat(t.queue().list(RowState.STUCK, 10).stream().map(r -> r.key().get("id")))
        .containsExactly(1L, 2L);
    assertThat(t.queue().stats().count(RowState.PROCESSING)).isZero();
    assertThat(t.queue().stats().left()).isEqualTo(1);
  }

  @Test
  default void p06_aPersonMayResetThem() {
    TestTable t = bare();
    Claim dead = claim(t.queue());
    t.queue().claim(1);
    assertThat(
            t.queue().resetUnfenced(List.of(dead.key(), t.queue().key("3"), t.queue().key("99"))))
        .as("only rows that were held")
        .containsExactly(dead.key());
    assertThat(t.state(1)).isEqualTo("ready");
    assertThat(t.state(2)).isEqualTo("processing");
    assertThatThrownBy(() -> t.queue().complete(dead)).isInstanceOf(LeaseLostException.class);
    assertThat(claim(t.queue()).key()).isEqualTo(dead.key());
  }

  @Test
  default void p06_resettingWakesNoFinishedRow() {
    TestTable t = bare();
    Claim claim = claim(t.queue());
    t.queue().complete(claim);
    assertThat(t.queue().resetUnfenced(List.<Key>of(claim.key()))).isEmpty();
    assertThat(t.state(1)).isEqualTo("done");
  }

  @Test
  default void p06_aWorkerColumnFencesButDoesNotExpire() {
    TestTable t = table("jobs").key("id").state().with(Role.WORKER).create().rows(1, 1);
    claim(t.queue());
    assertThatThrownBy(() -> t.queue().recover(1)).isInstanceOf(ConfigurationException.class);
    assertThat(t.queue().stats().count(RowState.STUCK)).isEqualTo(1);
  }

  @Test
  default void p06_aRowWithoutItsClaimTimeIsStuckNotExpired() {
    TestTable t = table("jobs").full().create().rows(1, 2);
    t.queue().claim(2);
    // As another program leaves it that sets the state and knows nothing of leases.
    t.set(1, "lease_until", null);
    assertThat(t.queue().recover(10).size()).isZero();
    assertThat(t.queue().stats().count(RowState.STUCK)).isEqualTo(1);
    assertThat(t.queue().resetUnfenced(List.of(t.queue().key("1")))).hasSize(1);
    assertThat(t.state(1)).isEqualTo("ready");
  }

  @Test
  default void p06_theMappingSaysWhatItCanDo() {
    assertThat(bare().mapping().capabilities()).isEqualTo(Set.of());
    assertThat(table("jobs").full().create().mapping().capabilities())
        .contains(dev.rowlock.Capability.FENCE, dev.rowlock.Capability.EXPIRY);
  }
}
