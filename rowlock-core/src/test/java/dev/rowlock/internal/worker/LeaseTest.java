package dev.rowlock.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Capability;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.Fault;
import dev.rowlock.Job;
import dev.rowlock.LeaseLostException;
import dev.rowlock.Listener;
import dev.rowlock.Mode;
import dev.rowlock.Outcome;
import dev.rowlock.Role;
import dev.rowlock.Worker;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leases: kept, lost, unsure; completion in the caller's transaction. */
@Timeout(60)
class LeaseTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  private final List<Claim> lost = new CopyOnWriteArrayList<>();
  private final Listener listener =
      new Listener() {
        @Override
        public void leaseLost(String queue, Claim claim) {
          lost.add(claim);
        }
      };

  @Test
  void aHandlerMayRunForManyLeases() throws Exception {
    FakeQueue queue = FakeQueue.full(Duration.ofMillis(300)).insert(8);
    queue.listeners.add(listener);
    AtomicReference<Claim> before = new AtomicReference<>();
    AtomicReference<Claim> afterwards = new AtomicReference<>();
    try (Worker worker =
        queue
            .worker(
                job -> {
                  before.compareAndSet(null, job.claim());
                  int seen = queue.extensions.get();
                  Wait.until("extended often", () -> queue.extensions.get() > seen + 12);
                  afterwards.compareAndSet(null, job.claim());
                  return Outcome.done();
                })
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().completed()).isEqualTo(8);
      assertThat(worker.counts().claimed()).as("waiting rows are kept too").isEqualTo(8);
      assertThat(worker.counts().recovered()).isZero();
    }
    assertThat(lost).isEmpty();
    assertThat(afterwards.get()).isNotSameAs(before.get());
  }

  @Test
  void c139_aLostLeaseCancelsTheHandlerAndItsWriteIsRefused() throws Exception {
    FakeQueue queue = FakeQueue.full(Duration.ofMillis(300)).insert(1);
    queue.listeners.add(listener);
    CountDownLatch interrupted = new CountDownLatch(1);
    AtomicBoolean first = new AtomicBoolean(true);
    AtomicReference<Job> seen = new AtomicReference<>();
    try (Worker worker =
        queue
            .worker(
                job -> {
                  if (!first.compareAndSet(true, false)) {
                    return Outcome.done("result", "second");
                  }
                  seen.set(job);
                  synchronized (queue.table) {
                    FakeTable.Row row = queue.table.get(1L);
                    queue.table.put(row.claimed(row.leaseEnd() + 1).with("ready"), null);
                  }
                  try {
                    new CountDownLatch(1).await();
                  } catch (InterruptedException e) {
                    interrupted.countDown();
                  }
                  return Outcome.done("result", "first");
                })
            .start()) {
      FakeQueue.await(interrupted);
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().lost()).isEqualTo(1);
    }
    assertThat(seen.get().cancelled()).isTrue();
    assertThat(lost).hasSize(1);
    assertThat(queue.table.get(1L).result()).isEqualTo("second");
  }

  @Test
  void c143_aLeaseThatCannotBeExtendedCancelsTheHandlerButTheFenceDecides() throws Exception {
    FakeQueue queue = FakeQueue.full(Duration.ofMillis(300)).insert(1);
    queue.before =
        operation -> {
          if (operation.equals("extend") || operation.equals("recover") && queue.claims.get() > 0) {
            throw FakeQueue.fault(Fault.CONNECTION);
          }
        };
    try (Worker worker =
        queue
            .worker(
                job -> {
                  try {
                    new CountDownLatch(1).await();
                  } catch (InterruptedException e) {
                    assertThat(job.cancelled()).isTrue();
                  }
                  return Outcome.done();
                })
            .start()) {
      Wait.until("it is done", () -> queue.table.count("done") == 1);
      Wait.until("it is counted", () -> worker.counts().completed() == 1);
      assertThat(worker.counts().lost()).isZero();
    }
  }

  @Test
  void c143_afterAPauseTheKeeperExtendsFirstAndTheResultDecides() throws Exception {
    FakeQueue queue = FakeQueue.full(Duration.ofMillis(400)).insert(1);
    AtomicBoolean paused = new AtomicBoolean(true);
    queue.before =
        operation -> {
          // As if the process had been stopped for twice the lease within the first extension.
          if (operation.equals("extend") && paused.compareAndSet(true, false)) {
            synchronized (queue.table) {
              long end = System.nanoTime() + 800_000_000L;
              while (System.nanoTime() - end < 0) {
                Thread.onSpinWait();
              }
            }
          }
        };
    AtomicInteger runs = new AtomicInteger();
    try (Worker worker =
        queue
            .worker(
                job -> {
                  runs.incrementAndGet();
                  int seen = queue.extensions.get();
                  Wait.until("extended", () -> queue.extensions.get() > seen + 2);
                  return Outcome.done();
                })
            .recoverEvery(Duration.ofMinutes(1))
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
    }
    assertThat(queue.table.get(1L).state()).isEqualTo("done");
  }

  @Test
  void c145_shortJobsWithAQuickKeeperWarnNobody() throws Exception {
    FakeQueue queue = FakeQueue.full(Duration.ofMillis(60)).insert(1000);
    queue.listeners.add(listener);
    try (LogCapture log = new LogCapture();
        Worker worker =
            queue
                .worker(
                    job -> {
                      TimeUnit.MILLISECONDS.sleep(2);
                      return Outcome.done();
                    })
                .threads(8)
                .recoverEvery(Duration.ofMinutes(1))
                .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().completed()).isEqualTo(1000);
      assertThat(log.warnings()).isEmpty();
    }
    assertThat(lost).isEmpty();
  }

  @Test
  void busyIsStillOurs() throws Exception {
    FakeQueue queue = FakeQueue.full(Duration.ofMillis(200)).insert(1);
    queue.listeners.add(listener);
    AtomicInteger extendCalls = new AtomicInteger();
    queue.before = o -> extendCalls.addAndGet(o.equals("extend") ? 1 : 0);
    AtomicBoolean cancelled = new AtomicBoolean();
    try (Worker worker =
        queue
            .worker(
                job -> {
                  queue.table.lock(1, "somebody");
                  int seen = extendCalls.get();
                  Wait.until("tried often", () -> extendCalls.get() > seen + 15);
                  cancelled.set(job.cancelled());
                  queue.table.unlock(1);
                  return Outcome.done();
                })
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
    }
    assertThat(cancelled).isFalse();
    assertThat(lost).isEmpty();
  }

  @Test
  void aFenceThatChangesWithTheLeaseIsWrittenWithItsNewestValue() throws Exception {
    FakeQueue queue = weak(Duration.ofMillis(60)).insert(300);
    assertThat(queue.mapping().capabilities()).doesNotContain(Capability.FENCE);
    try (Worker worker =
        queue
            .worker(
                job -> {
                  TimeUnit.MILLISECONDS.sleep(5);
                  return Outcome.done();
                })
            .threads(8)
            .recoverEvery(Duration.ofMinutes(1))
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().completed()).isEqualTo(300);
      assertThat(worker.counts().lost()).isZero();
    }
    assertThat(queue.extensions.get()).isPositive();
  }

  private static FakeQueue weak(Duration lease) {
    return new FakeQueue(
        FakeQueue.bare()
            .column(Role.LEASE_UNTIL, "locked_until")
            .column(Role.RUN_AT, "run_at")
            .build(),
        Mode.LEASE,
        lease,
        FakeQueue.noDelay(3));
  }

  @Test
  void completionInTheCallersTransactionIsNotWrittenAgain() throws Exception {
    for (FakeQueue queue : List.of(FakeQueue.full(), weak(Duration.ofMillis(100)))) {
      queue.insert(50);
      try (Worker worker =
          queue
              .worker(
                  job -> {
                    try (Connection connection = queue.dataSource.getConnection()) {
                      connection.setAutoCommit(false);
                      job.complete(connection, java.util.Map.of("result", "own"));
                      connection.commit();
                    }
                    return Outcome.done("result", "again");
                  })
              .start()) {
        assertThat(worker.awaitEmpty(LONG)).isTrue();
        assertThat(worker.counts().completed()).isEqualTo(50);
        assertThat(worker.counts().lost()).isZero();
      }
      assertThat(queue.table.all()).allMatch(row -> "own".equals(row.result()));
      assertThat(queue.writes).isEmpty();
    }
  }

  @Test
  void aHandlerThatThrowsAfterARollbackFailsItsRow() throws Exception {
    FakeQueue queue = FakeQueue.full().insert(1);
    try (LogCapture log = new LogCapture();
        Worker worker =
            queue
                .worker(
                    job -> {
                      try (Connection connection = queue.dataSource.getConnection()) {
                        connection.setAutoCommit(false);
                        job.complete(connection);
                        if (job.claim().attempt().getAsInt() == 2) {
                          connection.commit(); // and then fails all the same
                        }
                      }
                      throw new IllegalStateException("after complete");
                    })
                .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().retried()).isEqualTo(1);
      Wait.until("the second failure is refused", () -> worker.counts().lost() == 1);
      assertThat(log.warnings()).noneMatch(w -> w.contains("no longer current"));
    }
    assertThat(queue.table.get(1L).state()).isEqualTo("done");
    assertThat(queue.table.get(1L).error()).contains("after complete");
  }

  @Test
  void completionOfALostRowThrowsInTheHandler() throws Exception {
    FakeQueue queue = FakeQueue.full().insert(1);
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    try (Worker worker =
        queue
            .worker(
                job -> {
                  if (thrown.get() != null) {
                    return Outcome.done();
                  }
                  synchronized (queue.table) {
                    queue.table.put(queue.table.get(1L).claimed(0).with("ready"), null);
                  }
                  try (Connection connection = queue.dataSource.getConnection()) {
                    connection.setAutoCommit(false);
                    job.complete(connection);
                  } catch (LeaseLostException e) {
                    assertThat(job.cancelled()).isTrue();
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                    thrown.set(e);
                    throw e;
                  }
                  return Outcome.done();
                })
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
    }
    assertThat(thrown.get()).isInstanceOf(LeaseLostException.class);
    assertThat(queue.table.get(1L).state()).isEqualTo("done");
  }

  @Test
  void thereIsNoConnectionInLeaseMode() throws Exception {
    FakeQueue queue = FakeQueue.full().insert(1);
    try (Worker worker =
        queue
            .worker(
                job -> {
                  assertThatThrownBy(job::connection).hasMessageContaining("lease mode");
                  return Outcome.done();
                })
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().completed()).isEqualTo(1);
    }
  }

  @Test
  void rowsThatAreLostBeforeTheyStartAreDropped() throws Exception {
    FakeQueue queue = FakeQueue.full(Duration.ofMillis(300)).insert(3);
    CountDownLatch go = new CountDownLatch(1);
    List<Object> handled = new CopyOnWriteArrayList<>();
    try (Worker worker =
        queue
            .worker(
                job -> {
                  handled.add(job.get("id"));
                  go.await();
                  return Outcome.done();
                })
            .threads(1)
            .start()) {
      Wait.until("all are claimed", () -> worker.inFlight() == 3);
      synchronized (queue.table) {
        queue.table.put(queue.table.get(2L).claimed(Long.MAX_VALUE / 2).with("done"), null);
      }
      Wait.until("it is dropped", () -> worker.inFlight() == 2);
      go.countDown();
      assertThat(worker.awaitEmpty(LONG)).isTrue();
    }
    assertThat(handled).containsExactly(1L, 3L);
  }

  @Test
  void changesAreOneKindPerCall() throws Exception {
    FakeQueue queue = FakeQueue.full().insert(60);
    try (Worker worker =
        queue
            .worker(
                job ->
                    (Long) job.get("id") % 2 == 0
                        ? Outcome.done()
                        : Outcome.snooze(Duration.ofDays(1)))
            .start()) {
      Wait.until(
          "all are settled", () -> worker.counts().snoozed() + worker.counts().completed() == 60);
    }
    assertThat(queue.writes)
        .allMatch(list -> list.stream().map(Change::getClass).distinct().count() == 1);
  }
}
