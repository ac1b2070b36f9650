package dev.rowlock.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Job;
import dev.rowlock.Mapping;
import dev.rowlock.Mode;
import dev.rowlock.Outcome;
import dev.rowlock.Queue;
import dev.rowlock.RetryPolicy;
import dev.rowlock.Role;
import dev.rowlock.Worker;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The worker on the real store, with the embedded database. */
@Timeout(60)
class RealDrainTest {
  private static final AtomicInteger NUMBERS = new AtomicInteger();
  private static final Duration LONG = Duration.ofSeconds(30);

  private JdbcConnectionPool pool;

  @BeforeEach
  void open() {
    pool = JdbcConnectionPool.create("jdbc:h2:mem:drain" + NUMBERS.incrementAndGet(), "sa", "");
    pool.setMaxConnections(16);
  }

  @AfterEach
  void close() throws Exception {
    assertThat(pool.getActiveConnections()).isZero();
    pool.dispose();
  }

  private void sql(String... statements) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private long number(String sql) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  private Mapping managed(int rows) throws SQLException {
    sql(
        "create table jobs (id bigint primary key, state varchar(20) default 'ready',"
            + " attempts int default 0, token bigint default 0, locked_until timestamp with time zone,"
            + " run_at timestamp with time zone, error varchar(200), dead_at timestamp with time zone,"
            + " result varchar(50))",
        "create table effects (id bigint)",
        "insert into jobs (id) select x from system_range(1, " + rows + ")");
    return Mapping.table("jobs")
        .key("id")
        .state("state", "ready", "processing", "done")
        .column(Role.ATTEMPTS, "attempts")
        .column(Role.TOKEN, "token")
        .column(Role.LEASE_UNTIL, "locked_until")
        .column(Role.RUN_AT, "run_at")
        .column(Role.ERROR, "error")
        .column(Role.DEAD_AT, "dead_at")
        .write("result")
        .build();
  }

  private static RetryPolicy quick() {
    return new RetryPolicy(3, Duration.ofMillis(10), 1, Duration.ofMillis(10), 0);
  }

  private static Outcome everyTenthFails(Job job) {
    if ((Long) job.get("id") % 10 == 0) {
      throw new IllegalStateException("no tens");
    }
    return Outcome.done("result", "r" + job.get("id"));
  }

