package dev.rowlock.conformance;

import static dev.rowlock.conformance.kit.TestTable.ids;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.Listener;
import dev.rowlock.Outcome;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.RowState;
import dev.rowlock.Worker;
import dev.rowlock.conformance.kit.Faults;
import dev.rowlock.conformance.kit.Op;
import dev.rowlock.conformance.kit.Tap;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.Threads;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One writer at a time: what happens instead of passing locked rows over. */
interface SqliteLocks extends Suite {

  private OpenTransaction writer(TestTable t) {
    return open().run("update %s set last_error = 'x' where %s".formatted(t.name(), t.is(1)));
  }

  /** Whatever runs has to wait for the writer, and is done when that has ended. */
  private <T> T waitsFor(OpenTransaction writer, java.util.concurrent.Callable<T> work)
      throws Exception {
    Future<T> running = Threads.start(work);
    assertThatThrownBy(() -> running.get(700, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    writer.rollback();
    return Threads.get(running);
  }

  @Test
  default void p04_sqlite_aClaimWaitsForTheWriterAndThenTakesTheRowsInOrder() throws Exception {
    TestTable t = table("jobs").full().create().rows(1, 3);
    assertThat(keys(waitsFor(writer(t), () -> t.queue().claim(2)))).containsExactly(1L, 2L);
  }

  @Test
  default void p04_sqlite_recoveryAndExtensionWaitForTheWriterToo() throws Exception {
    TestTable t = table("jobs").full().create().rows(1, 2);
    List<Claim> claims = t.queue().claim(2);
    Applied extended =
        waitsFor(
            writer(t),
            () -> t.queue().apply(new Change.Extend(claims.get(0), Duration.ofHours(1))));
    assertThat(extended.status()).isEqualTo(Applied.Status.EXTENDED);
    t.expireAll();
    assertThat(waitsFor(writer(t), () -> t.queue().recover(5)).ready()).hasSize(2);
  }

  @Test
  default void p04_sqlite_aWriterThatStaysIsALockTimeoutAndNeverAnEmptyQueue() {
    TestTable t = table("jobs").full().lease(Duration.ofSeconds(3)).create().rows(1, 3);
    List<Fault> retried = new CopyOnWriteArrayList<>();
    Queue queue =
        t.queue(
            q ->
                q.listener(
                    new Listener() {
                      @Override
                      public void retried(String name, String operation, Fault fault, int attempt) {
                        retried.add(fault);
                      }
                    }));
    OpenTransaction writer = writer(t);
    assertThatThrownBy(() -> queue.claim(1))
        .isInstanceOfSatisfying(
            DatabaseException.class, e -> assertThat(e.fault()).isEqualTo(Fault.LOCK_TIMEOUT));
    assertThat(retried).hasSize(7).containsOnly(Fault.LOCK_TIMEOUT);
    assertThat(queue.stats().count(RowState.READY)).as("counting needs no lock").isEqualTo(3);
    assertThat(queue.drained()).isFalse();
    writer.rollback();
    assertThat(keys(queue.claim(1))).containsExactly(1L);
  }

  @Test
  default void p08_c012_sqlite_aWorkerOutlastsAWriter() throws InterruptedException {
    TestTable t = table("jobs").full().create().rows(1, 3);
    CountDownLatch working = new CountDownLatch(1);
    CountDownLatch locked = new CountDownLatch(1);
    Worker worker =
        bench()
            .closing(
                t.queue()
                    .worker(
                        job -> {
                          working.countDown();
                          locked.await();
                          return Outcome.done();
                        })
                    .threads(1)
                    .start());
    assertThat(working.await(20, TimeUnit.SECONDS)).isTrue();
    OpenTransaction writer = writer(t);
    locked.countDown();
    assertThat(worker.awaitEmpty(Duration.ofMillis(700))).as("all are left").isFalse();
    writer.rollback();
    assertThat(worker.awaitEmpty(Duration.ofSeconds(60))).isTrue();
    assertThat(t.count("state", "done")).isEqualTo(3);
  }

  @Test
  default void p10_sqlite_whatACallerEnqueuesIsSeenWhenItHasCommitted() throws Exception {
    TestTable t = table("jobs").full().create().rows(1, 1);
    OpenTransaction caller = open();
    t.queue().enqueue(caller.connection(), List.of(java.util.Map.of("id", 2)));
    assertThat(t.queue().stats().count(RowState.READY)).isEqualTo(1);
    Future<List<Claim>> claiming = Threads.start(() -> t.queue().claim(5));
    assertThatThrownBy(() -> claiming.get(300, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    caller.commit();
    assertThat(keys(Threads.get(claiming))).containsExactly(1L, 2L);
  }

  @Test
  default void transactional_sqlite_anOpenClaimHoldsOthersBackAndACrashGivesItBack()
      throws Exception {
    TestTable t =
        table("outbox")
            .key("id")
            .with(Role.DONE_AT, "processed_at", db().timestampType())
            .transactional()
            .create()
            .rows(1, 3);
    OpenTransaction one = open();
    OpenTransaction two = open();
    assertThat(keys(t.queue().claim(one.connection(), 1))).containsExactly(1L);
    Future<List<Claim>> second = Threads.start(() -> t.queue().claim(two.connection(), 5));
    assertThatThrownBy(() -> second.get(300, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    one.close();
    assertThat(keys(Threads.get(second))).containsExactly(1L, 2L, 3L);
  }

  /** The others find the lock held for longer than they wait for it; nobody is told of that. */
  @Test
  default void transactional_sqlite_workersTakeTurnsAndReportNoFailure() {
    TestTable t =
        table("outbox")
            .key("id")
            .with(Role.DONE_AT, "processed_at", db().timestampType())
            .transactional()
            .lease(Duration.ofSeconds(3))
            .create()
            .rows(1, 4);
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<Throwable> failures = new CopyOnWriteArrayList<>();
    Faults watch = new Faults();
    Queue queue =
        t.queue(
            bench().pool(watch),
            q ->
                q.listener(
                    new Listener() {
                      @Override
                      public void failed(
                          String name, String operation, RuntimeException e, int count) {
                        failures.add(e);
                      }
                    }));
    Worker worker =
        bench()
            .closing(
                queue
                    .worker(
                        job -> {
                          most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                          started.countDown();
                          goOn.await(30, TimeUnit.SECONDS);
                          inside.decrementAndGet();
                          return Outcome.done();
                        })
                    .threads(3)
                    .start());
    Threads.until("a handler holds the lock", () -> started.getCount() == 0);
    long before = watch.count(Tap.Kind.CLOSE);
    Threads.until("the others have given up", () -> watch.count(Tap.Kind.CLOSE) >= before + 2);
    goOn.countDown();
    Threads.until("all are done", () -> t.count("processed_at", null) == 0);
    worker.close();
    assertThat(most.get()).as("handlers at once").isEqualTo(1);
    assertThat(failures).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Op.class)
  default void p09_sqlite_everyOwnTransactionBeginsWithAStatementThatWrites(Op op) {
    TestTable t = table("jobs").full().create();
    Faults watch = new Faults();
    Queue queue = t.queue(bench().pool(watch));
    Claim claim = op.prepare(t);
    watch.clear();
    op.run(queue, claim);
    assertThat(firstSql(watch)).doesNotStartWith("select").isNotEmpty();
  }

  private static String firstSql(Faults watch) {
    return watch.calls().stream()
        .filter(c -> c.kind() == Tap.Kind.EXECUTE)
        .map(c -> c.sql().toLowerCase(Locale.ROOT))
        .findFirst()
        .orElse("");
  }

  @Test
  default void p09_sqlite_aTransactionalClaimTakesTheLockBeforeItReads() throws SQLException {
    TestTable t = table("outbox").key("id").with(Role.DONE_AT).transactional().create().rows(1, 1);
    Faults watch = new Faults();
    try (Connection connection =
        dev.rowlock.conformance.kit.Tapped.of(bench().schema().dataSource(), watch)
            .getConnection()) {
      connection.setAutoCommit(false);
      assertThat(t.queue().claim(connection, 1)).hasSize(1);
      connection.rollback();
    }
    assertThat(firstSql(watch)).startsWith("update");
  }

  @Test
  default void p09_sqlite_aCallerWhoReadBeforeOthersWroteIsToldAndNotRetried() throws SQLException {
    TestTable t = table("jobs").full().create().rows(1, 2);
    try (Connection caller = bench().schema().dataSource().getConnection();
        Statement statement = caller.createStatement()) {
      caller.setAutoCommit(false);
      statement.executeQuery("select count(*) from " + t.name()).close();
      t.set(2, "last_error", "somebody else");
      assertThatThrownBy(() -> t.queue().claim(caller, 1))
          .isInstanceOfSatisfying(
              DatabaseException.class, e -> assertThat(e.fault()).isEqualTo(Fault.SERIALIZATION));
      caller.rollback();
      assertThat(t.queue().claim(caller, 1)).hasSize(1);
      caller.rollback();
    }
  }

  private DataSource connecting(String parameters) {
    String file =
        bench().schema().value("select file from pragma_database_list limit 1").toString();
    return bench()
        .pool(
            new dev.rowlock.conformance.kit.UrlDataSource(
                "jdbc:sqlite:" + file + "?" + parameters, new java.util.Properties()),
            (HikariConfig config) -> {});
  }

  /** What others set up must not matter: the kind of BEGIN, and that nobody waits. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "transaction_mode=IMMEDIATE",
        "transaction_mode=EXCLUSIVE",
        "transaction_mode=DEFERRED&busy_timeout=0",
        "busy_timeout=0&journal_mode=DELETE"
      })
  default void p09_c121_sqlite_anyPoolDoesEveryRowOnce(String parameters) {
    TestTable t = table("jobs").full().create().rows(1, 120);
    DataSource pool = connecting(parameters);
    List<List<Object>> taken =
        Threads.race(
            4,
            n -> {
              Queue queue = t.queue(pool, q -> q.workerName("w" + n));
              List<Object> mine = new ArrayList<>();
              for (List<Claim> c = queue.claim(3); !c.isEmpty(); c = queue.claim(3)) {
                mine.addAll(keys(c));
                assertThat(queue.apply(c.stream().map(Change.Complete::new).toList()))
                    .noneMatch(Applied::lost);
              }
              return mine;
            });
    assertThat(taken.stream().flatMap(List::stream).toList())
        .containsExactlyInAnyOrderElementsOf(ids(1, 120));
    assertThat(t.count("state", "done")).isEqualTo(120);
  }

  @Test
  default void p14_sqlite_verifySaysThatThereIsOneWriter() {
    TestTable t = table("jobs").full().create().rows(1, 2);
    assertThat(t.queue().verify().safe()).isTrue();
    assertThat(t.queue().verify().findings().toString())
        .contains("session 2 had to wait", "one transaction at a time can write");
  }
}
