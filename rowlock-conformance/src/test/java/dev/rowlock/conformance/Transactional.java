package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.OnDone;
import dev.rowlock.Queue;
import dev.rowlock.RetryPolicy;
import dev.rowlock.Role;
import dev.rowlock.RowState;
import dev.rowlock.State;
import dev.rowlock.conformance.kit.TableSpec;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.Threads;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The transactional mode: claim, handler and completion in one transaction on one connection. */
interface Transactional extends Suite {

  private TableSpec outbox() {
    return table("outbox")
        .key("id")
        .with(Role.DONE_AT, "processed_at", db().timestampType())
        .transactional();
  }

  @Test
  default void transactional_aMarkerAloneIsEnough() {
    TestTable t = outbox().create().rows(1, 3);
    committed(
        c -> {
          Claim claim = t.queue().claim(c, 1).get(0);
          assertThat(claim.key()).isEqualTo(t.queue().key("1"));
          return t.queue().apply(c, new Change.Complete(claim));
        });
    rolledBack(
        c -> {
          List<Claim> claims = t.queue().claim(c, 5);
          assertThat(keys(claims)).containsExactly(2L, 3L);
          return t.queue().apply(c, claims.stream().map(Change.Complete::new).toList());
        });
    assertThat(t.count("processed_at", null)).isEqualTo(2);
    assertThat(t.get(1, "processed_at")).isNotNull();
  }

  @Test
  default void transactional_anOpenClaimIsPassedOverAndACrashGivesItBack() {
    needs(Facility.ROW_LOCKS);
    TestTable t = outbox().create().rows(1, 3);
    OpenTransaction one = open();
    OpenTransaction two = open();
    assertThat(keys(t.queue().claim(one.connection(), 1))).containsExactly(1L);
    assertThat(keys(t.queue().claim(two.connection(), 5))).containsExactly(2L, 3L);
    one.close();
    OpenTransaction three = open();
    assertThat(keys(t.queue().claim(three.connection(), 5))).containsExactly(1L);
  }

  @Test
  default void transactional_claimsOutsideATransactionAreRefused() {
    TestTable t = outbox().create().rows(1, 1);
    assertThatThrownBy(() -> t.queue().claim(1))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("transactional")
        .hasMessageContaining("connection");
    try (var connection = bench().schema().dataSource().getConnection()) {
      assertThatThrownBy(() -> t.queue().claim(connection, 1))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("autocommit");
    } catch (java.sql.SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  default void transactional_aFailureIsRecordedAndTheAttemptCounted() {
    TestTable t =
        table("inbox")
            .key("id")
            .with(Role.DONE_AT, "processed_at", db().timestampType())
            .with(Role.ATTEMPTS, Role.ERROR, Role.DEAD_AT, Role.RUN_AT)
            .transactional()
            .retry(RetryPolicy.defaults().withMaxAttempts(2))
            .create()
            .rows(1, 2);
    for (int attempt = 1; attempt <= 2; attempt++) {
      int n = attempt;
      Applied.Status status =
          committed(
              c -> {
                Claim claim = t.queue().claim(c, 1).get(0);
                assertThat(claim.attempt()).hasValue(n);
                return t.queue()
                    .apply(c, new Change.Fail(claim, "failure " + n, Optional.of(Duration.ZERO)))
                    .status();
              });
      assertThat(status).isEqualTo(attempt == 2 ? Applied.Status.DEAD : Applied.Status.RETRYING);
    }
    assertThat(t.get(1, "last_error")).isEqualTo("failure 2");
    assertThat(t.get(1, "dead_at")).isNotNull();
    assertThat(keys(committed(c -> t.queue().claim(c, 5)))).containsExactly(2L);
  }

  @Test
  default void transactional_aStateWithoutProcessing() {
    State state =
        new State(
            "state",
            List.of("ready"),
            Optional.empty(),
            Optional.of("done"),
            Optional.empty(),
            Optional.of("dead"));
    TestTable t = table("jobs").key("id").state(state).transactional().create().rows(1, 3);
    committed(
        c -> {
          List<Claim> claims = t.queue().claim(c, 2);
          return t.queue()
              .apply(
                  c,
                  List.of(
                      new Change.Complete(claims.get(0)), new Change.Dead(claims.get(1), "no")));
        });
    assertThat(t.state(1)).isEqualTo("done");
    assertThat(t.state(2)).isEqualTo("dead");
    assertThat(t.queue().stats().count(RowState.READY)).isEqualTo(1);
    assertThat(t.queue().stats().left()).isEqualTo(1);
  }

  @Test
  default void transactional_deletingOnDone() {
    TestTable t =
        table("outbox")
            .key("id")
            .transactional()
            .map(m -> m.onDone(OnDone.delete()))
            .create()
            .rows(1, 3);
    committed(c -> t.queue().apply(c, new Change.Complete(t.queue().claim(c, 1).get(0))));
    assertThat(t.all()).containsExactly(List.of(2L), List.of(3L));
  }

  @Test
  default void transactional_aDelayAndAnOrder() {
    TestTable t = outbox().with(Role.RUN_AT, Role.PRIORITY, Role.TOKEN).create();
    t.add("id", 1, "priority", 2).add("id", 2, "priority", 1);
    committed(
        c ->
            t.queue()
                .apply(c, new Change.Snooze(t.queue().claim(c, 1).get(0), Duration.ofHours(1))));
    assertThat(keys(committed(c -> t.queue().claim(c, 5)))).containsExactly(1L);
  }

  @Test
  default void transactional_eightWorkersDoEachRowOnce() {
    TestTable t = outbox().create().rows(1, 200);
    TestTable effects = table("effects").key("id").state().create();
    Threads.race(
        8,
        n -> {
          Queue queue = t.queue();
          while (oneTransaction(queue, effects)) {
            // There may be more.
          }
          return null;
        });
    assertThat(effects.count()).isEqualTo(200);
    assertThat(t.count("processed_at", null)).isZero();
  }

  /** The caller's own: a database may end it for what others did, and then the caller goes on. */
  private boolean oneTransaction(Queue queue, TestTable effects) {
    try {
      return committed(
          c -> {
            List<Claim> claims = queue.claim(c, 3);
            for (Claim claim : claims) {
              try (var s = c.createStatement()) {
                // The key makes a second effect an error.
                s.execute(
                    "insert into %s (%s) values (%s)"
                        .formatted(effects.name(), db().quote("id"), claim.key().get("id")));
              }
            }
            assertThat(queue.apply(c, claims.stream().map(Change.Complete::new).toList()))
                .noneMatch(Applied::lost);
            return !claims.isEmpty();
          });
    } catch (DatabaseException e) {
      if (e.fault() == Fault.SERIALIZATION) {
        return true;
      }
      throw e;
    }
  }
}
