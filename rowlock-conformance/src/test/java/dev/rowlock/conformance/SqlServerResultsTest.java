package dev.rowlock.conformance;

import static dev.rowlock.conformance.SqlServerScript.CLAIM;
import static dev.rowlock.conformance.SqlServerScript.COMPLETE_ONE;
import static dev.rowlock.conformance.SqlServerScript.ENQUEUE;
import static dev.rowlock.conformance.SqlServerScript.EXTEND;
import static dev.rowlock.conformance.SqlServerScript.RECOVER;
import static dev.rowlock.conformance.SqlServerScript.STILL_HELD;
import static dev.rowlock.conformance.SqlServerScript.WRITE_MANY;
import static dev.rowlock.conformance.SqlServerScript.ids;
import static dev.rowlock.conformance.SqlServerScript.taken;
import static dev.rowlock.conformance.kit.Answer.row;
import static dev.rowlock.conformance.kit.ScriptedServer.error;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.Outcome;
import dev.rowlock.Queue;
import dev.rowlock.Recovery;
import dev.rowlock.Worker;
import dev.rowlock.conformance.kit.Answer;
import dev.rowlock.conformance.kit.Answer.Row;
import dev.rowlock.conformance.kit.ScriptedServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What SQL Server's driver may bring back for one statement: counts of the statement and of
 * triggers before the rows, none under NOCOUNT, several results, an error behind them. Only rows
 * are believed, and only when all results were read.
 */
@Timeout(60)
class SqlServerResultsTest {
  private final SqlServerScript script = new SqlServerScript();
  private final ScriptedServer server = script.server;

  @AfterEach
  void close() {
    script.close();
  }

  /** The same rows, with all that may stand around them. */
  private static List<Answer> around(Row... all) {
    return List.of(
        Answer.of().rows(all),
        Answer.of().count(all.length).rows(all),
        Answer.of().count(all.length).rows(all).count(all.length),
        Answer.of().count(7).count(0).count(all.length).rows(all),
        Answer.of().count(0).rows(all),
        Answer.of().rows(all).count(0).count(5));
  }

  static List<Answer> twoRows() {
    return around(taken(1), taken(2));
  }

  static List<Answer> noRows() {
    return around();
  }

  static List<Answer> oneRow() {
    return around(row(1));
  }

  @ParameterizedTest
  @MethodSource("twoRows")
  void c086_aClaimIsTheRowsWhateverCountsStandAroundThem(Answer answer) {
    Queue queue = script.queue();
    server.once(CLAIM, answer);
    assertThat(ids(queue.claim(5))).containsExactly(1L, 2L);
  }