  @Test
  void leaseModeDrains() throws Exception {
    Queue queue = Queue.builder("jobs", pool, managed(500)).retry(quick()).build();
    try (Worker worker = queue.worker(RealDrainTest::everyTenthFails).threads(4).start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().completed()).isEqualTo(450);
      assertThat(worker.counts().dead()).isEqualTo(50);
      assertThat(worker.counts().lost()).isZero();
    }
    assertThat(number("select count(*) from jobs where result = 'r' || id")).isEqualTo(450);
    assertThat(number("select count(*) from jobs where attempts = 3 and error like '%no tens'"))
        .isEqualTo(50);
  }

  @Test
  void completionInTheHandlersTransactionIsAllOrNothing() throws Exception {
    Queue queue = Queue.builder("jobs", pool, managed(100)).retry(quick()).build();
    Map<Object, Integer> runs = new ConcurrentHashMap<>();
    try (Worker worker =
        queue
            .worker(
                job -> {
                  int run = runs.merge(job.get("id"), 1, Integer::sum);
                  try (Connection connection = pool.getConnection()) {
                    connection.setAutoCommit(false);
                    try (Statement s = connection.createStatement()) {
                      s.execute("insert into effects values (" + job.get("id") + ")");
                    }
                    job.complete(connection);
                    if (run == 1 && (Long) job.get("id") % 5 == 0) {
                      connection.rollback();
                      throw new IllegalStateException("rolled back");
                    }
                    connection.commit();
                  }
                  return Outcome.done();
                })
            .threads(4)
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().completed()).isEqualTo(100);
      assertThat(worker.counts().retried()).isEqualTo(20);
    }
    assertThat(number("select count(distinct id) from effects")).isEqualTo(100);
    assertThat(number("select count(*) from effects")).isEqualTo(100);
  }

  @Test
  void transactionalModeDrains() throws Exception {
    Queue queue =
        Queue.builder("jobs", pool, managed(300)).mode(Mode.TRANSACTIONAL).retry(quick()).build();
    try (Worker worker =
        queue
            .worker(
                job -> {
                  try (Statement s = job.connection().createStatement()) {
                    s.execute("insert into effects values (" + job.get("id") + ")");
                  }
                  return everyTenthFails(job);
                })
            .threads(4)
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().completed()).isEqualTo(270);
      assertThat(worker.counts().dead()).isEqualTo(30);
    }
    assertThat(number("select count(*) from effects")).isEqualTo(270);
    assertThat(number("select count(*) from jobs where attempts = 3 and error like '%no tens'"))
        .isEqualTo(30);
  }

  @Test
  void c013_anOutboxPassesOverRowsThatFail() throws Exception {
    sql(
        "create table outbox (id bigint primary key, processed_at timestamp with time zone)",
        "insert into outbox (id) select x from system_range(1, 100)");
    Mapping mapping =
        Mapping.table("outbox").key("id").column(Role.DONE_AT, "processed_at").build();
    Queue queue =
        Queue.builder("outbox", pool, mapping)
            .mode(Mode.TRANSACTIONAL)
            .retry(RetryPolicy.defaults().withBackoff(Duration.ofMinutes(5), Duration.ofMinutes(5)))
            .build();
    AtomicInteger failures = new AtomicInteger();
    try (Worker worker =
        queue
            .worker(
                job -> {
                  if ((Long) job.get("id") <= 10) {
                    failures.incrementAndGet();
                    throw new IllegalStateException();
                  }
                  return Outcome.done();
                })
            .threads(3)
            .start()) {
      Wait.until("all others are done", () -> worker.counts().completed() == 90);
      assertThat(worker.awaitEmpty(Duration.ofMillis(300))).isFalse();
    }
    assertThat(failures).hasValue(10);
    assertThat(number("select count(*) from outbox where processed_at is null")).isEqualTo(10);
  }

  @Test
  void withoutRunAtFailedRowsAreParked() throws Exception {
    sql(
        "create table plain (id bigint primary key, state varchar(20))",
        "insert into plain select x, 'ready' from system_range(1, 50)");
    Mapping mapping =
        Mapping.table("plain").key("id").state("state", "ready", "processing", "done").build();
    Queue queue =
        Queue.builder("plain", pool, mapping)
            .retry(new RetryPolicy(5, Duration.ofMillis(100), 1, Duration.ofMillis(100), 0))
            .build();
    Map<Object, Integer> runs = new ConcurrentHashMap<>();
    try (Worker worker =
        queue
            .worker(
                job -> {
                  if (runs.merge(job.get("id"), 1, Integer::sum) < 3) {
                    throw new IllegalStateException();
                  }
                  return Outcome.done();
                })
            .threads(4)
            .start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().completed()).isEqualTo(50);
      assertThat(worker.counts().retried()).isEqualTo(100);
    }
  }

  @Test
  void c139_anExpiredRowIsRecoveredAndTheOldClaimRefused() throws Exception {
    Queue queue = Queue.builder("jobs", pool, managed(1)).lease(Duration.ofMillis(500)).build();
    var old = queue.claim(1).get(0);
    try (Worker worker = queue.worker(job -> Outcome.done("result", "new")).start()) {
      assertThat(worker.awaitEmpty(LONG)).isTrue();
      assertThat(worker.counts().recovered()).isEqualTo(1);
    }
    org.assertj.core.api.Assertions.assertThatThrownBy(() -> queue.complete(old))
        .isInstanceOf(dev.rowlock.LeaseLostException.class);
    assertThat(number("select count(*) from jobs where result = 'new'")).isEqualTo(1);
  }
}
