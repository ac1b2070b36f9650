package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Outcome;
import dev.rowlock.Worker;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.Threads;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** P12: a clean stop. */
interface WorkerStop extends Workers {

  @Test
  default void p12_startedRowsAreFinishedAndWaitingOnesGivenBack() {
    TestTable t = table("jobs").full().create().rows(1, 10);
    CountDownLatch started = new CountDownLatch(2);
    CountDownLatch finish = new CountDownLatch(1);
    Worker worker =
        running(
            worker(
                    t.queue(),
                    job -> {
                      started.countDown();
                      finish.await();
                      return Outcome.done();
                    })
                .threads(2)
                .batch(6));
    Threads.until("two have started", () -> started.getCount() == 0);
    Future<Worker.Report> stopping = Threads.start(() -> worker.stop(Duration.ofSeconds(20)));
    Threads.until("it takes no more", () -> worker.health() == Worker.Health.STOPPING);
    Threads.until("waiting rows are back", () -> t.count("state", "ready") == 8);
    assertThat(stopping.isDone()).isFalse();
    finish.countDown();
    Worker.Report report = Threads.get(stopping);
    assertThat(report.unfinished()).isEmpty();
    assertThat(t.count("state", "done")).isEqualTo(2);
    assertThat(t.count("attempts", 0)).as("a release costs no attempt").isEqualTo(8);
    assertThat(worker.health()).isEqualTo(Worker.Health.STOPPED);
    assertThat(worker.stop(Duration.ZERO)).as("stopping twice is harmless").isNotNull();
  }

  @Test
  default void p12_c126_aHungHandlerDoesNotHoldUpTheStop() {
    TestTable t = table("jobs").full().create().rows(1, 3);
    CountDownLatch started = new CountDownLatch(3);
    CountDownLatch never = new CountDownLatch(1);
    Worker worker =
        running(
            worker(
                    t.queue(),
                    job -> {
                      started.countDown();
                      if ((Long) job.get("id") == 2) {
                        boolean waiting = true;
                        while (waiting) {
                          try {
                            never.await();
                            waiting = false;
                          } catch (InterruptedException e) {
                            // It ignores everything.
                            continue;
                          }
                        }
                      }
                      return Outcome.done();
                    })
                .threads(3));
    Threads.until("all have started", () -> started.getCount() == 0);
    Threads.until("two are done", () -> t.count("state", "done") == 2);
    long start = System.nanoTime();
    Worker.Report report = worker.stop(Duration.ofMillis(500));
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(6));
    assertThat(report.unfinished()).containsExactly(t.queue().key("2"));
    assertThat(t.state(2)).isEqualTo("processing");
    never.countDown();
    t.expireAll();
    assertThat(t.queue().recover(5).ready()).as("its lease ends by itself").hasSize(1);
  }

  @Test
  default void p12_c129_aHandlerThatFailsDuringTheStopIsRecorded() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch fail = new CountDownLatch(1);
    Worker worker =
        running(
            worker(
                t.queue(),
                job -> {
                  started.countDown();
                  fail.await();
                  throw new IllegalStateException("while stopping");
                }));
    Threads.until("it has started", () -> started.getCount() == 0);
    Future<Worker.Report> stopping = Threads.start(() -> worker.stop(Duration.ofSeconds(20)));
    Threads.until("it is stopping", () -> worker.health() == Worker.Health.STOPPING);
    fail.countDown();
    Threads.get(stopping);
    assertThat(t.state(1)).isEqualTo("ready");
    assertThat(t.get(1, "last_error").toString()).contains("while stopping");
    assertThat(t.number(1, "attempts")).isEqualTo(1);
  }

  @Test
  default void p12_leasesAreExtendedWhileHandlersFinish() {
    TestTable t = table("jobs").full().lease(Duration.ofMillis(600)).create().rows(1, 1);
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    Worker worker =
        running(
            worker(
                t.queue(),
                job -> {
                  started.countDown();
                  finish.await();
                  return Outcome.done();
                }));
    Threads.until("it has started", () -> started.getCount() == 0);
    Future<Worker.Report> stopping = Threads.start(() -> worker.stop(Duration.ofSeconds(30)));
    Object before = t.get(1, "lease_until");
    String sql =
        "select count(*) from %s where %s > %s"
            .formatted(t.name(), db().quote("lease_until"), db().nowPlus(0));
    Threads.until("the lease end moves", () -> !t.get(1, "lease_until").equals(before));
    Object moved = t.get(1, "lease_until");
    Threads.until("and again", () -> !t.get(1, "lease_until").equals(moved));
    assertThat(bench().schema().value(sql)).isEqualTo(1L);
    assertThat(t.queue(q -> q.workerName("other")).recover(5).size()).isZero();
    finish.countDown();
    Threads.get(stopping);
    assertThat(t.state(1)).isEqualTo("done");
  }
}
