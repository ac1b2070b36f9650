package dev.rowlock.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Change;
import dev.rowlock.Mode;
import dev.rowlock.Outcome;
import dev.rowlock.RetryPolicy;
import dev.rowlock.Role;
import dev.rowlock.Worker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Backoff where the table has no column for it. */
@Timeout(60)
class ParkingTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration FOREVER = Duration.ofHours(1);

  private static FakeQueue withoutRunAt(Duration lease, Duration backoff, int attempts) {
    return new FakeQueue(
        FakeQueue.bare()
            .column(Role.ATTEMPTS, "attempts")
            .column(Role.TOKEN, "token")
            .column(Role.LEASE_UNTIL, "locked_until")
            .column(Role.ERROR, "error")
            .build(),
        Mode.LEASE,
        lease,
        new RetryPolicy(attempts, backoff, 1, backoff, 0));
  }

  @Test
  void c013_failedRowsWaitInHandAndNewOnesGetTheirTurn() throws Exception {
    FakeQueue queue = withoutRunAt(Duration.ofMillis(300), FOREVER, 10).insert(50);
    try (Worker worker =
        queue
            .worker(
                job -> {
                  if ((Long) job.get("id") <= 30) {
                    throw new IllegalStateException("for now");
                  }
                  return Outcome.done();
                })
            .start()) {
      Wait.until("the good rows are done", () -> queue.table.count("done") == 20);
      Wait.until("the others are parked", () -> worker.inFlight() == 30);
      int seen = queue.extensions.get();
      Wait.until("parked rows are extended", () -> queue.extensions.get() > seen + 100);
      assertThat(worker.counts().claimed()).isEqualTo(50);
      assertThat(worker.counts().retried()).isZero();
      Worker.Report report = worker.stop(LONG);
      assertThat(report.counts().retried()).as("written at once at the end").isEqualTo(30);
      assertThat(report.unfinished()).isEmpty();
    }
    assertThat(queue.table.get(1).error()).contains("for now");
    assertThat(queue.table.count("ready")).isEqualTo(30);
  }

  @Test
  void aParkedRowIsWrittenWhenItsDelayIsOver() throws Exception {
    FakeQueue queue = withoutRunAt(LONG, Duration.ofMillis(150), 3).insert(1);
    Map<Integer, Long> starts = new ConcurrentHashMap<>();
    try (Worker worker =
        queue
            .worker(
                job -> {
                  starts.put(job.claim().attempt().getAsInt(), System.nanoTime());
                  throw new IllegalStateException();
                })
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().dead()).as("the last failure does not wait").isEqualTo(1);
    }
    assertThat(starts).hasSize(3);
    assertThat(starts.get(2) - starts.get(1)).isGreaterThanOrEqualTo(150_000_000L);
    assertThat(starts.get(3) - starts.get(2)).isGreaterThanOrEqualTo(150_000_000L);
  }

  @Test
  void theHandlersOwnDelayIsKept() throws Exception {
    FakeQueue queue = withoutRunAt(LONG, FOREVER, 3).insert(1);
    try (Worker worker =
        queue
            .worker(
                job ->
                    job.claim().attempt().getAsInt() == 1
                        ? Outcome.retry("soon", Duration.ofMillis(50))
                        : Outcome.done())
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
    }
  }

  @Test
  void noMoreThanAThousandAreParked() throws Exception {
    FakeQueue queue = withoutRunAt(Duration.ofMinutes(5), FOREVER, 1000).insert(1100);
    try (Worker worker =
        queue
            .worker(
                job -> {
                  throw new IllegalStateException();
                })
            .threads(4)
            .batch(100)
            .start()) {
      Wait.until("the oldest are let go", () -> worker.counts().retried() >= 100);
      assertThat(worker.inFlight()).isLessThanOrEqualTo(1000 + 104);
    }
    assertThat(queue.writes.stream().flatMap(java.util.List::stream))
        .allMatch(change -> change instanceof Change.Fail || change instanceof Change.Release);
  }

  @Test
  void whereNothingCountsAttemptsTheWorkerDoes() throws Exception {
    FakeQueue queue =
        new FakeQueue(
                FakeQueue.bare().column(Role.RUN_AT, "run_at").build(),
                Mode.LEASE,
                LONG,
                new RetryPolicy(5, Duration.ofMillis(20), 3, Duration.ofHours(1), 0))
            .insert(1);
    Map<Object, Integer> runs = new ConcurrentHashMap<>();
    try (Worker worker =
        queue
            .worker(
                job -> {
                  if (runs.merge(job.get("id"), 1, Integer::sum) < 4) {
                    throw new IllegalStateException();
                  }
                  return Outcome.done();
                })
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
    }
    assertThat(
            queue.writes.stream()
                .flatMap(java.util.List::stream)
                .filter(Change.Fail.class::isInstance)
                .map(change -> ((Change.Fail) change).delay().orElseThrow().toMillis()))
        .containsExactly(20L, 60L, 180L);
  }
}
