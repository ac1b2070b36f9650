package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.RowState;
import dev.rowlock.State;
import dev.rowlock.conformance.kit.TestTable;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** P14: states of any type. */
interface P14States extends Suite {

  /** Claim, complete, fail, refuse, expire, recover, look. */
  default void life(TestTable t, State state) {
    t.rows(1, 4);
    Queue queue = t.queue();
    String ready = state.ready().get(0);
    List<Claim> claims = queue.claim(4);
    assertThat(keys(claims)).containsExactly(1L, 2L, 3L, 4L);
    assertThat(t.state(1)).isEqualTo(state.processing().orElseThrow());
    queue.complete(claims.get(0));
    assertThat(t.state(1)).isEqualTo(state.done().orElseThrow());
    queue.apply(
        List.of(
            new Change.Fail(claims.get(1), "x", Optional.of(Duration.ZERO)),
            new Change.Release(claims.get(2))));
    assertThat(t.state(2)).isEqualTo(ready);
    assertThat(t.state(3)).isEqualTo(ready);
    t.expireAll();
    assertThat(queue.recover(5).ready()).containsExactly(queue.key("4"));
    assertThat(t.state(4)).isEqualTo(ready);
    assertThat(queue.stats().count(RowState.READY)).isEqualTo(3);
    assertThat(queue.stats().count(RowState.DONE)).isEqualTo(1);
    assertThat(queue.stats().count(RowState.OTHER)).isZero();
    if (state.deadValue().isPresent()) {
      queue.apply(new Change.Dead(claim(queue), "x"));
      assertThat(t.state(2)).isEqualTo(state.deadValue().orElseThrow());
      assertThat(queue.stats().count(RowState.DEAD)).isEqualTo(1);
    }
    assertThat(queue.verify().safe()).isTrue();
  }

  @Test
  default void p14_c025_smallintStates() {
    State state = State.of("st", "0", "1", "2").withDead("3");
    life(
        table("jobs")
            .key("id")
            .state(state, db().smallintType() + " default 0 not null")
            .with(Role.TOKEN, Role.LEASE_UNTIL, Role.ERROR)
            .create(),
        state);
  }

  @Test
  default void p14_c025_decimalStates() {
    State state = State.of("st", "0", "1", "2").withDead("-1");
    life(
        table("jobs")
            .key("id")
            .state(state, db().decimalType(3, 0) + " default 0 not null")
            .with(Role.TOKEN, Role.LEASE_UNTIL)
            .create(),
        state);
  }

