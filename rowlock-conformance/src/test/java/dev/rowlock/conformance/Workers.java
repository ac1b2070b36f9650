package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Claim;
import dev.rowlock.Handler;
import dev.rowlock.Listener;
import dev.rowlock.Outcome;
import dev.rowlock.Queue;
import dev.rowlock.RetryPolicy;
import dev.rowlock.Role;
import dev.rowlock.Worker;
import dev.rowlock.WorkerOptions;
import dev.rowlock.conformance.kit.LogWatch;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.Threads;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Workers on a real database, in lease mode. */
interface Workers extends Suite {

  /** A worker that polls and recovers often. */
  default WorkerOptions worker(Queue queue, Handler handler) {
    return queue
        .worker(handler)
        .threads(4)
        .poll(Duration.ofMillis(5), Duration.ofMillis(50))
        .recoverEvery(Duration.ofMillis(100))
        .maxBackoff(Duration.ofMillis(100))
        .grace(Duration.ofSeconds(5));
  }

  /** Starts it and stops it when the test ends. */
  default Worker running(WorkerOptions options) {
    return bench().closing(options.start());
  }

  /** Waits until nothing is left, which must happen. */
  default void drained(Worker worker) {
    try {
      assertThat(worker.awaitEmpty(Duration.ofSeconds(60)))
          .as("drained; %s", worker.counts())
          .isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  default void p01_twoWorkersDoEveryRowOnce() {
    TestTable t =
        table("films")
            .full()
            .read("title", db().textType())
            .write("rendered_title", db().textType())
            .create();
    List<String> titles = Samples.titles();
    List<Map<String, Object>> rows = new java.util.ArrayList<>();
    for (int i = 0; i < titles.size(); i++) {
      rows.add(Map.of("id", i + 1, "title", titles.get(i)));
    }
    t.queue().enqueue(rows);
    Map<Object, Integer> effects = new ConcurrentHashMap<>();
    Handler handler =
        job -> {
          effects.merge(job.get("id"), 1, Integer::sum);
          return Outcome.done("rendered_title", job.text("title").toUpperCase(Locale.ROOT));
        };
    Worker one = running(worker(t.queue(q -> q.workerName("one")), handler).batch(10));
    Worker two = running(worker(t.queue(q -> q.workerName("two")), handler).batch(3));
    drained(one);
    drained(two);
    assertThat(effects)
        .hasSize(titles.size())
        .allSatisfy((id, count) -> assertThat(count).isEqualTo(1));
    assertThat(t.states()).isEqualTo(Map.of("done", (long) titles.size()));
    for (int i = 0; i < titles.size(); i += 37) {
      assertThat(t.get(i + 1, "rendered_title")).isEqualTo(titles.get(i).toUpperCase(Locale.ROOT));
    }
    assertThat(one.counts().completed() + two.counts().completed()).isEqualTo(titles.size());
    assertThat(one.counts().lost() + two.counts().lost()).isZero();
  }

  @Test
  default void p08_c012_aLockedRowIsNotAnEmptyQueue() throws InterruptedException {
    needs(Facility.ROW_LOCKS);
    TestTable t = table("jobs").full().create().rows(1, 3);
    OpenTransaction other = open().run(db().lockRows(t.name(), t.is(2)));
    Worker worker = running(worker(t.queue(), job -> Outcome.done()));
    Threads.until("the free rows are done", () -> t.count("state", "done") == 2);
    assertThat(worker.awaitEmpty(Duration.ofMillis(300))).as("one is left").isFalse();
    other.rollback();
    drained(worker);
    assertThat(t.count("state", "done")).isEqualTo(3);
  }

  @Test
  default void p11_everyOutcomeArrives() {
    TestTable t = table("jobs").full().create().rows(1, 5);
    Worker worker =
        running(
            worker(
                t.queue(),
                job ->
                    switch (job.text("id")) {
                      case "1" -> Outcome.done();
                      case "2" -> Outcome.retry("again", Duration.ofHours(1));
                      case "3" -> Outcome.snooze(Duration.ofHours(1));
                      case "4" -> Outcome.dead("never");
                      default -> null;
                    }));
    Threads.until("all have run", () -> worker.counts().claimed() == 5 && worker.inFlight() == 0);
    Threads.until("all are written", () -> t.count("state", "processing") == 0);
    assertThat(List.of(t.state(1), t.state(2), t.state(3), t.state(4), t.state(5)))
        .containsExactly("done", "ready", "ready", "dead", "ready");
    assertThat(t.get(2, "last_error")).isEqualTo("again");
    assertThat(t.number(2, "attempts")).isEqualTo(1);
    assertThat(t.number(3, "attempts")).as("a snooze costs none").isZero();
    assertThat(t.number(5, "attempts")).as("no outcome is a failure").isEqualTo(1);
  }

  @Test
  default void p11_c123_whateverAHandlerThrowsIsAFailureOfThatRow() {
    TestTable t =
        table("jobs").full().retry(RetryPolicy.defaults().withMaxAttempts(1)).create().rows(1, 40);
    Worker worker =
        running(
            worker(
                t.queue(),
                job -> {
                  switch ((int) ((Long) job.get("id") % 8)) {
                    case 0 -> throw new StackOverflowError();
                    case 1 -> throw new OutOfMemoryError("injected");
                    case 2 -> throw new ExceptionInInitializerError("injected");
                    case 3 -> throw new InterruptedException("injected");
                    case 4 -> throw new java.io.IOException("a\0b");
                    case 5 -> throw new AssertionError(new RuntimeException((String) null));
                    case 6 -> throw new NoClassDefFoundError("injected");
                    default -> {
                      return Outcome.done();
                    }
                  }
                }));
    drained(worker);
    assertThat(t.states()).isEqualTo(Map.of("dead", 35L, "done", 5L));
    assertThat(t.get(8, "last_error").toString()).contains("StackOverflowError");
    assertThat(t.get(4, "last_error").toString()).contains("a\uFFFDb");
    assertThat(worker.health()).isEqualTo(Worker.Health.UP);
    t.rows(111, 111);
    t.queue().wake();
    drained(worker);
    assertThat(t.state(111)).as("it goes on").isEqualTo("done");
  }

  @Test
  default void p11_aHandlerOverItsTimeIsInterruptedAndFails() {
    TestTable t =
        table("jobs").full().retry(RetryPolicy.defaults().withMaxAttempts(1)).create().rows(1, 6);
    AtomicBoolean told = new AtomicBoolean();
    Worker worker =
        running(
            worker(
                    t.queue(),
                    job -> {
                      if ((Long) job.get("id") == 1) {
                        try {
                          new CountDownLatch(1).await();
                        } finally {
                          told.set(job.cancelled());
                        }
                      }
                      return Outcome.done();
                    })
                .threads(2)
                .timeLimit(Duration.ofMillis(300)));
    drained(worker);
    assertThat(t.state(1)).isEqualTo("dead");
    assertThat(t.count("state", "done")).isEqualTo(5);
    assertThat(told).isTrue();
  }

  @Test
  default void p05_c139_aLostLeaseIsToldToTheHandlerAndItsOutcomeRefused() {
    TestTable t = table("jobs").full().lease(Duration.ofMillis(900)).create().rows(1, 1);
    CountDownLatch started = new CountDownLatch(1);
    AtomicBoolean cancelled = new AtomicBoolean();
    AtomicInteger lost = new AtomicInteger();
    Queue queue =
        t.queue(
            q ->
                q.listener(
                    new Listener() {
                      @Override
                      public void leaseLost(String queue, Claim claim) {
                        lost.incrementAndGet();
                      }
                    }));
    Worker worker =
        running(
            worker(
                    queue,
                    job -> {
                      started.countDown();
                      try {
                        new CountDownLatch(1).await();
                      } catch (InterruptedException e) {
                        cancelled.set(job.cancelled());
                      }
                      return Outcome.done();
                    })
                .recoverEvery(Duration.ofHours(1)));
    Threads.until("it works on it", () -> started.getCount() == 0);
    // Somebody else holds it now.
    t.sql(
        "update %s set %s = 99, %s = %s",
        t.name(), db().quote("claim_no"), db().quote("lease_until"), db().nowPlus(3_600_000));
    Threads.until("the handler is told", cancelled::get);
    Threads.until("it is over", () -> worker.inFlight() == 0);
    Threads.until("listeners are told", () -> lost.get() > 0);
    assertThat(t.state(1)).as("the other one's").isEqualTo("processing");
    assertThat(worker.counts().completed()).isZero();
  }

  @Test
  default void p01_leasesAreExtendedWhileHandlersWork() {
    TestTable t = table("jobs").full().lease(Duration.ofMillis(600)).create().rows(1, 2);
    CountDownLatch finish = new CountDownLatch(1);
    AtomicInteger extended = new AtomicInteger();
    Queue queue =
        t.queue(
            q ->
                q.listener(
                    new Listener() {
                      @Override
                      public void extended(String queue, int rows, int lost) {
                        extended.addAndGet(rows);
                      }
                    }));
    Worker worker =
        running(
            worker(
                queue,
                job -> {
                  finish.await();
                  return Outcome.done();
                }));
    Threads.until("leases were extended many times", () -> extended.get() >= 12);
    assertThat(t.queue(q -> q.workerName("other")).claim(5)).isEmpty();
    finish.countDown();
    drained(worker);
    assertThat(t.count("attempts", 1)).isEqualTo(2);
    assertThat(worker.counts().lost()).isZero();
  }

  @Test
  default void p12_c132_rowsOfADeadWorkerAreFinishedByAnother() {
    TestTable t = table("jobs").full().create().rows(1, 12);
    // A process that claimed five and was killed.
    assertThat(t.queue(q -> q.workerName("killed")).claim(5)).hasSize(5);
    t.expireAll();
    Worker worker = running(worker(t.queue(), job -> Outcome.done()));
    drained(worker);
    assertThat(t.count("state", "done")).isEqualTo(12);
    assertThat(t.count("attempts", 2)).isEqualTo(5);
    assertThat(worker.counts().recovered()).isEqualTo(5);
  }

  @Test
  default void p12_c131_aRowThatKillsEveryWorkerIsADeadLetterInTheEnd() {
    TestTable t =
        table("jobs").full().retry(RetryPolicy.defaults().withMaxAttempts(3)).create().rows(1, 10);
    for (int death = 1; death <= 3; death++) {
      // Each dies with the first row in its hands.
      assertThat(keys(t.queue(q -> q.workerName("dies")).claim(1))).containsExactly(1L);
      t.expireAll();
      if (death < 3) {
        assertThat(t.queue().recover(5).ready()).hasSize(1);
      }
    }
    Worker worker = running(worker(t.queue(), job -> Outcome.done()));
    drained(worker);
    assertThat(t.states()).isEqualTo(Map.of("dead", 1L, "done", 9L));
    assertThat(t.get(1, "last_error").toString()).contains("lease expired");
  }

  @Test
  default void p06_workersListStuckRowsAndNeverTouchThem() throws InterruptedException {
    TestTable t =
        table("jobs")
            .key("id")
            .state(dev.rowlock.State.of("state", "ready", "processing", "done"))
            .create()
            .rows(1, 6);
    t.queue().claim(2);
    Worker worker = running(worker(t.queue(), job -> Outcome.done()));
    assertThat(worker.awaitEmpty(Duration.ofSeconds(20))).isTrue();
    assertThat(t.states()).isEqualTo(Map.of("processing", 2L, "done", 4L));
  }

  @Test
  default void p05_c145_shortJobsUnderFastHeartbeatsWarnNobody() {
    TestTable t = table("jobs").full().lease(Duration.ofMillis(60)).create().rows(1, 300);
    try (LogWatch log = new LogWatch()) {
      Worker worker =
          running(
              worker(
                      t.queue(),
                      job -> {
                        new CountDownLatch(1).await(3, java.util.concurrent.TimeUnit.MILLISECONDS);
                        return Outcome.done();
                      })
                  .batch(4)
                  .recoverEvery(Duration.ofHours(1)));
      drained(worker);
      assertThat(t.count("state", "done")).isEqualTo(300);
      assertThat(log.warnings()).isEmpty();
    }
  }

  @Test
  default void p08_c077_anEnqueuedRowWakesTheWorkersOfItsQueue() {
    TestTable t = table("jobs").full().create();
    Queue queue = t.queue();
    Worker worker =
        running(
            worker(queue, job -> Outcome.done())
                .poll(Duration.ofSeconds(100), Duration.ofSeconds(100)));
    Threads.until("it has looked once", () -> worker.health() == Worker.Health.UP);
    queue.enqueue(List.of(Map.of("id", 1)));
    Threads.until(
        "done long before the next poll",
        Duration.ofSeconds(20),
        () -> t.count("state", "done") == 1);
    committed(c -> queue.enqueue(c, List.of(Map.of("id", 2))));
    rolledBack(c -> queue.enqueue(c, List.of(Map.of("id", 3))));
    queue.wake();
    Threads.until(
        "also after the caller's commit",
        Duration.ofSeconds(20),
        () -> t.count("state", "done") == 2);
    t.rows(4, 4);
    queue.wake();
    Threads.until("also when told", Duration.ofSeconds(20), () -> t.count("state", "done") == 3);
    assertThat(worker.counts().claimed()).isEqualTo(3);
  }

  @Test
  default void p03_groupsStayInOrderThroughFailures() {
    TestTable t = table("jobs").full().with(Role.GROUP).map(m -> m.order("id")).create();
    for (int id = 1; id <= 40; id++) {
      t.add("id", id, "grp", "g" + id % 4);
    }
    Map<Long, List<Long>> done = new ConcurrentHashMap<>();
    Worker worker =
        running(
            worker(
                t.queue(),
                job -> {
                  long id = (Long) job.get("id");
                  if (id % 5 == 0 && job.claim().attempt().getAsInt() == 1) {
                    return Outcome.retry("once", Duration.ofMillis(20));
                  }
                  done.computeIfAbsent(
                          id % 4, g -> new java.util.concurrent.CopyOnWriteArrayList<>())
                      .add(id);
                  return Outcome.done();
                }));
    drained(worker);
    assertThat(done).hasSize(4);
    done.forEach((group, ids) -> assertThat(ids).as("group %s", group).hasSize(10).isSorted());
  }
}
