package dev.rowlock.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Change;
import dev.rowlock.Fault;
import dev.rowlock.Mode;
import dev.rowlock.Outcome;
import dev.rowlock.Worker;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a worker does with rows when nothing goes wrong, or only a handler does. */
@Timeout(60)
class LeaseWorkerTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  @Test
  void drainsTheQueueAndCounts() throws Exception {
    FakeQueue queue = FakeQueue.full().insert(500);
    try (Worker worker = queue.worker(job -> Outcome.done("result", job.get("id"))).start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().claimed()).isEqualTo(500);
      assertThat(worker.counts().completed()).isEqualTo(500);
      assertThat(worker.inFlight()).isZero();
      assertThat(worker.health()).isEqualTo(Worker.Health.UP);
    }
    assertThat(queue.table.get(7).result()).isEqualTo(7L);
    assertThat(queue.dataSource.open).hasValue(0);
  }

  @Test
  void holdsNoMoreThanThreadsPlusBatch() throws Exception {
    FakeQueue queue = FakeQueue.full().insert(100);
    CountDownLatch go = new CountDownLatch(1);
    try (Worker worker = blocking(queue, go)) {
      Wait.until("it waits for room", () -> worker.inFlight() == 5 && queue.claims.get() == 1);
      assertThat(queue.table.count("processing")).isEqualTo(5);
      go.countDown();
      assertThat(worker.awaitEmpty(LONG)).isTrue();
    }
    assertThat(queue.limits).allMatch(limit -> limit <= 5);
  }

  private static Worker blocking(FakeQueue queue, CountDownLatch go) {
    return queue
        .worker(
            job -> {
              go.await();
              return Outcome.done();
            })
        .start();
  }

  @Test
  void c123_errorsThrownByHandlersFailTheRowAndTheWorkerGoesOn() throws Exception {
    FakeQueue queue = FakeQueue.full().insert(100);
    Set<String> threads = ConcurrentHashMap.newKeySet();
    Worker worker =
        queue
            .worker(
                job -> {
                  threads.add(Thread.currentThread().getName());
                  throw error((Long) job.get("id"));
                })
            .start();
    assertThat(worker.awaitEmpty(LONG)).isTrue();
    assertThat(worker.counts().dead()).isEqualTo(100);
    assertThat(worker.counts().retried()).isEqualTo(200);
    assertThat(worker.health()).isEqualTo(Worker.Health.UP);
    worker.close();
    assertThat(threads).hasSize(2);
    assertThat(queue.table.get(1).error()).startsWith("java.lang.StackOverflowError");
    assertThat(queue.table.get(2).error()).isEqualTo("java.lang.OutOfMemoryError");
    assertThat(queue.table.get(3).error()).contains("ExceptionInInitializerError", "boom");
    assertThat(queue.table.get(4).error()).contains("Untold", "getMessage threw");
    assertThat(queue.table.get(5).error())
        .contains("returned", "first line")
        .doesNotContain("second");
  }

  private static RuntimeException error(long id) {
    switch ((int) (id % 5)) {
      case 1 -> recurse(1);
      case 2 -> throw new OutOfMemoryError("injected");
      case 3 -> throw new ExceptionInInitializerError(new IllegalStateException("boom"));
      case 4 -> throw new Untold();
      default -> {}
    }
    return new IllegalStateException("returned: first line\nsecond");
  }

  private static int recurse(int depth) {
    return recurse(depth + 1) + 1;
  }

  /** Like ThreadDeath, and not even its message can be had. */
  private static final class Untold extends Error {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException();
    }
  }

  @Test
  void nullIsAFailedAttempt() throws Exception {
    FakeQueue queue = FakeQueue.full().insert(1);
    try (Worker worker = queue.worker(job -> null).start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
    }
    assertThat(queue.table.get(1).error()).contains("returned null");
  }

  @Test
  void anInterruptLeftByAHandlerDoesNotReachTheNextRow() throws Exception {
    FakeQueue queue = FakeQueue.full().insert(50);
    AtomicInteger interrupted = new AtomicInteger();
    try (Worker worker =
        queue
            .worker(
                job -> {
                  if (Thread.currentThread().isInterrupted()) {
                    interrupted.incrementAndGet();
                  }
                  Thread.currentThread().interrupt();
                  return Outcome.done();
                })
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().completed()).isEqualTo(50);
    }
    assertThat(interrupted).hasValue(0);
  }

  @Test
  void c137_anUnreadableRowFailsAloneWithoutItsHandler() throws Exception {
    FakeQueue queue = FakeQueue.full().insert(10);
    queue.unreadable = FakeTable.key(5)::equals;
    Set<Object> handled = ConcurrentHashMap.newKeySet();
    try (Worker worker =
        queue
            .worker(
                job -> {
                  handled.add(job.get("id"));
                  return Outcome.done();
                })
            .batch(10)
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
    }
    assertThat(handled).hasSize(9).doesNotContain(5L);
    assertThat(queue.table.get(5).state()).isEqualTo("dead");
    assertThat(queue.table.get(5).error()).isEqualTo("column 'payload' is no JSON");
  }

  @Test
  void aRefusedOutcomeFailsItsRowOnly() throws Exception {
    FakeQueue queue = FakeQueue.full().insert(20);
    queue.check =
        (change, row) -> {
          if (change instanceof Change.Complete c && "bad".equals(c.results().get("result"))) {
            throw FakeQueue.fault(Fault.DATA);
          }
        };
    try (Worker worker =
        queue
            .worker(
                job -> {
                  long id = (Long) job.get("id");
                  return id == 3
                      ? Outcome.done("result", "bad")
                      : id == 4 ? Outcome.done("nowhere", 1) : Outcome.done("result", "good");
                })
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().completed()).isEqualTo(18);
      assertThat(worker.counts().dead()).isEqualTo(2);
      assertThat(worker.counts().lost()).isZero();
    }
    assertThat(queue.table.get(3).error()).contains("refused", "injected DATA");
    assertThat(queue.table.get(4).error()).contains("'nowhere' is not in write");
  }

  @Test
  void snoozeAndDeadWithoutTheirColumnsAreClearFailures() throws Exception {
    FakeQueue queue =
        new FakeQueue(
                FakeQueue.bare().column(dev.rowlock.Role.ATTEMPTS, "attempts").build(),
                Mode.LEASE,
                Duration.ofMinutes(5),
                FakeQueue.noDelay(1))
            .insert(2);
    try (Worker worker =
        queue
            .worker(
                job ->
                    job.get("id").equals(1L)
                        ? Outcome.snooze(Duration.ofSeconds(1))
                        : Outcome.dead("never"))
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().dead()).isEqualTo(2);
    }
    assertThat(queue.table.get(1).error()).contains("map run-at");
    assertThat(queue.table.get(2).error()).contains("dead letters need");
  }

  @Test
  void c022_aRowWhoseFailureIsRefusedBacksOffAndStopsNobody() throws Exception {
    FakeQueue queue = FakeQueue.full(Duration.ofMillis(600)).insert(30);
    AtomicInteger refusals = new AtomicInteger();
    queue.check =
        (change, row) -> {
          if (change instanceof Change.Fail) {
            refusals.incrementAndGet();
            throw FakeQueue.fault(Fault.CONSTRAINT);
          }
        };
    AtomicInteger failed = new AtomicInteger();
    queue.listeners.add(
        new dev.rowlock.Listener() {
          @Override
          public void failed(String q, String operation, RuntimeException e, int failures) {
            failed.incrementAndGet();
          }
        });
    Worker worker =
        queue
            .worker(
                job -> {
                  if (job.get("id").equals(1L)) {
                    throw new IllegalStateException();
                  }
                  return Outcome.done();
                })
            .maxBackoff(Duration.ofMillis(200))
            .start();
    Wait.until("all others are done", () -> queue.table.count("done") == 29);
    Wait.until("its lease brought it back", () -> worker.counts().claimed() > 30);
    int seen = refusals.get();
    assertThat(seen).as("no busy loop").isLessThan(20);
    assertThat(failed.get()).isPositive();
    Worker.Report report = worker.stop(Duration.ofSeconds(5));
    assertThat(report.unfinished().size()).isLessThanOrEqualTo(1);
  }
}
