package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Fault;
import dev.rowlock.Outcome;
import dev.rowlock.Queue;
import dev.rowlock.RetryPolicy;
import dev.rowlock.Worker;
import dev.rowlock.conformance.kit.Faults;
import dev.rowlock.conformance.kit.Tap;
import dev.rowlock.conformance.kit.Tap.Kind;
import dev.rowlock.conformance.kit.TestTable;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** P9, P15 for workers: whatever the database throws, they go on, and every row ends well. */
interface WorkerFaults extends Workers {

  /** A claim whose answer is lost has used an attempt; faults that come in step take many. */
  RetryPolicy PATIENT = RetryPolicy.defaults().withMaxAttempts(1000);

  /** Fails every n-th call of a kind, before or after it was carried out. */
  final class EveryNth implements Tap {
    private final Kind kind;
    private final int n;
    private final boolean afterwards;
    private final Supplier<SQLException> thrown;
    private final AtomicInteger calls = new AtomicInteger();
    final AtomicInteger struck = new AtomicInteger();
    final AtomicBoolean on = new AtomicBoolean();

    EveryNth(Kind kind, int n, boolean afterwards, Supplier<SQLException> thrown) {
      this.kind = kind;
      this.n = n;
      this.afterwards = afterwards;
      this.thrown = thrown;
    }

    private void strike(Call call) throws SQLException {
      if (on.get() && call.kind() == kind && calls.incrementAndGet() % n == 0) {
        struck.incrementAndGet();
        throw thrown.get();
      }
    }

    @Override
    public void before(Call call) throws SQLException {
      if (!afterwards) {
        strike(call);
      }
    }

    @Override
    public void after(Call call) throws SQLException {
      if (afterwards) {
        strike(call);
      }
    }
  }

  private Map<Object, Integer> drain(EveryNth faults, Duration lease) {
    TestTable t = table("jobs").full().retry(PATIENT).lease(lease).create().rows(1, 120);
    Queue queue = t.queue(bench().pool(config -> {}, faults));
    Map<Object, Integer> starts = new ConcurrentHashMap<>();
    faults.on.set(true);
    Worker worker =
        running(
            worker(
                    queue,
                    job -> {
                      starts.merge(job.get("id"), 1, Integer::sum);
                      return Outcome.done();
                    })
                // A claim has fewer statements than there are between two faults.
                .batch(1));
    drained(worker);
    faults.on.set(false);
    assertThat(t.states()).isEqualTo(Map.of("done", 120L));
    assertThat(faults.struck.get()).as("faults that struck").isPositive();
    assertThat(starts).hasSize(120);
    worker.close();
    t.sql("drop table %s", t.name()); // for the next kind of fault
    return starts;
  }

  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {"DEADLOCK", "LOCK_TIMEOUT", "SERIALIZATION"})
  default void p09_c100_passingFailuresEverywhereCostNothing(Fault fault) {
    if (fault == Fault.DEADLOCK) {
      needs(Facility.DEADLOCKS);
    }
    Map<Object, Integer> starts =
        drain(
            new EveryNth(Kind.EXECUTE, 7, false, db().thrown(fault).get(0)), Duration.ofMinutes(5));
    assertThat(starts.values()).as("each row was started once").containsOnly(1);
  }

  @Test
  default void p09_c105_aRefusedCommitStartsNoHandler() {
    // Where a claim commits by itself there is no commit to refuse; the statement stands for it.
    TestTable probe = table("probe").full().create().rows(1, 1);
    Faults calls = new Faults();
    Queue queue = probe.queue(bench().pool(calls));
    calls.clear();
    queue.claim(1);
    Kind kind = calls.count(Kind.COMMIT) > 0 ? Kind.COMMIT : Kind.EXECUTE;
    Map<Object, Integer> starts =
        drain(
            new EveryNth(kind, 3, false, db().thrown(Fault.SERIALIZATION).get(0)),
            Duration.ofMinutes(5));
    assertThat(starts.values()).containsOnly(1);
  }

  @Test
  default void p09_brokenConnectionsAreSurvived() {
    drain(
        new EveryNth(Kind.EXECUTE, 13, false, db().thrown(Fault.CONNECTION).get(0)),
        Duration.ofMillis(800));
  }

  @Test
  default void p15_lostRepliesAreSurvived() {
    drain(
        new EveryNth(Kind.EXECUTE, 13, true, db().thrown(Fault.CONNECTION).get(0)),
        Duration.ofMillis(800));
  }

  @Test
  default void p15_lostRepliesOfCommitsAreSurvived() {
    TestTable t =
        table("jobs2").full().retry(PATIENT).lease(Duration.ofMillis(800)).create().rows(1, 60);
    EveryNth faults = new EveryNth(Kind.COMMIT, 4, true, db().thrown(Fault.CONNECTION).get(0));
    Queue queue = t.queue(bench().pool(config -> {}, faults));
    faults.on.set(true);
    Worker worker = running(worker(queue, job -> Outcome.done()).batch(5));
    drained(worker);
    faults.on.set(false);
    assertThat(t.states()).isEqualTo(Map.of("done", 60L));
  }

  @Test
  default void p09_aPoolThatIsUsedUpByHandlersDoesNotStopLeases() {
    TestTable t = table("jobs").full().lease(Duration.ofMillis(900)).create().rows(1, 4);
    var pool =
        bench()
            .pool(
                config -> {
                  config.setMaximumPoolSize(3);
                  config.setConnectionTimeout(10_000);
                });
    Queue queue = t.queue(pool);
    java.util.concurrent.CountDownLatch extendedOften = new java.util.concurrent.CountDownLatch(1);
    AtomicInteger beats = new AtomicInteger();
    Queue observed =
        t.queue(
            pool,
            q ->
                q.listener(
                    new dev.rowlock.Listener() {
                      @Override
                      public void extended(String name, int extended, int lost) {
                        if (beats.addAndGet(extended) > 12) {
                          extendedOften.countDown();
                        }
                      }
                    }));
    assertThat(queue.stats().left()).isEqualTo(4);
    Worker worker =
        running(
            worker(
                    observed,
                    job -> {
                      // Each handler holds a connection of the shared pool all the while.
                      try (var connection = pool.getConnection()) {
                        assertThat(connection.isClosed()).isFalse();
                        extendedOften.await();
                      }
                      return Outcome.done();
                    })
                .threads(2)
                .batch(2));
    drained(worker);
    assertThat(t.count("attempts", 1)).as("no lease was lost").isEqualTo(4);
  }
}
