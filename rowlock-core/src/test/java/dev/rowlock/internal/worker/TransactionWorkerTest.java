package dev.rowlock.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Change;
import dev.rowlock.Fault;
import dev.rowlock.Mapping;
import dev.rowlock.Mode;
import dev.rowlock.Outcome;
import dev.rowlock.RetryPolicy;
import dev.rowlock.Role;
import dev.rowlock.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Claim, handler and completion in one transaction. */
@Timeout(60)
class TransactionWorkerTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration FOREVER = Duration.ofHours(1);

  private static FakeQueue queue(Mapping.Builder mapping, RetryPolicy retry) {
    return new FakeQueue(mapping.build(), Mode.TRANSACTIONAL, LONG, retry);
  }

  private static FakeQueue full() {
    return queue(FakeQueue.all(), FakeQueue.noDelay(3));
  }

  @Test
  void drainsAndGivesConnectionsBackAsTheyCame() throws Exception {
    FakeQueue queue = full().insert(200);
    try (Worker worker = queue.worker(job -> Outcome.done("result", 1)).threads(4).start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().completed()).isEqualTo(200);
      assertThat(worker.counts().claimed()).isEqualTo(200);
    }
    assertThat(queue.dataSource.open).hasValue(0);
    assertThat(queue.table.all()).allMatch(row -> row.attempts() == 1);
  }

  @Test
  void theHandlersConnectionIsGuarded() throws Exception {
    FakeQueue queue = full().insert(1);
    AtomicReference<Connection> kept = new AtomicReference<>();
    try (Worker worker =
        queue
            .worker(
                job -> {
                  Connection connection = job.connection();
                  kept.set(connection);
                  assertThat(connection).isSameAs(job.connection()).isEqualTo(connection);
                  assertThatThrownBy(connection::commit)
                      .isInstanceOf(IllegalStateException.class)
                      .hasMessageContaining("commit() is refused");
                  assertThatThrownBy(connection::rollback).hasMessageContaining("refused");
                  assertThatThrownBy(connection::close).hasMessageContaining("refused");
                  assertThatThrownBy(() -> connection.setAutoCommit(true))
                      .hasMessageContaining("refused");
                  Savepoint own = connection.setSavepoint();
                  connection.rollback(own);
                  assertThat(connection.getAutoCommit()).isFalse();
                  assertThat(connection.getTransactionIsolation())
                      .isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
                  return Outcome.done();
                })
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().completed()).isEqualTo(1);
    }
    assertThatThrownBy(() -> kept.get().getAutoCommit()).hasMessageContaining("has ended");
  }

  @Test
  void aFailureIsRecordedAndTheHandlersWritesAreUndone() throws Exception {
    FakeQueue queue = full().insert(10);
    queue.table.insert(100);
    try (Worker worker =
        queue
            .worker(
                job -> {
                  if (job.get("id").equals(3L)) {
                    synchronized (queue.table) {
                      queue.table.put(queue.table.get(100).with("spoilt"), job.connection());
                    }
                    throw new IllegalStateException("third");
                  }
                  return Outcome.done();
                })
            .threads(1)
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().dead()).isEqualTo(1);
      assertThat(worker.counts().retried()).isEqualTo(2);
      assertThat(worker.counts().completed()).isEqualTo(10);
    }
    assertThat(queue.table.get(3).error()).contains("third");
    assertThat(queue.table.get(3).attempts()).isEqualTo(3);
    assertThat(queue.table.get(100).state()).isEqualTo("done");
  }

  @Test
  void completionByTheHandlerNeedsTheRowsOwnConnection() throws Exception {
    FakeQueue queue = full().insert(1);
    try (Worker worker =
        queue
            .worker(
                job -> {
                  try (Connection other = queue.dataSource.getConnection()) {
                    assertThatThrownBy(() -> job.complete(other))
                        .hasMessageContaining("job.connection()");
                  }
                  job.complete(job.connection(), Map.of("result", "own"));
                  return Outcome.done("result", "again");
                })
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().completed()).isEqualTo(1);
    }
    assertThat(queue.table.get(1).result()).isEqualTo("own");
  }

  @Test
  void aRefusedOutcomeFailsItsRow() throws Exception {
    FakeQueue queue = full().insert(5);
    queue.check =
        (change, row) -> {
          if (change instanceof Change.Complete c && "bad".equals(c.results().get("result"))) {
            throw FakeQueue.fault(Fault.DATA);
          }
        };
    try (Worker worker =
        queue
            .worker(
                job ->
                    job.get("id").equals(2L)
                        ? Outcome.done("result", "bad")
                        : Outcome.done("result", "good"))
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().dead()).isEqualTo(1);
      assertThat(worker.counts().completed()).isEqualTo(4);
    }
    assertThat(queue.table.get(2).error()).contains("injected DATA");
  }

  @Test
  void c013_failedRowsArePassedOverAndTheirAttemptsNotCounted() throws Exception {
    RetryPolicy retry = new RetryPolicy(3, FOREVER, 1, FOREVER, 0);
    FakeQueue counted =
        queue(
            FakeQueue.bare().column(Role.ATTEMPTS, "attempts").column(Role.TOKEN, "token"), retry);
    FakeQueue bare = queue(FakeQueue.bare(), retry);
    for (FakeQueue queue : java.util.List.of(counted, bare)) {
      queue.insert(40);
      Map<Object, Integer> runs = new ConcurrentHashMap<>();
      try (Worker worker =
          queue
              .worker(
                  job -> {
                    runs.merge(job.get("id"), 1, Integer::sum);
                    if ((Long) job.get("id") <= 10) {
                      throw new IllegalStateException();
                    }
                    return Outcome.done();
                  })
              .threads(3)
              .start()) {
        Wait.until("the good rows are done", () -> queue.table.count("done") == 30);
        Wait.until("the bad ones have failed", () -> worker.counts().retried() == 10);
        int seen = queue.claims.get();
        Wait.until("it goes on polling", () -> queue.claims.get() > seen + 5);
      }
      assertThat(runs.values()).allMatch(n -> n == 1);
      if (queue == counted) {
        assertThat(queue.table.all()).allMatch(row -> row.attempts() == 1);
      }
      assertThat(queue.table.count("ready")).isEqualTo(10);
    }
  }

  @Test
  void withAttemptsAsTheOnlyFenceTheirLimitBoundsTheRetries() throws Exception {
    FakeQueue queue =
        queue(
                FakeQueue.bare().column(Role.ATTEMPTS, "attempts"),
                new RetryPolicy(3, FOREVER, 1, FOREVER, 0))
            .insert(5);
    AtomicInteger runs = new AtomicInteger();
    try (Worker worker =
        queue
            .worker(
                job -> {
                  runs.incrementAndGet();
                  throw new IllegalStateException();
                })
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().dead()).isEqualTo(5);
    }
    assertThat(runs).hasValue(15);
  }

  @Test
  void c067_commitsAndConnectionsThatFailAreSurvived() throws Exception {
    FakeQueue queue = full().insert(50);
    AtomicInteger handled = new AtomicInteger();
    try (Worker worker =
        queue
            .worker(
                job -> {
                  if (handled.incrementAndGet() == 10) {
                    queue.dataSource.refuseCommit = new SQLException("gone", "08006");
                  }
                  return Outcome.done();
                })
            .start()) {
      Wait.until("it is degraded", () -> worker.health() == Worker.Health.DEGRADED);
      queue.dataSource.refuse = new SQLException("refused", "08001");
      queue.dataSource.refuseCommit = null;
      Wait.until("nothing is open", () -> queue.dataSource.open.get() == 0);
      queue.dataSource.refuse = null;
      Wait.until("all are done", () -> queue.table.count("done") == 50);
      Wait.until("it is up", () -> worker.health() == Worker.Health.UP);
    }
    assertThat(queue.dataSource.open).hasValue(0);
  }

  @Test
  void c022_aFailureThatCannotBeRecordedIsNoHotLoopAndStopsNobody() throws Exception {
    AtomicInteger refusals = new AtomicInteger();
    FakeQueue queue = queue(FakeQueue.all(), new RetryPolicy(3, FOREVER, 1, FOREVER, 0));
    queue.check =
        (change, row) -> {
          if (change instanceof Change.Fail) {
            refusals.incrementAndGet();
            throw FakeQueue.fault(Fault.CONSTRAINT);
          }
        };
    queue.insert(20);
    try (Worker worker =
        queue
            .worker(
                job -> {
                  if (job.get("id").equals(1L)) {
                    throw new IllegalStateException();
                  }
                  return Outcome.done();
                })
            .start()) {
      Wait.until("the others are done", () -> worker.counts().completed() == 19);
      int seen = queue.claims.get();
      Wait.until("it goes on polling", () -> queue.claims.get() > seen + 5);
    }
    assertThat(refusals).hasValue(1);
    assertThat(queue.table.get(1).attempts()).isZero();
  }

  @Test
  void p12_stopLetsHandlersFinishAndRollsBackThoseThatDoNot() throws Exception {
    FakeQueue queue = full().insert(10);
    CountDownLatch running = new CountDownLatch(3);
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    Worker worker =
        queue
            .worker(
                job -> {
                  running.countDown();
                  if (job.get("id").equals(1L)) {
                    StopTest.hang(never);
                  } else if (job.get("id").equals(2L)) {
                    new CountDownLatch(1).await();
                  }
                  go.await();
                  return Outcome.done();
                })
            .threads(3)
            .start();
    FakeQueue.await(running);
    AtomicReference<Worker.Report> report = new AtomicReference<>();
    Thread stopping = new Thread(() -> report.set(worker.stop(Duration.ofMillis(500))));
    stopping.start();
    Wait.until("it is stopping", () -> worker.health() == Worker.Health.STOPPING);
    go.countDown();
    stopping.join();
    assertThat(report.get().unfinished()).containsExactly(FakeTable.key(1));
    assertThat(report.get().counts().completed()).isEqualTo(1);
    Wait.until("the hung one is rolled back", () -> queue.table.count("ready") == 9);
    assertThat(queue.table.count("done")).isEqualTo(1);
    never.countDown();
    Wait.until("all connections are back", () -> queue.dataSource.open.get() == 0);
  }
}
