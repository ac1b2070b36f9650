package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Claim;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.Listener;
import dev.rowlock.Queue;
import dev.rowlock.conformance.kit.Faults;
import dev.rowlock.conformance.kit.Op;
import dev.rowlock.conformance.kit.Tap.Kind;
import dev.rowlock.conformance.kit.Tapped;
import dev.rowlock.conformance.kit.TestTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** P9: serialization failures, deadlocks and lock timeouts are tried again, bounded and counted. */
interface P09Retries extends Suite {

  private static Queue counted(TestTable t, javax.sql.DataSource pool, List<Fault> retried) {
    return t.queue(
        pool,
        q ->
            q.listener(
                new Listener() {
                  @Override
                  public void retried(String queue, String operation, Fault fault, int attempt) {
                    retried.add(fault);
                  }
                }));
  }

  @ParameterizedTest
  @EnumSource(Op.class)
  default void p09_c100_everyPassingFailureOfEveryStatementIsTriedAgain(Op op) {
    TestTable t = table("jobs").full().create();
    Faults faults = new Faults();
    List<Fault> retried = Collections.synchronizedList(new ArrayList<>());
    Queue queue = counted(t, bench().pool(faults), retried);
    // The first use of a connection may ask for its settings; the second runs the operation alone.
    op.run(queue, op.prepare(t));
    Claim first = op.prepare(t);
    faults.clear();
    op.run(queue, first);
    long statements = faults.count(Kind.EXECUTE);
    assertThat(statements).as("statements of %s", op).isPositive();
    for (Fault fault : List.of(Fault.SERIALIZATION, Fault.DEADLOCK, Fault.LOCK_TIMEOUT)) {
      for (Supplier<SQLException> thrown : db().thrown(fault)) {
        for (int k = 0; k < statements; k++) {
          Claim claim = op.prepare(t);
          retried.clear();
          faults.clear();
          faults.instead(call -> call.kind() == Kind.EXECUTE, k, 2, thrown);
          Object result = op.run(queue, claim);
          assertThat(Op.succeeded(result))
              .as("%s, %s at statement %s: %s", op, fault, k, result)
              .isTrue();
          assertThat(retried).as("%s, %s at statement %s", op, fault, k).isNotEmpty();
          assertThat(t.state(1)).isEqualTo(op.after);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Op.class)
  default void p09_c105_aCommitThatIsRefusedIsTriedAgain(Op op) {
    TestTable t = table("jobs").full().create();
    Faults faults = new Faults();
    List<Fault> retried = Collections.synchronizedList(new ArrayList<>());
    Queue queue = counted(t, bench().pool(faults), retried);
    Claim claim = op.prepare(t);
    faults.clear();
    faults.instead(Kind.COMMIT, 1, db().thrown(Fault.SERIALIZATION).get(0));
    Object result = op.run(queue, claim);
    assertThat(Op.succeeded(result)).isTrue();
    assertThat(t.state(1)).isEqualTo(op.after);
    assertThat(retried).hasSize(faults.count(Kind.COMMIT) > 0 ? 1 : 0);
    if (op == Op.CLAIM) {
      assertThat(t.number(1, "attempts")).as("the refused claim left nothing").isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource(Op.class)
  default void p09_aFailureThatStaysSurfacesWithItsKindAndChangesNothing(Op op) {
    TestTable t = table("jobs").full().create();
    Faults faults = new Faults();
    Queue queue = t.queue(bench().pool(faults));
    Claim claim = op.prepare(t);
    List<List<Object>> before = t.all();
    for (Fault fault : Fault.values()) {
      if (!List.of(
              Fault.LOCK_TIMEOUT, Fault.DEADLOCK, Fault.TIMEOUT, Fault.CONNECTION, Fault.READ_ONLY)
          .contains(fault)) {
        continue;
      }
      for (Supplier<SQLException> thrown : db().thrown(fault)) {
        faults.clear();
        faults.instead(Kind.EXECUTE, 1000, thrown);
        assertThatThrownBy(() -> op.run(queue, claim))
            .as("%s, %s", op, fault)
            .isInstanceOfSatisfying(
                DatabaseException.class, e -> assertThat(e.fault()).isEqualTo(fault))
            .hasMessageContaining("test")
            .hasMessageContaining("injected");
        assertThat(faults.count(Kind.EXECUTE))
            .as("tries of %s, %s", op, fault)
            .isBetween(fault.retryable() ? 2L : 1L, fault.retryable() ? 20L : 1L);
        assertThat(t.all()).isEqualTo(before);
      }
    }
    faults.clear();
    assertThat(Op.succeeded(op.run(queue, claim))).as("and it works again").isTrue();
  }

  @ParameterizedTest
  @EnumSource(Op.class)
  default void p09_nothingIsTriedAgainInTheCallersTransaction(Op op) throws SQLException {
    TestTable t = table("jobs").full().create();
    Faults faults = new Faults();
    for (Fault fault : List.of(Fault.DEADLOCK, Fault.LOCK_TIMEOUT)) {
      for (Supplier<SQLException> thrown : db().thrown(fault)) {
        Claim claim = op.prepare(t);
        List<List<Object>> before = t.all();
        Queue queue = t.queue();
        faults.clear();
        faults.instead(Kind.EXECUTE, 1, thrown);
        try (Connection connection =
            Tapped.of(bench().schema().dataSource(), faults).getConnection()) {
          connection.setAutoCommit(false);
          assertThatThrownBy(() -> op.run(queue, connection, claim))
              .as("%s, %s", op, fault)
              .isInstanceOfSatisfying(
                  DatabaseException.class, e -> assertThat(e.fault()).isEqualTo(fault));
          assertThat(faults.count(Kind.EXECUTE)).isEqualTo(1);
          assertThat(faults.count(Kind.COMMIT) + faults.count(Kind.ROLLBACK)).isZero();
          assertThat(connection.isClosed()).isFalse();
          connection.rollback();
        }
        assertThat(t.all()).isEqualTo(before);
      }
    }
  }

  @Test
  default void p09_aPoolThatHasNothingToGiveIsAClearError() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    Faults faults = new Faults();
    Queue queue = t.queue(bench().pool(faults));
    faults.instead(Kind.CONNECT, 1, db().thrown(Fault.CONNECTION).get(0));
    assertThatThrownBy(() -> queue.claim(1))
        .isInstanceOfSatisfying(
            DatabaseException.class, e -> assertThat(e.fault()).isEqualTo(Fault.CONNECTION));
    assertThat(queue.claim(1)).hasSize(1);
  }
}
