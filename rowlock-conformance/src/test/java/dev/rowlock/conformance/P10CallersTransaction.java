package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.Key;
import dev.rowlock.conformance.kit.Faults;
import dev.rowlock.conformance.kit.Op;
import dev.rowlock.conformance.kit.Tap.Kind;
import dev.rowlock.conformance.kit.Tapped;
import dev.rowlock.conformance.kit.TestTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** P10: operations on the caller's connection commit or roll back with the caller's writes. */
interface P10CallersTransaction extends Suite {

  @ParameterizedTest
  @EnumSource(Op.class)
  default void p10_everyOperationCommitsWithTheCaller(Op op) {
    TestTable t = table("jobs").full().create();
    Claim claim = op.prepare(t);
    Object result = committed(c -> op.run(t.queue(), c, claim));
    assertThat(Op.succeeded(result)).isTrue();
    assertThat(t.state(1)).isEqualTo(op.after);
  }

  @ParameterizedTest
  @EnumSource(Op.class)
  default void p10_everyOperationRollsBackWithTheCaller(Op op) {
    TestTable t = table("jobs").full().create();
    Claim claim = op.prepare(t);
    List<List<Object>> before = t.all();
    Object result = rolledBack(c -> op.run(t.queue(), c, claim));
    assertThat(Op.succeeded(result)).isTrue();
    assertThat(t.all()).isEqualTo(before);
    assertThat(Op.succeeded(op.run(t.queue(), claim)))
        .as("the claim is as good as before")
        .isTrue();
  }

  @ParameterizedTest
  @EnumSource(Op.class)
  default void p10_theCallersConnectionIsLeftAsItWas(Op op) throws SQLException {
    TestTable t = table("jobs").full().create();
    Claim claim = op.prepare(t);
    Faults watch = new Faults();
    try (Connection connection = Tapped.of(bench().schema().dataSource(), watch).getConnection()) {
      connection.setAutoCommit(false);
      int isolation = connection.getTransactionIsolation();
      int network = connection.getNetworkTimeout();
      op.run(t.queue(), connection, claim);
      assertThat(connection.getAutoCommit()).isFalse();
      assertThat(connection.getTransactionIsolation()).isEqualTo(isolation);
      assertThat(connection.getNetworkTimeout()).isEqualTo(network);
      assertThat(connection.isClosed()).isFalse();
      assertThat(watch.count(Kind.COMMIT) + watch.count(Kind.ROLLBACK)).isZero();
      connection.rollback();
    }
  }

  @Test
  default void p10_handlerWritesAndCompletionAreOne() {
    TestTable t = table("jobs").full().write("result", db().varcharType(20)).create().rows(1, 2);
    TestTable effects = table("effects").key("id").state().create();
    List<Claim> claims = t.queue().claim(2);
    rolledBack(c -> effect(c, effects, claims.get(0), t));
    committed(c -> effect(c, effects, claims.get(1), t));
    assertThat(effects.count()).isEqualTo(1);
    assertThat(t.state(1)).isEqualTo("processing");
    assertThat(t.state(2)).isEqualTo("done");
    assertThat(t.get(2, "result")).isEqualTo("X");
  }

  private Object effect(Connection c, TestTable effects, Claim claim, TestTable t)
      throws SQLException {
    try (Statement s = c.createStatement()) {
      s.execute(
          "insert into %s (%s) values (%s)"
              .formatted(effects.name(), db().quote("id"), claim.key().get("id")));
    }
    t.queue().complete(c, claim, Map.of("result", "X"));
    return null;
  }

  @Test
  default void p10_enqueueIsSeenWhenTheCallerHasCommitted() {
    needs(Facility.ROW_LOCKS);
    TestTable t = table("jobs").full().create();
    OpenTransaction caller = open();
    List<Key> keys =
        t.queue().enqueue(caller.connection(), List.of(Map.of("id", 1), Map.of("id", 2)));
    assertThat(keys).hasSize(2);
    assertThat(t.queue().claim(5)).isEmpty();
    caller.commit();
    assertThat(keys(t.queue().claim(5))).containsExactly(1L, 2L);
  }

  @Test
  default void p10_claimCompleteAndEnqueueOfTheNextStepInOneTransaction() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    committed(
        c -> {
          Claim claim = t.queue().claim(c, 1).get(0);
          t.queue().apply(c, List.of(new Change.Complete(claim)));
          return t.queue().enqueue(c, List.of(Map.of("id", 2)));
        });
    assertThat(t.state(1)).isEqualTo("done");
    assertThat(t.state(2)).isEqualTo("ready");
  }

  @Test
  default void p10_batchesInTheCallersTransaction() {
    TestTable t = table("jobs").full().create().rows(1, 20);
    List<Claim> claims = t.queue().claim(20);
    List<Change> changes =
        claims.stream()
            .map(
                c ->
                    (Long) c.key().get("id") % 2 == 0
                        ? new Change.Complete(c)
                        : new Change.Release(c))
            .map(Change.class::cast)
            .toList();
    List<Applied> undone = rolledBack(c -> t.queue().apply(c, changes));
    assertThat(undone).noneMatch(Applied::lost);
    assertThat(t.count("state", "processing")).isEqualTo(20);
    assertThat(applyInTransaction(t.queue(), changes)).noneMatch(Applied::lost);
    assertThat(t.states()).isEqualTo(Map.of("done", 10L, "ready", 10L));
  }

  @Test
  default void p10_autocommitOfTheCallerIsTheCallersChoice() throws SQLException {
    TestTable t = table("jobs").full().create().rows(1, 1);
    Claim claim = claim(t.queue());
    try (Connection connection = bench().schema().dataSource().getConnection()) {
      t.queue().complete(connection, claim, Map.of());
      assertThat(connection.getAutoCommit()).isTrue();
    }
    assertThat(t.state(1)).isEqualTo("done");
  }
}