  @ParameterizedTest
  @MethodSource("noRows")
  void c086_noRowIsNoClaimWhateverIsCounted(Answer answer) {
    Queue queue = script.queue();
    server.once(CLAIM, answer);
    assertThat(queue.claim(5)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("oneRow")
  void c086_aCompletionIsTheRowWhateverCountsStandAroundIt(Answer answer) {
    Queue queue = script.queue();
    Claim claim = script.claimed(queue, 1).get(0);
    server.once(COMPLETE_ONE, answer);
    assertThat(queue.apply(new Change.Complete(claim, Map.of())).status())
        .isEqualTo(Applied.Status.COMPLETED);
  }

  @ParameterizedTest
  @MethodSource("noRows")
  void c086_aLostLeaseIsLostWhateverATriggerCounts(Answer answer) {
    Queue queue = script.queue();
    Claim claim = script.claimed(queue, 1).get(0);
    server.once(COMPLETE_ONE, answer);
    assertThat(queue.apply(List.of(new Change.Complete(claim, Map.of()))).get(0).lost()).isTrue();
  }

  @Test
  void c086_ofManyCompletionsThoseAreDoneWhosePlaceComesBack() {
    Queue queue = script.queue();
    List<Claim> claims = script.claimed(queue, 3);
    server.once(WRITE_MANY, Answer.of().count(9).count(2).rows(row(3), row(1)));
    List<Change> changes = new ArrayList<>();
    claims.forEach(c -> changes.add(new Change.Complete(c, Map.of())));
    assertThat(queue.apply(changes).stream().map(Applied::status))
        .containsExactly(Applied.Status.COMPLETED, Applied.Status.LOST, Applied.Status.COMPLETED);
  }

  @Test
  void c086_anExtensionIsTheRowsAndTheOthersAreLookedAtOnceMore() {
    Queue queue = script.queue();
    List<Claim> claims = script.claimed(queue, 3);
    Row held = row(2, "1", "1", taken(2).get(3));
    server.once(EXTEND, Answer.of().count(1).count(1).rows(held));
    server.once(STILL_HELD, Answer.of().rows(row(1)));
    server.once(STILL_HELD, Answer.of().rows());
    List<Change> changes = new ArrayList<>();
    claims.forEach(c -> changes.add(new Change.Extend(c, Duration.ofMinutes(5))));
    assertThat(queue.apply(changes).stream().map(Applied::status))
        .containsExactly(Applied.Status.BUSY, Applied.Status.EXTENDED, Applied.Status.LOST);
  }

  @Test
  void c086_recoveryIsTheRows() {
    Queue queue = script.queue();
    server.once(RECOVER, Answer.of().count(4).count(2).rows(row(1L, 0)));
    Recovery recovery = queue.recover(10);
    assertThat(recovery.ready()).containsExactly(queue.key("1"));
    assertThat(recovery.dead()).isEmpty();
  }

  @Test
  void c086_theKeyOfANewRowComesAsARow() {
    Queue queue = script.queue();
    server.once(ENQUEUE, Answer.of().count(1).count(1).rows(row(42L)).does("row 42"));
    assertThat(queue.enqueue(List.of(Map.of("Title", "x")))).containsExactly(queue.key("42"));
    assertThat(server.done()).containsExactly("row 42");
  }

  @Test
  void c086_aNewRowWithoutAKeyIsAFailureAndRolledBack() {
    Queue queue = script.queue();
    server.once(ENQUEUE, Answer.of().count(1).rows().does("row 42"));
    assertThatThrownBy(() -> queue.enqueue(List.of(Map.of("Title", "x"))))
        .isInstanceOf(DatabaseException.class)
        .hasMessageContaining("returned no key");
    assertThat(server.done()).isEmpty();
  }

  static List<Arguments> errorsBehindRows() {
    return List.of(
        Arguments.of(
            Answer.of().count(2).rows(taken(1), taken(2)).error(error(547, "constraint")),
            Fault.CONSTRAINT),
        Arguments.of(
            Answer.of().rowsAndThen(error(547, "constraint"), taken(1), taken(2)),
            Fault.CONSTRAINT),
        Arguments.of(
            Answer.of().rows(taken(1)).count(1).error(error(8115, "overflow")), Fault.DATA),
        Arguments.of(Answer.of().rows(taken(1)).error(ScriptedServer.timeout()), Fault.TIMEOUT),
        Arguments.of(Answer.of().count(1).error(error(40613, "not now")), Fault.CONNECTION));
  }

  /** Rows of an OUTPUT reach the client even if the statement fails and is rolled back. */
  @ParameterizedTest
  @MethodSource("errorsBehindRows")
  void rowsWithAnErrorBehindThemAreNoClaims(Answer answer, Fault fault) {
    Queue queue = script.queue();
    server.once(CLAIM, answer.does("claimed"));
    assertThatThrownBy(() -> queue.claim(5))
        .isInstanceOfSatisfying(
            DatabaseException.class, e -> assertThat(e.fault()).isEqualTo(fault));
    assertThat(server.asked(CLAIM)).hasSize(1);
    assertThat(server.done()).isEmpty();
  }

  @Test
  void rowsOfADeadlocksVictimAreForgottenAndThoseOfTheNextTryAreTaken() {
    Queue queue = script.queue();
    server.once(CLAIM, Answer.of().rows(taken(1)).error(error(1205, "deadlock")).does("claim 1"));
    server.once(CLAIM, Answer.of().rows(taken(2)).does("claim 2"));
    assertThat(ids(queue.claim(1))).containsExactly(2L);
    assertThat(server.done()).containsExactly("claim 2");
    assertThat(script.retried).containsExactly(Fault.DEADLOCK);
  }

  @Test
  void placesOfADeadlocksVictimAreForgottenToo() {
    Queue queue = script.queue();
    List<Claim> claims = script.claimed(queue, 2);
    server.once(WRITE_MANY, Answer.of().rows(row(1)).error(error(1205, "deadlock")));
    server.once(WRITE_MANY, Answer.of().rows(row(2)));
    List<Change> changes = new ArrayList<>();
    claims.forEach(c -> changes.add(new Change.Complete(c, Map.of())));
    assertThat(queue.apply(changes).stream().map(Applied::lost)).containsExactly(true, false);
  }

  @Test
  void c084_aTriggerThatReturnsRowsIsNamed() {
    Queue queue = script.queue();
    server.once(CLAIM, Answer.of().rows(row("from the trigger")).error(error(524, "rows")));
    assertThatThrownBy(() -> queue.claim(1)).isInstanceOf(DatabaseException.class);
    Claim claim = script.claimed(queue, 1).get(0);
    server.once(COMPLETE_ONE, Answer.of().rows(row("from the trigger")).count(1).rows(row(1)));
    assertThatThrownBy(() -> queue.complete(claim))
        .isInstanceOf(DatabaseException.class)
        .hasMessageContaining("a trigger on the table may return rows of its own");
  }

  /** Nothing but the answers changes when somebody adds a trigger: no statement gets error 334. */
  @Test
  void c084_aTriggerIsAddedWhileWorkersRun() throws InterruptedException {
    Queue queue = script.queue();
    server.once(CLAIM, Answer.of().count(1).rows(taken(1)));
    server.once(COMPLETE_ONE, asked -> script.completed(asked));
    // From here on every statement that changes a row fires the trigger.
    server.once(CLAIM, Answer.of().count(1).count(1).rows(taken(2)));
    server.once(CLAIM, Answer.of().count(3).count(1).rows(taken(3)));
    server.always(COMPLETE_ONE, asked -> script.completed(asked, 3, 0));
    server.always(WRITE_MANY, asked -> script.completed(asked, 1, 4));
    script.workerUntilCompleted(3);
    List<Object> handled = new CopyOnWriteArrayList<>();
    try (Worker worker =
        queue
            .worker(
                job -> {
                  handled.add(job.get("Id"));
                  return Outcome.done();
                })
            .threads(1)
            .batch(1)
            .poll(Duration.ofMillis(5), Duration.ofMillis(20))
            .start()) {
      assertThat(worker.awaitEmpty(Duration.ofSeconds(30))).isTrue();
    }
    assertThat(handled).containsExactly(1L, 2L, 3L);
    assertThat(script.completed()).containsExactly(1L, 2L, 3L);
  }

  @Test
  void c084_noStatementHandsRowsToTheClientByOutput() {
    Queue queue = script.queue();
    List<String> outputs =
        queue.sql().statements().stream()
            .map(s -> s.sql())
            .filter(sql -> sql.contains("OUTPUT "))
            .toList();
    assertThat(outputs)
        .isNotEmpty()
        .allSatisfy(sql -> assertThat(sql).containsPattern("OUTPUT [^;]*\\sINTO @"));
  }
}
