package dev.rowlock.conformance;

import static dev.rowlock.conformance.SqlServerScript.CLAIM;
import static dev.rowlock.conformance.SqlServerScript.COMPLETE_ONE;
import static dev.rowlock.conformance.SqlServerScript.ENQUEUE;
import static dev.rowlock.conformance.SqlServerScript.EXTEND;
import static dev.rowlock.conformance.SqlServerScript.RECOVER;
import static dev.rowlock.conformance.SqlServerScript.SESSION_LEVEL;
import static dev.rowlock.conformance.SqlServerScript.WRITE_MANY;
import static dev.rowlock.conformance.SqlServerScript.taken;
import static dev.rowlock.conformance.kit.Answer.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.Outcome;
import dev.rowlock.Queue;
import dev.rowlock.Worker;
import dev.rowlock.conformance.kit.Answer;
import dev.rowlock.conformance.kit.ScriptedServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each of SQL Server's errors in each operation: what it is taken for, and what is tried again. */
@Timeout(60)
class SqlServerErrorsTest {
  private static final int TRIES = 8;

  private final SqlServerScript script = new SqlServerScript();
  private final ScriptedServer server = script.server;
  private final Queue queue = script.queue();

  @AfterEach
  void close() {
    script.close();
  }

  /** The operations, with the text by which their statement is known and what answers it. */
  enum Op {
    CLAIM_ROWS(CLAIM, Answer.of().count(1).rows(taken(7)).does("it")),
    COMPLETE(COMPLETE_ONE, Answer.of().count(1).rows(row(1)).does("it")),
    COMPLETE_MANY(WRITE_MANY, Answer.of().count(2).rows(row(1), row(2)).does("it")),
    EXTEND_LEASE(EXTEND, Answer.of().count(1).rows(row(1, "1", "1", taken(1).get(3))).does("it")),
    RECOVER_ROWS(RECOVER, Answer.of().count(1).rows(row(9L, 0)).does("it")),
    ENQUEUE_ROW(ENQUEUE, Answer.of().count(1).rows(row(42L)).does("it"));

    final String statement;
    final Answer answer;

    Op(String statement, Answer answer) {
      this.statement = statement;
      this.answer = answer;
    }

    Object run(Queue queue, List<Claim> claims) {
      return switch (this) {
        case CLAIM_ROWS -> queue.claim(1);
        case COMPLETE -> queue.apply(changes(claims).subList(0, 1));
        case COMPLETE_MANY -> queue.apply(changes(claims));
        case EXTEND_LEASE ->
            queue.apply(List.of(new Change.Extend(claims.get(0), Duration.ofMinutes(1))));
        case RECOVER_ROWS -> queue.recover(1);
        case ENQUEUE_ROW -> queue.enqueue(List.of(Map.of("Title", "x")));
      };
    }

    Object run(Queue queue, Connection connection, List<Claim> claims) {
      return switch (this) {
        case CLAIM_ROWS -> queue.claim(connection, 1);
        case COMPLETE -> queue.apply(connection, changes(claims).subList(0, 1));
        case COMPLETE_MANY -> queue.apply(connection, changes(claims));
        case EXTEND_LEASE ->
            queue.apply(
                connection, List.of(new Change.Extend(claims.get(0), Duration.ofMinutes(1))));
        case RECOVER_ROWS -> queue.recover(connection, 1);
        case ENQUEUE_ROW -> queue.enqueue(connection, List.of(Map.of("Title", "x")));
      };
    }

    private static List<Change> changes(List<Claim> claims) {
      return claims.stream().map(c -> (Change) new Change.Complete(c, Map.of())).toList();
    }
  }

  /** An error and what it is taken for. */
  record Case(int number, Fault fault) {
    SQLException thrown() {
      return number == 0
          ? ScriptedServer.timeout()
          : ScriptedServer.error(number, "error " + number);
    }
  }

