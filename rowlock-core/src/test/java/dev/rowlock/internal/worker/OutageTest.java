package dev.rowlock.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.Listener;
import dev.rowlock.Mode;
import dev.rowlock.Outcome;
import dev.rowlock.Worker;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The database fails, goes away and comes back. */
@Timeout(60)
class OutageTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  private final List<String> failures = new CopyOnWriteArrayList<>();
  private final List<Worker.Health> healths = new CopyOnWriteArrayList<>();
  private final Listener listener =
      new Listener() {
        @Override
        public void failed(String queue, String operation, RuntimeException error, int count) {
          failures.add(operation);
        }

        @Override
        public void health(String queue, Worker.Health health) {
          healths.add(health);
        }
      };

  @Test
  void c067_everyLoopSurvivesAnOutageAndWorksAgain() throws Exception {
    FakeQueue queue = FakeQueue.full(Duration.ofMillis(300)).insert(1000);
    queue.listeners.add(listener);
    AtomicBoolean away = new AtomicBoolean();
    queue.before =
        operation -> {
          if (away.get()) {
            throw FakeQueue.fault(Fault.CONNECTION);
          }
        };
    Map<Object, Integer> runs = new ConcurrentHashMap<>();
    AtomicInteger calls = new AtomicInteger();
    try (Worker worker =
        queue
            .worker(
                job -> {
                  runs.merge(job.get("id"), 1, Integer::sum);
                  if (calls.incrementAndGet() == 100) {
                    away.set(true);
                  }
                  return Outcome.done();
                })
            .start()) {
      Wait.until("it is degraded", () -> worker.health() == Worker.Health.DEGRADED);
      Wait.until(
          "all loops have failed",
          () -> failures.containsAll(List.of("claim", "write", "extend", "recover")));
      away.set(false);
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      Wait.until("it is up", () -> worker.health() == Worker.Health.UP);
    }
    assertThat(queue.table.count("done")).isEqualTo(1000);
    assertThat(runs).hasSize(1000);
    assertThat(healths.get(0)).isEqualTo(Worker.Health.DEGRADED);
    assertThat(healths).endsWith(Worker.Health.STOPPING, Worker.Health.STOPPED);
    assertThat(queue.dataSource.open).hasValue(0);
  }

  @Test
  void c097_aFailedClaimIsNeverTakenForAnEmptyQueue() throws Exception {
    FakeQueue queue = FakeQueue.full().insert(1);
    queue.listeners.add(listener);
    queue.before =
        operation -> {
          if (operation.equals("claim")) {
            throw FakeQueue.fault(Fault.PRIVILEGE);
          }
        };
    try (Worker worker = queue.worker(job -> Outcome.done()).start()) {
      Wait.until("it has failed often", () -> failures.size() > 5);
      assertThat(worker.health()).isEqualTo(Worker.Health.DEGRADED);
      assertThat(worker.awaitEmpty(Duration.ofMillis(300))).isFalse();
    }
    assertThat(failures).containsOnly("claim");
  }

  @Test
  void c100_anyExceptionOfAnyOperationIsSurvived() throws Exception {
    FakeQueue queue =
        new FakeQueue(
                FakeQueue.all().build(),
                Mode.LEASE,
                Duration.ofMillis(300),
                FakeQueue.noDelay(1000))
            .insert(300);
    AtomicInteger calls = new AtomicInteger();
    queue.before =
        operation -> {
          int call = calls.incrementAndGet();
          if (call > 5 && call % 3 == 0) {
            Fault[] faults = Fault.values();
            throw call % 2 == 0
                ? new IllegalStateException("from a pool")
                : FakeQueue.fault(faults[call / 3 % faults.length]);
          }
        };
    try (Worker worker =
        queue.worker(job -> Outcome.done()).maxBackoff(Duration.ofMillis(5)).start()) {
      Wait.until(
          "all are settled", () -> queue.table.count("done") + queue.table.count("dead") == 300);
      assertThat(worker.awaitEmpty(LONG)).isTrue();
    }
    assertThat(queue.table.count("done")).isEqualTo(300);
  }

  @Test
  void c105_aClaimThatFailsAtItsCommitStartsNoHandler() throws Exception {
    FakeQueue queue = FakeQueue.full(Duration.ofMillis(400)).insert(1);
    AtomicInteger started = new AtomicInteger();
    AtomicInteger startedBeforeRecovery = new AtomicInteger(-1);
    AtomicBoolean first = new AtomicBoolean(true);
    queue.after =
        operation -> {
          if (operation.equals("claim")
              && queue.table.count("processing") == 1
              && first.compareAndSet(true, false)) {
            throw FakeQueue.fault(Fault.CONNECTION);
          }
        };
    queue.listeners.add(
        new Listener() {
          @Override
          public void failed(String q, String operation, RuntimeException e, int count) {
            startedBeforeRecovery.set(started.get());
          }
        });
    try (Worker worker =
        queue
            .worker(
                job -> {
                  started.incrementAndGet();
                  return Outcome.done();
                })
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).as("P15: its lease brings it back").isTrue();
      assertThat(worker.counts().recovered()).isEqualTo(1);
    }
    assertThat(startedBeforeRecovery).hasValue(0);
    assertThat(started).hasValue(1);
  }

  @Test
  void p15_aWriteWhoseAnswerWasLostIsTriedAgainQuietly() throws Exception {
    FakeQueue queue = FakeQueue.full().insert(50);
    AtomicInteger writes = new AtomicInteger();
    queue.after =
        operation -> {
          if (operation.equals("apply") && writes.incrementAndGet() % 2 == 1) {
            throw FakeQueue.fault(Fault.CONNECTION);
          }
        };
    try (LogCapture log = new LogCapture();
        Worker worker = queue.worker(job -> Outcome.done()).start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(log.warnings()).noneMatch(w -> w.contains("no longer current"));
      assertThat(worker.counts().completed() + worker.counts().lost()).isEqualTo(50);
    }
    assertThat(queue.table.count("done")).isEqualTo(50);
  }

  @Test
  void c063_readOnlyIsSaidAndRecoveredFrom() throws Exception {
    FakeQueue queue = FakeQueue.full().insert(20);
    AtomicBoolean readOnly = new AtomicBoolean();
    queue.before =
        operation -> {
          if (readOnly.get() && !operation.equals("stats")) {
            throw FakeQueue.fault(Fault.READ_ONLY);
          }
        };
    try (LogCapture log = new LogCapture();
        Worker worker =
            queue
                .worker(
                    job -> {
                      readOnly.compareAndSet(false, job.get("id").equals(3L));
                      return Outcome.done();
                    })
                .start()) {
      Wait.until("it is degraded", () -> worker.health() == Worker.Health.DEGRADED);
      Wait.until(
          "it says so",
          () -> log.warnings().stream().anyMatch(w -> w.contains("read-only server")));
      readOnly.set(false);
      queue.before = operation -> {};
      assertThat(worker.awaitEmpty(LONG)).isTrue();
    }
    assertThat(queue.table.count("done")).isEqualTo(20);
  }

  @Test
  void c064_aReadOnlyServerIsRefusedAtTheStart() {
    FakeQueue queue = FakeQueue.full();
    queue.before =
        operation -> {
          if (operation.equals("recover")) {
            throw FakeQueue.fault(Fault.READ_ONLY);
          }
        };
    assertThatThrownBy(() -> queue.worker(job -> Outcome.done()).start())
        .isInstanceOf(DatabaseException.class)
        .hasMessageContaining("connected to a read-only server");
    assertThat(queue.dataSource.open).hasValue(0);
  }

  @Test
  void aKeeperConnectionThatCannotBeHadFailsTheStartAndLeavesNothing() {
    FakeQueue queue = FakeQueue.full();
    queue.dataSource.refuse = new SQLException("refused", "08001");
    assertThatThrownBy(() -> queue.worker(job -> Outcome.done()).start())
        .isInstanceOf(DatabaseException.class)
        .hasMessageContaining("lease keeper");
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(t -> t.getName().startsWith("rowlock-fake-") && t.isAlive() && !t.isDaemon());
  }

  @Test
  void aWarningOfOneOperationComesOnceAMinute() throws Exception {
    FakeQueue queue = FakeQueue.full();
    queue.listeners.add(listener);
    queue.before =
        operation -> {
          if (operation.equals("claim")) {
            throw FakeQueue.fault(Fault.CONNECTION);
          }
        };
    try (LogCapture log = new LogCapture();
        Worker worker = queue.worker(job -> Outcome.done()).start()) {
      Wait.until("it has failed often", () -> failures.size() > 10);
      assertThat(log.warnings()).hasSize(1).first().asString().contains("SQL state 99999");
      queue.before = operation -> {};
      Wait.until("it is up", () -> worker.health() == Worker.Health.UP);
      Wait.until("it says so", () -> log.infos().stream().anyMatch(i -> i.contains("works again")));
    }
  }
}
