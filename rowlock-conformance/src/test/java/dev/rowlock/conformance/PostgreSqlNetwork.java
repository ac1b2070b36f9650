package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Claim;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.Outcome;
import dev.rowlock.Queue;
import dev.rowlock.Worker;
import dev.rowlock.conformance.kit.TcpProxy;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.Threads;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** A network that freezes, breaks and comes back. */
interface PostgreSqlNetwork extends Suite {

  private DataSource through(TcpProxy proxy) {
    PGSimpleDataSource source =
        ((PostgresDatabase) db()).through(proxy.port(), bench().schema().name());
    source.setConnectTimeout(2);
    // The driver's own wait for an answer to a cancel request; 10 s by default, for leases above 15
    // s.
    source.setCancelSignalTimeout(1);
    return bench()
        .unwatchedPool(
            source,
            config -> {
              config.setMaximumPoolSize(8);
              config.setConnectionTimeout(2000);
              config.setValidationTimeout(1000);
            });
  }

  private TcpProxy proxy() {
    needs(Facility.PROXY);
    return bench().closing(new TcpProxy(((PostgresDatabase) db()).address()));
  }

  @Test
  default void p09_c066_aFrozenConnectionIsGivenUpWithinTheLease() {
    TcpProxy proxy = proxy();
    TestTable t = table("jobs").full().lease(Duration.ofSeconds(4)).create().rows(1, 2);
    Queue queue = t.queue(through(proxy));
    Claim claim = claim(queue);
    proxy.freeze();
    long start = System.nanoTime();
    assertThatThrownBy(() -> queue.complete(claim))
        .isInstanceOfSatisfying(
            DatabaseException.class,
            e -> assertThat(e.fault()).isIn(Fault.CONNECTION, Fault.TIMEOUT));
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
    proxy.thaw();
    Threads.until("it works again", () -> works(queue));
    assertThat(t.state(1))
        .as("the frozen write arrived, or did not; never half")
        .isIn("done", "processing");
  }

  private static boolean works(Queue queue) {
    try {
      return queue.claim(1).size() == 1;
    } catch (DatabaseException e) {
      return false;
    }
  }

  @Test
  default void p09_c067_aWorkerSurvivesARestartOfItsDatabase() throws InterruptedException {
    TcpProxy proxy = proxy();
    TestTable t = table("jobs").full().lease(Duration.ofSeconds(3)).create().rows(1, 200);
    Queue queue = t.queue(through(proxy));
    Map<Object, Integer> effects = new ConcurrentHashMap<>();
    CountDownLatch half = new CountDownLatch(60);
    Worker worker =
        bench()
            .closing(
                queue
                    .worker(
                        job -> {
                          effects.merge(job.get("id"), 1, Integer::sum);
                          half.countDown();
                          return Outcome.done();
                        })
                    .threads(3)
                    .batch(5)
                    .maxBackoff(Duration.ofMillis(200))
                    .recoverEvery(Duration.ofMillis(300))
                    .start());
    half.await();
    proxy.cut();
    Threads.until("the worker notices", () -> worker.health() == Worker.Health.DEGRADED);
    proxy.mend();
    Threads.until("every row is done", () -> t.count("state", "done") == 200);
    assertThat(effects).hasSize(200);
    assertThat(worker.awaitEmpty(Duration.ofSeconds(20))).isTrue();
    Threads.until("it is well again", () -> worker.health() == Worker.Health.UP);
    assertThat(t.count("attempts", 1)).isGreaterThan(100);
  }

  @Test
  default void p09_c066_aWorkerSurvivesAFrozenNetwork() {
    TcpProxy proxy = proxy();
    TestTable t = table("jobs").full().lease(Duration.ofSeconds(3)).create().rows(1, 60);
    Queue queue = t.queue(through(proxy));
    CountDownLatch some = new CountDownLatch(20);
    Worker worker =
        bench()
            .closing(
                queue
                    .worker(
                        job -> {
                          some.countDown();
                          return Outcome.done();
                        })
                    .threads(2)
                    .batch(2)
                    .maxBackoff(Duration.ofMillis(200))
                    .recoverEvery(Duration.ofMillis(300))
                    .start());
    try {
      some.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    proxy.freeze();
    Threads.until(
        "the worker notices",
        Duration.ofSeconds(15),
        () -> worker.health() == Worker.Health.DEGRADED);
    proxy.thaw();
    Threads.until("every row is done", () -> t.count("state", "done") == 60);
  }
}
