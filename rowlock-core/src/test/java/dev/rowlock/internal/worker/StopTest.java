package dev.rowlock.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Fault;
import dev.rowlock.Outcome;
import dev.rowlock.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** P12: the end of a worker is orderly and bounded. */
@Timeout(60)
class StopTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  private static long millisSince(long start) {
    return (System.nanoTime() - start) / 1_000_000;
  }

  @Test
  void p12_whatRunsFinishesUnderItsLeaseAndWhatWaitsIsReleased() throws Exception {
    FakeQueue queue = FakeQueue.full(Duration.ofMillis(300)).insert(20);
    CountDownLatch running = new CountDownLatch(2);
    CountDownLatch go = new CountDownLatch(1);
    Worker worker =
        queue
            .worker(
                job -> {
                  running.countDown();
                  go.await();
                  return Outcome.done();
                })
            .start();
    FakeQueue.await(running);
    Wait.until("some wait", () -> worker.inFlight() == 5);
    AtomicReference<Worker.Report> report = new AtomicReference<>();
    Thread stopping = new Thread(() -> report.set(worker.stop(LONG)));
    stopping.start();
    Wait.until("the rest is released", () -> worker.inFlight() == 2);
    assertThat(worker.health()).isEqualTo(Worker.Health.STOPPING);
    int seen = queue.extensions.get();
    Wait.until("leases are still extended", () -> queue.extensions.get() > seen + 10);
    assertThat(queue.table.count("ready")).isEqualTo(18);
    assertThat(queue.table.all())
        .allMatch(r -> r.state().equals("processing") || r.attempts() == 0);
    go.countDown();
    stopping.join();
    assertThat(report.get().unfinished()).isEmpty();
    assertThat(report.get().counts().completed()).isEqualTo(2);
    assertThat(report.get().counts().released()).isEqualTo(3);
    assertThat(queue.table.count("done")).isEqualTo(2);
    assertThat(worker.health()).isEqualTo(Worker.Health.STOPPED);
    assertThat(queue.dataSource.open).hasValue(0);
  }

  @Test
  void c126_aHungHandlerDoesNotHoldUpTheEnd() {
    FakeQueue queue = FakeQueue.full().insert(10);
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch hung = new CountDownLatch(1);
    Worker worker =
        queue
            .worker(
                job -> {
                  if (job.get("id").equals(4L)) {
                    hung.countDown();
                    hang(never);
                  }
                  return Outcome.done();
                })
            .threads(10)
            .start();
    FakeQueue.await(hung);
    Wait.until("the others are done", () -> queue.table.count("done") == 9);
    long start = System.nanoTime();
    Worker.Report report = worker.stop(Duration.ofMillis(500));
    assertThat(millisSince(start)).isBetween(500L, 3_000L);
    assertThat(report.unfinished()).containsExactly(FakeTable.key(4));
    assertThat(report.counts().completed()).isEqualTo(9);
    assertThat(queue.dataSource.open).hasValue(0);
    never.countDown();
  }

  /** Ignores interrupts. */
  static void hang(CountDownLatch latch) {
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        // on purpose
      }
    }
  }

  @Test
  void c129_aHandlerThatFailsDuringTheDrainIsRecordedAsAlways() {
    FakeQueue queue = FakeQueue.full().insert(1);
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Worker worker =
        queue
            .worker(
                job -> {
                  running.countDown();
                  go.await();
                  throw new IllegalStateException("in the drain");
                })
            .start();
    FakeQueue.await(running);
    ExecutorService other = Executors.newSingleThreadExecutor();
    Future<Worker.Report> report = other.submit(() -> worker.stop(LONG));
    Wait.until("it is stopping", () -> worker.health() == Worker.Health.STOPPING);
    go.countDown();
    assertThat(result(report).counts().retried()).isEqualTo(1);
    assertThat(queue.table.get(1).error()).contains("in the drain");
    assertThat(queue.table.get(1).attempts()).isEqualTo(1);
    other.shutdown();
  }

  private static <T> T result(Future<T> future) {
    try {
      return future.get(20, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void afterTheGraceTimeAnInterruptedHandlersRowIsGivenBack() {
    FakeQueue queue = FakeQueue.full().insert(1);
    CountDownLatch running = new CountDownLatch(1);
    Worker worker =
        queue
            .worker(
                job -> {
                  running.countDown();
                  new CountDownLatch(1).await();
                  return Outcome.done();
                })
            .start();
    FakeQueue.await(running);
    Worker.Report report = worker.stop(Duration.ofMillis(50));
    assertThat(report.unfinished()).isEmpty();
    assertThat(report.counts().released()).isEqualTo(1);
    assertThat(queue.table.get(1).state()).isEqualTo("ready");
    assertThat(queue.table.get(1).attempts()).isZero();
  }

  @Test
  void stoppingIsBoundedWhenTheDatabaseHangs() {
    FakeQueue queue = FakeQueue.full(Duration.ofMillis(300)).insert(10);
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Worker worker =
        queue
            .worker(
                job -> {
                  running.countDown();
                  go.await();
                  return Outcome.done();
                })
            .start();
    FakeQueue.await(running);
    queue.before = operation -> hang(never);
    go.countDown();
    long start = System.nanoTime();
    Worker.Report report = worker.stop(Duration.ofMillis(200));
    assertThat(millisSince(start)).isLessThan(3_000);
    assertThat(report.unfinished()).isNotEmpty();
    never.countDown();
  }

  @Test
  void stoppingFromManyThreadsGivesOneReport() {
    FakeQueue queue = FakeQueue.full().insert(5);
    Worker worker = queue.worker(job -> Outcome.done()).start();
    ExecutorService others = Executors.newFixedThreadPool(8);
    List<Future<Worker.Report>> reports = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      reports.add(others.submit(() -> worker.stop(LONG)));
    }
    reports.forEach(r -> assertThat(result(r)).isEqualTo(result(reports.get(0))));
    worker.close();
    assertThat(worker.stop(LONG)).isEqualTo(result(reports.get(0)));
    others.shutdown();
  }

  @Test
  void aLaterCallMayShortenTheGraceTime() {
    FakeQueue queue = FakeQueue.full().insert(1);
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    Worker worker =
        queue
            .worker(
                job -> {
                  running.countDown();
                  hang(never);
                  return Outcome.done();
                })
            .start();
    FakeQueue.await(running);
    ExecutorService other = Executors.newSingleThreadExecutor();
    Future<Worker.Report> patient = other.submit(() -> worker.stop(Duration.ofHours(1)));
    Wait.until("it is stopping", () -> worker.health() == Worker.Health.STOPPING);
    worker.stop(Duration.ZERO);
    assertThat(result(patient).unfinished()).hasSize(1);
    never.countDown();
    other.shutdown();
  }

  @Test
  void aHandlerMayStopItsOwnWorker() {
    FakeQueue queue = FakeQueue.full().insert(3);
    AtomicReference<Worker> self = new AtomicReference<>();
    CountDownLatch known = new CountDownLatch(1);
    AtomicReference<Worker.Report> seen = new AtomicReference<>();
    Worker worker =
        queue
            .worker(
                job -> {
                  known.await();
                  seen.set(self.get().stop(LONG));
                  return Outcome.done();
                })
            .threads(1)
            .start();
    self.set(worker);
    known.countDown();
    Wait.until("it has stopped", () -> worker.health() == Worker.Health.STOPPED);
    assertThat(seen.get().unfinished()).contains(FakeTable.key(1));
    assertThat(queue.table.get(1).state()).isEqualTo("done");
    assertThat(queue.table.count("ready")).isEqualTo(2);
  }

  @Test
  void awaitEmptyEndsWhenTheWorkerIsStopped() throws Exception {
    FakeQueue queue = FakeQueue.full().insert(1);
    queue.table.lock(1, "somebody");
    Worker worker = queue.worker(job -> Outcome.done()).start();
    ExecutorService other = Executors.newSingleThreadExecutor();
    Future<Boolean> empty = other.submit(() -> worker.awaitEmpty(Duration.ofHours(1)));
    Wait.until("it has polled", () -> queue.claims.get() > 3);
    worker.stop(Duration.ZERO);
    assertThat(result(empty)).isFalse();
    other.shutdown();
  }

  @Test
  void rowsOfAClaimThatWasUnderWayAreReleased() {
    FakeQueue queue = FakeQueue.full().insert(5);
    CountDownLatch claiming = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    queue.after =
        operation -> {
          if (operation.equals("claim")) {
            claiming.countDown();
            FakeQueue.await(go);
          }
        };
    Worker worker = queue.worker(job -> Outcome.done()).start();
    FakeQueue.await(claiming);
    ExecutorService other = Executors.newSingleThreadExecutor();
    Future<Worker.Report> report = other.submit(() -> worker.stop(LONG));
    Wait.until("it is stopping", () -> worker.health() == Worker.Health.STOPPING);
    go.countDown();
    assertThat(result(report).counts().released()).isEqualTo(5);
    assertThat(queue.table.count("ready")).isEqualTo(5);
    other.shutdown();
  }

  @Test
  void outcomesAreStillWrittenWhenTheDatabaseComesBackWithinTheGraceTime() {
    FakeQueue queue = FakeQueue.full().insert(2);
    queue.before =
        operation -> {
          if (operation.equals("apply")) {
            throw FakeQueue.fault(Fault.CONNECTION);
          }
        };
    Worker worker = queue.worker(job -> Outcome.done()).maxBackoff(Duration.ofMinutes(5)).start();
    Wait.until("it is degraded", () -> worker.health() == Worker.Health.DEGRADED);
    ExecutorService other = Executors.newSingleThreadExecutor();
    Future<Worker.Report> report = other.submit(() -> worker.stop(LONG));
    Wait.until("it is stopping", () -> worker.health() == Worker.Health.STOPPING);
    queue.before = operation -> {};
    assertThat(result(report).unfinished()).isEmpty();
    assertThat(queue.table.count("done")).isEqualTo(2);
    other.shutdown();
  }
}
