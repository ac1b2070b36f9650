package dev.rowlock.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Claim;
import dev.rowlock.Listener;
import dev.rowlock.Mode;
import dev.rowlock.Outcome;
import dev.rowlock.Role;
import dev.rowlock.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Handlers that run too long. */
@Timeout(60)
class TimeLimitTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  private final List<Boolean> timedOut = new CopyOnWriteArrayList<>();
  private final Listener listener =
      new Listener() {
        @Override
        public void timedOut(String queue, Claim claim, boolean stuck) {
          timedOut.add(stuck);
        }
      };

  @Test
  void aHandlerThatHeedsTheInterruptFailsItsAttempt() throws Exception {
    FakeQueue queue = FakeQueue.full().insert(1);
    queue.listeners.add(listener);
    AtomicInteger runs = new AtomicInteger();
    try (LogCapture log = new LogCapture();
        Worker worker =
            queue
                .worker(
                    job -> {
                      if (runs.incrementAndGet() > 1) {
                        return Outcome.done();
                      }
                      new CountDownLatch(1).await();
                      return Outcome.done();
                    })
                .timeLimit(Duration.ofMillis(100))
                .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().retried()).isEqualTo(1);
      assertThat(worker.counts().stuck()).isZero();
      assertThat(log.warnings()).as("no surprise").isEmpty();
    }
    assertThat(queue.table.get(1).error()).isEqualTo("time limit of 0.1s exceeded");
    assertThat(timedOut).containsExactly(false);
  }

  @Test
  void c124_aHandlerThatIgnoresInterruptsIsReplacedAndItsOutcomeIgnored() throws Exception {
    FakeQueue queue = FakeQueue.full().insert(12);
    queue.listeners.add(listener);
    CountDownLatch never = new CountDownLatch(1);
    Set<Long> hung = ConcurrentHashMap.newKeySet();
    AtomicInteger returned = new AtomicInteger();
    Worker worker =
        queue
            .worker(
                job -> {
                  long id = (Long) job.get("id");
                  if (id <= 2 && hung.add(id)) {
                    StopTest.hang(never);
                    returned.incrementAndGet();
                    return Outcome.done("result", "late");
                  }
                  return Outcome.done("result", "in time");
                })
            .threads(2)
            .timeLimit(Duration.ofMillis(150))
            .start();
    assertThat(worker.awaitEmpty(LONG)).isTrue();
    assertThat(worker.counts().stuck()).isEqualTo(2);
    assertThat(worker.counts().completed()).isEqualTo(12);
    never.countDown();
    Wait.until("the stuck ones have returned", () -> returned.get() == 2);
    assertThat(worker.stop(LONG).unfinished()).isEmpty();
    assertThat(queue.table.all()).allMatch(row -> "in time".equals(row.result()));
    assertThat(timedOut).containsExactlyInAnyOrder(false, false, true, true);
  }

  @Test
  void c125_aHungHandlersLeaseIsNotExtendedSoThatOthersGetItsRow() throws Exception {
    FakeQueue queue = FakeQueue.full(Duration.ofMillis(300)).insert(1);
    CountDownLatch never = new CountDownLatch(1);
    AtomicInteger runs = new AtomicInteger();
    AtomicReference<Long> token = new AtomicReference<>();
    queue.before =
        operation -> {
          // The failure cannot be written: only the end of the lease can free the row.
          if (operation.equals("apply") && runs.get() == 1) {
            throw FakeQueue.fault(dev.rowlock.Fault.LOCK_TIMEOUT);
          }
        };
    try (Worker worker =
        queue
            .worker(
                job -> {
                  if (runs.incrementAndGet() == 1) {
                    StopTest.hang(never);
                  }
                  token.set(queue.table.get(1).token());
                  return Outcome.done();
                })
            .timeLimit(Duration.ofMillis(200))
            .start()) {
      Wait.until("it is done", () -> queue.table.count("done") == 1);
      assertThat(worker.counts().recovered()).isEqualTo(1);
    }
    assertThat(token.get()).isEqualTo(2L);
    never.countDown();
  }

  @Test
  void transactionalMode_aStuckHandlersConnectionIsCutOffAndItsRowWaits() throws Exception {
    FakeQueue queue =
        new FakeQueue(
                FakeQueue.all().build(),
                Mode.TRANSACTIONAL,
                LONG,
                FakeQueue.noDelay(3).withBackoff(Duration.ofMillis(300), Duration.ofMillis(300)))
            .insert(5);
    CountDownLatch never = new CountDownLatch(1);
    AtomicInteger runs = new AtomicInteger();
    try (Worker worker =
        queue
            .worker(
                job -> {
                  if (job.get("id").equals(1L) && runs.incrementAndGet() == 1) {
                    StopTest.hang(never);
                  }
                  return Outcome.done();
                })
            .threads(2)
            .timeLimit(Duration.ofMillis(100))
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().stuck()).isEqualTo(1);
      assertThat(worker.counts().completed()).isEqualTo(5);
      never.countDown();
    }
    Wait.until("all connections are back", () -> queue.dataSource.open.get() == 0);
    assertThat(runs).hasValue(2);
  }

  @Test
  void aRowCompletedByItsHandlerIsNotFailedByTheLimit() throws Exception {
    FakeQueue queue =
        new FakeQueue(
                FakeQueue.bare().column(Role.TOKEN, "token").column(Role.LEASE_UNTIL, "l").build(),
                Mode.LEASE,
                LONG,
                FakeQueue.noDelay(3))
            .insert(1);
    try (Worker worker =
        queue
            .worker(
                job -> {
                  try (var connection = queue.dataSource.getConnection()) {
                    connection.setAutoCommit(false);
                    job.complete(connection);
                    connection.commit();
                  }
                  try {
                    new CountDownLatch(1).await();
                  } catch (InterruptedException e) {
                    // gives up, but has done its work
                  }
                  return Outcome.done();
                })
            .timeLimit(Duration.ofMillis(100))
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().completed()).isEqualTo(1);
    }
    assertThat(queue.table.get(1).error()).isNull();
  }
}