  static Stream<Case> cases() {
    return Stream.of(
            all(Fault.DEADLOCK, 1205),
            all(Fault.LOCK_TIMEOUT, 1222),
            all(Fault.SERIALIZATION, 3960, 3961, 650),
            all(Fault.READ_ONLY, 3906, 3908, 976, 983),
            all(Fault.CONSTRAINT, 2601, 2627, 547, 515),
            all(Fault.DATA, 8152, 2628),
            all(Fault.PRIVILEGE, 229, 230, 18456, 4060),
            all(Fault.MISSING_OBJECT, 208, 207),
            all(Fault.CONNECTION, 40613, 40197, 40501, 40540, 49918, 49919, 49920, 10928, 10929),
            all(Fault.CONNECTION, 10053, 10054, 10060, 233, 64),
            all(Fault.TIMEOUT, 0),
            all(Fault.OTHER, 334, 1934, 50000))
        .flatMap(List::stream);
  }

  private static List<Case> all(Fault fault, int... numbers) {
    List<Case> cases = new ArrayList<>();
    for (int number : numbers) {
      cases.add(new Case(number, fault));
    }
    return cases;
  }

  static Stream<Arguments> casesInOperations() {
    return cases().flatMap(c -> Stream.of(Op.values()).map(op -> Arguments.of(c, op)));
  }

