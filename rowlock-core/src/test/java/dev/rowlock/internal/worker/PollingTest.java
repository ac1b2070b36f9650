package dev.rowlock.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Outcome;
import dev.rowlock.Worker;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a worker looks for work, and when it says that none is left. */
@Timeout(60)
class PollingTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration NEVER = Duration.ofHours(1);

  @Test
  void aWakeUpIsFollowedAtOnceAndOnceAgain() {
    FakeQueue queue = FakeQueue.full();
    try (Worker worker = queue.worker(job -> Outcome.done()).poll(NEVER, NEVER).start()) {
      Wait.until("it has polled", () -> queue.claims.get() == 1);
      queue.wake();
      Wait.until("it polls, and once again", () -> queue.claims.get() == 3);
      worker.wake();
      Wait.until("it polls, and once again", () -> queue.claims.get() == 5);
    }
    assertThat(queue.claims).hasValue(5);
  }

  @Test
  void c077_aWakeUpJustBeforeTheCommitIsNotLost() {
    FakeQueue queue = FakeQueue.full();
    try (Worker worker = queue.worker(job -> Outcome.done()).poll(NEVER, NEVER).start()) {
      Wait.until("it has polled", () -> queue.claims.get() == 1);
      worker.wake();
      Wait.until("it found nothing", () -> queue.claims.get() == 2);
      queue.table.insert(1);
      Wait.until("it is done", () -> queue.table.count("done") == 1);
    }
  }

  @Test
  void c077_aPendingCommitIsLookedForUntilItComes() {
    FakeQueue queue = FakeQueue.full();
    try (Worker worker = queue.worker(job -> Outcome.done()).poll(NEVER, NEVER).start()) {
      Wait.until("it has polled", () -> queue.claims.get() == 1);
      queue.wakeups.pending();
      Wait.until("it polls often", () -> queue.claims.get() > 4);
      queue.table.insert(1);
      long start = System.nanoTime();
      Wait.until("it is done", () -> worker.counts().completed() == 1);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
      int seen = queue.claims.get();
      assertThat(worker.counts().claimed()).isEqualTo(1);
      assertThat(queue.claims.get()).isLessThanOrEqualTo(seen + 1);
    }
  }

  @Test
  void aStoppedWorkerListensToNoWakeUps() {
    FakeQueue queue = FakeQueue.full();
    queue.worker(job -> Outcome.done()).start().close();
    int seen = queue.claims.get();
    queue.wake();
    queue.wakeups.pending();
    assertThat(queue.claims).hasValue(seen);
  }

  @Test
  void c012_anEmptyClaimDoesNotEndTheWait() throws Exception {
    FakeQueue queue = FakeQueue.full().insert(10);
    for (int i = 1; i <= 5; i++) {
      queue.table.lock(i, "somebody");
    }
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (Worker worker = queue.worker(job -> Outcome.done()).start()) {
      Future<Boolean> empty = other.submit(() -> worker.awaitEmpty(LONG));
      Wait.until("the others are done", () -> queue.table.count("done") == 5);
      int seen = queue.claims.get();
      Wait.until("claims were empty", () -> queue.claims.get() > seen + 3);
      assertThat(empty.isDone()).isFalse();
      for (int i = 1; i <= 5; i++) {
        queue.table.unlock(i);
      }
      assertThat(empty.get(20, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(queue.table.count("done")).isEqualTo(10);
    other.shutdown();
  }

  @Test
  void rowsOfAClaimUnderWayCountAsLeftEvenWhereNothingSaysWhenTheyWereClaimed() throws Exception {
    FakeQueue queue =
        new FakeQueue(FakeQueue.bare().build(), dev.rowlock.Mode.LEASE, LONG, FakeQueue.noDelay(3))
            .insert(1);
    CountDownLatch claimed = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    queue.after =
        operation -> {
          if (operation.equals("claim") && queue.table.count("processing") == 1) {
            claimed.countDown();
            FakeQueue.await(go);
          }
        };
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (Worker worker = queue.worker(job -> Outcome.done()).start()) {
      FakeQueue.await(claimed);
      assertThat(queue.stats().left()).isZero();
      assertThat(worker.awaitEmpty(Duration.ofMillis(300))).isFalse();
      Future<Boolean> empty = other.submit(() -> worker.awaitEmpty(LONG));
      go.countDown();
      assertThat(empty.get(20, TimeUnit.SECONDS)).isTrue();
      assertThat(worker.counts().completed()).isEqualTo(1);
    }
    other.shutdown();
  }

  @Test
  void c020_aRowThatCannotBeClaimedIsNoHotLoop() {
    FakeQueue queue = FakeQueue.full();
    try (Worker worker =
        queue
            .worker(job -> Outcome.done())
            .poll(Duration.ofMillis(50), Duration.ofMillis(100))
            .start()) {
      long start = System.nanoTime();
      Wait.until("it has polled", () -> queue.claims.get() == 10);
      assertThat(System.nanoTime() - start).isGreaterThan(9 * 37_000_000L);
      assertThat(worker.health()).isEqualTo(Worker.Health.UP);
    }
  }

  @Test
  void c150_pollsAndBackoffsAreJittered() {
    Set<Long> waits =
        IntStream.range(0, 100)
            .mapToObj(i -> new Backoff(Duration.ofSeconds(1)).next())
            .collect(Collectors.toSet());
    assertThat(waits).hasSizeGreaterThan(90).allMatch(w -> w >= 75_000_000 && w <= 100_000_000);
    Backoff backoff = new Backoff(Duration.ofSeconds(1));
    IntStream.range(0, 50).forEach(i -> backoff.next());
    assertThat(backoff.next()).isBetween(750_000_000L, 1_000_000_000L);
  }

  @Test
  void ofManyThreadsInTransactionalModeOnePollsForAll() {
    FakeQueue queue =
        new FakeQueue(
            FakeQueue.all().build(), dev.rowlock.Mode.TRANSACTIONAL, LONG, FakeQueue.noDelay(3));
    AtomicInteger running = new AtomicInteger();
    CountDownLatch go = new CountDownLatch(1);
    try (Worker worker =
        queue
            .worker(
                job -> {
                  running.incrementAndGet();
                  go.await();
                  return Outcome.done();
                })
            .threads(8)
            .poll(Duration.ofMillis(100), Duration.ofMillis(100))
            .start()) {
      Wait.until("all have looked", () -> queue.claims.get() >= 8);
      int before = queue.claims.get();
      long start = System.nanoTime();
      Wait.until("it polls", () -> queue.claims.get() >= before + 6);
      assertThat(System.nanoTime() - start).isGreaterThan(300_000_000L);
      queue.insert(8);
      worker.wake();
      Wait.until("all work at once", () -> running.get() == 8);
      go.countDown();
      Wait.until("all are done", () -> queue.table.count("done") == 8);
    }
    assertThat(queue.dataSource.open).hasValue(0);
  }
}