  @Test
  default void p14_c025_aBooleanStateWithMarkers() {
    // Two values: enough where done-at tells the third.
    State state =
        new State(
            "busy",
            List.of("false"),
            Optional.of("true"),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    TestTable t =
        table("jobs")
            .key("id")
            .state(state, db().booleanType() + " default " + db().literal(false) + " not null")
            .with(Role.TOKEN, Role.LEASE_UNTIL)
            .map(m -> m.onDone(dev.rowlock.OnDone.delete()))
            .create()
            .rows(1, 3);
    List<Claim> claims = t.queue().claim(2);
    assertThat(t.count("busy", true)).isEqualTo(2);
    t.queue().complete(claims.get(0));
    t.expireAll();
    assertThat(t.queue().recover(5).size()).isEqualTo(1);
    assertThat(keys(t.queue().claim(5))).containsExactly(2L, 3L);
    assertThat(t.count()).isEqualTo(2);
  }

  @Test
  default void p14_c025_aBooleanStateCannotHoldThreeValues() {
    TestTable t =
        table("jobs")
            .key("id")
            .state(
                State.of("busy", "false", "true", "done"),
                db().booleanType() + " default " + db().literal(false) + " not null")
            .create();
    assertThatThrownBy(t::queue)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("busy")
        .hasMessageContaining("done");
  }

  @Test
  default void p14_c026_paddedStatesAndKeys() {
    State state = State.of("Status", "ready", "processing", "done").withDead("dead");
    TestTable t =
        table("Table_Queue")
            .key("Code", db().charType(20))
            .state(state, db().charType(12) + " default 'ready' not null")
            .with(Role.TOKEN, Role.LEASE_UNTIL, Role.ATTEMPTS, Role.RUN_AT)
            .create();
    t.add("Code", "a").add("Code", "b").add("Code", "c");
    Queue queue = t.queue();
    List<Claim> claims = queue.claim(3);
    assertThat(keys(claims)).containsExactly("a", "b", "c");
    assertThat(claims.get(0).readyValue()).contains("ready");
    queue.complete(queue.claim(claims.get(0).token()));
    queue.apply(
        List.of(
            new Change.Release(claims.get(1)),
            new Change.Snooze(claims.get(2), Duration.ofHours(1))));
    assertThat(t.state("a")).isEqualTo("done");
    assertThat(queue.stats().count(RowState.READY)).isEqualTo(1);
    assertThat(queue.stats().count(RowState.SCHEDULED)).isEqualTo(1);
    assertThat(queue.stats().count(RowState.DONE)).isEqualTo(1);
    assertThat(queue.stats().count(RowState.OTHER)).isZero();
    assertThat(queue.show(queue.key("a")).orElseThrow().key()).isEqualTo(claims.get(0).key());
  }

  @Test
  default void p14_c031_nullIsAReadyValueIfToldSo() {
    State state = State.of("state", null, "processing", "done").withDead("dead");
    TestTable t =
        table("jobs")
            .key("id")
            .state(state, db().varcharType(20))
            .with(Role.TOKEN, Role.LEASE_UNTIL)
            .create();
    life(t, state);
    assertThat(t.count("state", null)).isEqualTo(2);
  }

  @Test
  default void p14_c031_aListOfReadyValuesWithNull() {
    State state =
        State.of("state", "new", "processing", "done")
            .withReady("new", null, "again")
            .withFailed("again");
    TestTable t =
        table("jobs")
            .key("id")
            .state(state, db().varcharType(20))
            .with(Role.TOKEN, Role.RUN_AT)
            .create();
    t.add("id", 1, "state", "again")
        .add("id", 2)
        .add("id", 3, "state", "new")
        .add("id", 4, "state", "odd");
    List<Claim> claims = t.queue().claim(10);
    assertThat(keys(claims)).as("in the order of the ready values").containsExactly(3L, 2L, 1L);
    assertThat(claims.stream().map(c -> c.readyValue().orElse("NULL")))
        .containsExactly("new", "NULL", "again");
    t.queue().apply(claims.stream().map(Change.Release::new).toList());
    assertThat(Arrays.asList(t.state(3), t.state(2), t.state(1)))
        .as("each back where it came from")
        .containsExactly("new", null, "again");
    Claim failed = claim(t.queue());
    t.queue().apply(new Change.Fail(failed, "x", Optional.of(Duration.ZERO)));
    assertThat(t.state(3)).isEqualTo("again");
    assertThat(t.queue().stats().count(RowState.OTHER)).isEqualTo(1);
    assertThat(t.queue().stats().count(RowState.READY)).isEqualTo(3);
  }

  @Test
  default void p14_c031_nullStatesAreCountedAndNullDueTimesAreDue() {
    TestTable t =
        table("jobs")
            .key("id")
            .state(State.of("state", "ready", "processing", "done"), db().varcharType(20))
            .with(Role.RUN_AT, Role.TOKEN)
            .create();
    t.add("id", 1, "state", null).add("id", 2, "state", "ready");
    t.add("id", 3, "state", "ready", "run_at", new TestTable.Raw(db().nowPlus(-1000)));
    assertThat(keys(t.queue().claim(10))).containsExactlyInAnyOrder(2L, 3L);
    assertThat(t.queue().stats().count(RowState.OTHER)).isEqualTo(1);
    assertThat(t.queue().list(RowState.OTHER, 5).stream().map(r -> r.key().get("id")))
        .containsExactly(1L);
  }

  @Test
  default void p14_c022_aCheckConstraintThatForbidsAMappedValueIsNamed() {
    needs(Facility.CHECKS);
    TestTable t =
        table("jobs")
            .full()
            .constraint("check (" + db().quote("state") + " in ('ready', 'processing', 'done'))")
            .create()
            .rows(1, 3);
    Queue queue = t.queue();
    Claim claim = claim(queue);
    assertThatThrownBy(() -> queue.apply(new Change.Dead(claim, "refused")))
        .isInstanceOfSatisfying(
            dev.rowlock.DatabaseException.class,
            e -> assertThat(e.fault()).isEqualTo(dev.rowlock.Fault.CONSTRAINT));
    assertThat(t.state(1)).as("still ours").isEqualTo("processing");
    assertThat(queue.fail(claim, "x")).isEqualTo(Applied.Status.RETRYING);
    assertThat(queue.verify().findings().toString()).contains("dead");
    assertThat(queue.verify().safe()).isFalse();
  }

  @Test
  default void p14_aStateValueThatDoesNotFitItsColumnIsRefused() {
    TestTable t =
        table("jobs")
            .key("id")
            .state(State.of("st", "ready", "1", "2"), db().smallintType() + " default 0 not null")
            .create();
    assertThatThrownBy(t::queue)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("ready")
        .hasMessageContaining("st");
  }

  @Test
  default void p14_aStateValueLongerThanItsColumnIsRefused() {
    TestTable t =
        table("jobs")
            .key("id")
            .state(
                State.of("st", "ready", "processing", "done"),
                db().varcharType(5) + " default 'ready' not null")
            .create();
    assertThatThrownBy(t::queue)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("'processing' is longer than column")
        .hasMessageContaining("5");
  }

  @Test
  default void p14_aTerminalFailedStateIsTheLastStop() {
    State state = State.of("state", "ready", "processing", "done").withFailed("failed");
    TestTable t = table("jobs").key("id").state(state).with(Role.ERROR).create().rows(1, 1);
    assertThat(t.queue().fail(claim(t.queue()), "broken")).isEqualTo(Applied.Status.DEAD);
    assertThat(t.state(1)).isEqualTo("failed");
    assertThat(t.get(1, "last_error")).isEqualTo("broken");
    assertThat(t.queue().claim(1)).isEmpty();
    assertThat(t.queue().stats().count(RowState.DEAD)).isEqualTo(1);
  }
}