  private static void expect(Case expected, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            DatabaseException.class,
            e -> {
              assertThat(e.fault()).isEqualTo(expected.fault());
              assertThat(e).hasMessageContaining(expected.thrown().getMessage());
              assertThat(e.getMessage()).hasLineCount(1);
            });
  }

  @ParameterizedTest
  @MethodSource("casesInOperations")
  void anErrorThatStaysIsTriedAgainABoundedNumberOfTimesOrNotAtAll(Case error, Op op) {
    List<Claim> claims = script.claimed(queue, 2);
    server.always(op.statement, asked -> Answer.of().error(error.thrown()).does("it"));
    expect(error, () -> op.run(queue, claims));
    int tries = error.fault().retryable() ? TRIES : 1;
    assertThat(server.asked(op.statement)).hasSize(tries);
    assertThat(script.retried).isEqualTo(Collections.nCopies(tries - 1, error.fault()));
    assertThat(server.done()).isEmpty();
    boolean useless = error.fault() == Fault.CONNECTION || error.fault() == Fault.READ_ONLY;
    assertThat(server.events().stream().filter(e -> e.endsWith(" abort")).count())
        .as("connections that no pool may hand out again")
        .isEqualTo(useless ? 1 : 0);
  }

  /** No retry, no commit, no rollback, no other level: the transaction is the caller's. */
  @ParameterizedTest
  @MethodSource("casesInOperations")
  void nothingIsTriedAgainInATransactionOfTheCallers(Case error, Op op) throws SQLException {
    List<Claim> claims = script.claimed(queue, 2);
    server.always(SESSION_LEVEL, Answer.of().rows(row("")));
    server.always(op.statement, asked -> Answer.of().error(error.thrown()));
    try (Connection mine = server.dataSource().getConnection()) {
      mine.setAutoCommit(false);
      server.forget();
      expect(error, () -> op.run(queue, mine, claims));
      assertThat(server.events()).isEmpty();
      assertThat(server.asked(op.statement)).hasSize(1);
      assertThat(script.retried).isEmpty();
      mine.rollback();
      mine.setAutoCommit(true);
    }
  }

  @ParameterizedTest
  @EnumSource(Op.class)
  void whatPassesIsDoneOnce(Op op) {
    List<Claim> claims = script.claimed(queue, 2);
    server.once(op.statement, Answer.of().error(ScriptedServer.error(1205, "deadlock")).does("it"));
    server.once(op.statement, Answer.of().error(ScriptedServer.error(1222, "lock")).does("it"));
    server.once(op.statement, Answer.of().error(ScriptedServer.error(3960, "update")).does("it"));
    server.once(op.statement, op.answer);
    assertThat(dev.rowlock.conformance.kit.Op.succeeded(single(op.run(queue, claims)))).isTrue();
    assertThat(server.done()).containsExactly("it");
    assertThat(script.retried)
        .containsExactly(Fault.DEADLOCK, Fault.LOCK_TIMEOUT, Fault.SERIALIZATION);
  }

  private static Object single(Object result) {
    return result instanceof List<?> list && list.get(0) instanceof Applied a ? a : result;
  }

  /** Whether it was done nobody knows: so it is not done again, and the caller is told. */
  @ParameterizedTest
  @EnumSource(Op.class)
  void p15_aConnectionLostWhileExecutingIsToldAndNothingIsRepeated(Op op) {
    List<Claim> claims = script.claimed(queue, 2);
    server.always(op.statement, Answer.of().error(ScriptedServer.reset()).does("it"));
    expectLost(op, claims);
    assertThat(server.asked(op.statement)).hasSize(1);
    assertThat(script.retried).isEmpty();
  }

  private void expectLost(Op op, List<Claim> claims) {
    assertThatThrownBy(() -> op.run(queue, claims))
        .isInstanceOfSatisfying(
            DatabaseException.class, e -> assertThat(e.fault()).isEqualTo(Fault.CONNECTION));
  }

  @ParameterizedTest
  @EnumSource(
      value = Op.class,
      names = {"COMPLETE_MANY", "ENQUEUE_ROW"})
  void p15_aConnectionLostAtTheCommitLeavesNothing(Op op) {
    List<Claim> claims = script.claimed(queue, 2);
    server.always(op.statement, op.answer);
    server.breakAtCommit(ScriptedServer.reset());
    expectLost(op, claims);
    assertThat(server.done()).isEmpty();
    assertThat(server.asked(op.statement)).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(
      value = Op.class,
      names = {"COMPLETE_MANY", "ENQUEUE_ROW"})
  void p15_theAnswerOfACommitThatIsLostIsNotACauseToDoItTwice(Op op) {
    List<Claim> claims = script.claimed(queue, 2);
    server.always(op.statement, op.answer);
    server.loseAnswerOfCommit(ScriptedServer.reset());
    expectLost(op, claims);
    assertThat(server.done()).containsExactly("it");
    assertThat(server.asked(op.statement)).hasSize(1);
  }

  private Worker worker(List<Object> handled) {
    script.workerUntilCompleted(1);
    server.always(COMPLETE_ONE, asked -> script.completed(asked, 1));
    server.always(WRITE_MANY, asked -> script.completed(asked, 1));
    return queue
        .worker(
            job -> {
              handled.add(job.get("Id"));
              return Outcome.done();
            })
        .threads(1)
        .batch(1)
        .poll(Duration.ofMillis(5), Duration.ofMillis(20))
        .maxBackoff(Duration.ofMillis(20))
        .start();
  }

  /** Azure moves a database: for a while nothing works, and then everything as before. */
  @Test
  void aWorkerOutlivesWhatAzureSaysWhileADatabaseMoves() throws InterruptedException {
    for (int number : new int[] {40613, 40197, 4060, 18456, 10928, 49918, 976, 3906, 10054}) {
      server.once(CLAIM, Answer.of().error(ScriptedServer.error(number, "error " + number)));
    }
    server.once(CLAIM, Answer.of().count(1).rows(taken(1)));
    List<Object> handled = new CopyOnWriteArrayList<>();
    try (Worker worker = worker(handled)) {
      assertThat(worker.awaitEmpty(Duration.ofSeconds(30))).isTrue();
    }
    assertThat(handled).containsExactly(1L);
    assertThat(script.completed()).containsExactly(1L);
  }

  /**
   * The completion has happened, its answer is lost: the second one is refused, nothing is redone.
   */
  @Test
  void p15_aWorkerWhoseCompletionWasNotAnsweredDoesNothingTwice() throws InterruptedException {
    server.once(CLAIM, Answer.of().count(1).rows(taken(1)));
    for (String completion : List.of(COMPLETE_ONE, WRITE_MANY)) {
      server.once(completion, asked -> script.completed(asked, 1).error(ScriptedServer.reset()));
    }
    server.once(COMPLETE_ONE, Answer.of().count(0).rows());
    List<Object> handled = new CopyOnWriteArrayList<>();
    try (Worker worker = worker(handled)) {
      assertThat(worker.awaitEmpty(Duration.ofSeconds(30))).isTrue();
    }
    assertThat(handled).containsExactly(1L);
    assertThat(script.completed()).containsExactly(1L);
    assertThat(server.asked(COMPLETE_ONE).size() + server.asked(WRITE_MANY).size()).isEqualTo(2);
  }
}
