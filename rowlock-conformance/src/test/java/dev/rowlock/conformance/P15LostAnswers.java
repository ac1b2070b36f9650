package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Claim;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.Queue;
import dev.rowlock.conformance.kit.Faults;
import dev.rowlock.conformance.kit.Op;
import dev.rowlock.conformance.kit.Tap.Kind;
import dev.rowlock.conformance.kit.TestTable;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** P15: a commit whose reply was lost never leaves a row that nobody can reach. */
interface P15LostAnswers extends Suite {

  /** The call that makes the operation's work permanent. */
  private Kind commits(Op op, TestTable t, Faults faults, Queue queue) {
    Claim claim = op.prepare(t);
    faults.clear();
    op.run(queue, claim);
    return faults.count(Kind.COMMIT) > 0 ? Kind.COMMIT : Kind.EXECUTE;
  }

  @ParameterizedTest
  @EnumSource(Op.class)
  default void p15_theReplyOfTheCommitIsLost(Op op) {
    TestTable t = table("jobs").full().create();
    Faults faults = new Faults();
    Queue queue = t.queue(bench().pool(faults));
    Kind commit = commits(op, t, faults, queue);
    Claim claim = op.prepare(t);
    faults.clear();
    faults.afterwards(commit, 1, db().thrown(Fault.CONNECTION).get(0));
    try {
      assertThat(Op.succeeded(op.run(queue, claim))).as("an answer is a true answer").isTrue();
    } catch (DatabaseException e) {
      assertThat(e.fault()).isEqualTo(Fault.CONNECTION);
    }
    assertThat(t.count()).isEqualTo(1);
    assertThat(t.state(1)).as("it happened").isEqualTo(op.after);
    reach(t);
  }

  @ParameterizedTest
  @EnumSource(Op.class)
  default void p15_theConnectionBreaksBeforeTheCommit(Op op) {
    TestTable t = table("jobs").full().create();
    Faults faults = new Faults();
    Queue queue = t.queue(bench().pool(faults));
    Kind commit = commits(op, t, faults, queue);
    Claim claim = op.prepare(t);
    List<List<Object>> before = t.all();
    faults.clear();
    faults.instead(commit, 1, db().thrown(Fault.CONNECTION).get(0));
    try {
      assertThat(Op.succeeded(op.run(queue, claim))).isTrue();
    } catch (DatabaseException e) {
      assertThat(e.fault()).isEqualTo(Fault.CONNECTION);
      assertThat(t.all()).as("it did not happen").isEqualTo(before);
    }
    if (t.count() == 1) {
      reach(t);
    }
  }

  /**
   * Whatever state the row is in, time or the claim order brings it to somebody, or it is finished.
   */
  private void reach(TestTable t) {
    String state = t.state(1);
    if (state.equals("processing")) {
      t.expireAll();
      assertThat(t.queue().recover(5).ready()).containsExactly(t.queue().key("1"));
      state = "ready";
    }
    if (state.equals("ready")) {
      t.dueAll();
      t.queue().complete(claim(t.queue()));
      assertThat(t.state(1)).isEqualTo("done");
    } else {
      assertThat(state).isIn("done", "dead");
    }
  }

  @Test
  default void p15_aRepeatedCompletionAfterALostReplyIsRefusedNotDoneTwice() {
    TestTable t = table("jobs").full().create();
    Faults faults = new Faults();
    Queue queue = t.queue(bench().pool(faults));
    Kind commit = commits(Op.COMPLETE, t, faults, queue);
    Claim claim = Op.COMPLETE.prepare(t);
    faults.clear();
    faults.afterwards(commit, 1, db().thrown(Fault.CONNECTION).get(0));
    try {
      queue.complete(claim);
    } catch (DatabaseException e) {
      assertThat(queue.apply(List.of(new dev.rowlock.Change.Complete(claim))).get(0).lost())
          .isTrue();
    }
    assertThat(t.state(1)).isEqualTo("done");
    assertThat(t.number(1, "attempts")).isEqualTo(1);
  }

  @Test
  default void p15_aBrokenConnectionIsNotUsedAgain() {
    TestTable t = table("jobs").full().create().rows(1, 3);
    Faults faults = new Faults();
    Queue queue = t.queue(bench().pool(config -> config.setMaximumPoolSize(1), faults));
    claim(queue);
    Object first = faults.calls().get(faults.calls().size() - 1).connection();
    faults.instead(Kind.EXECUTE, 1, db().thrown(Fault.CONNECTION).get(0));
    try {
      queue.claim(1);
    } catch (DatabaseException e) {
      assertThat(e.fault()).isEqualTo(Fault.CONNECTION);
    }
    faults.clear();
    assertThat(queue.claim(1)).as("the pool has a new one").hasSize(1);
    assertThat(first).isNotNull();
  }
}
