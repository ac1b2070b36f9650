package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.conformance.kit.Tap;
import dev.rowlock.conformance.kit.Tapped;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.TestTable.Raw;
import dev.rowlock.conformance.kit.Threads;
import dev.rowlock.conformance.kit.TransactionPooler;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** PostgreSQL sessions: clocks, read-only servers, poolers, table locks, timeouts. */
interface PostgreSqlSessions extends Suite {

  @Test
  default void p03_group_aRowThatAppearsInFrontOfAnOpenClaimWaitsForIt() {
    TestTable t = table("jobs").full().with(Role.GROUP).create();
    t.add("id", 2, "grp", "a").add("id", 4, "grp", "b");
    OpenTransaction claimer = open();
    Claim claim = t.queue().claim(claimer.connection(), 1).get(0);
    t.add("id", 1, "grp", "a").add("id", 3);
    assertThat(keys(t.queue().claim(5))).containsExactly(3L, 4L);
    claimer.commit();
    assertThat(t.queue().claim(5)).isEmpty();
    t.queue().complete(claim);
    assertThat(keys(t.queue().claim(5))).containsExactly(1L);
  }

  @Test
  default void p03_group_aRowThatAppearsInFrontOfALockedOneWaitsForIt() {
    TestTable t =
        table("outbox")
            .key("id")
            .with(Role.DONE_AT, "processed_at", "timestamptz")
            .with(Role.GROUP)
            .transactional()
            .create();
    t.add("id", 2, "grp", "a").add("id", 4, "grp", "b");
    OpenTransaction claimer = open();
    Claim claim = t.queue().claim(claimer.connection(), 1).get(0);
    t.add("id", 1, "grp", "a").add("id", 3);
    assertThat(keys(committed(c -> t.queue().claim(c, 5)))).containsExactly(3L, 4L);
    t.queue().apply(claimer.connection(), new Change.Complete(claim));
    claimer.commit();
    assertThat(keys(committed(c -> t.queue().claim(c, 5)))).containsExactly(1L, 3L, 4L);
  }

  @Test
  default void p07_c043_onlyTheDatabasesClockCounts() {
    // A server whose clock is three years ahead of this machine's.
    String fake = "clock_" + bench().schema().name();
    bench().schema().execute("create schema " + fake);
    bench().closing(() -> bench().schema().execute("drop schema " + fake + " cascade"));
    for (String function :
        List.of("statement_timestamp", "clock_timestamp", "now", "transaction_timestamp")) {
      bench()
          .schema()
          .execute(
              "create function %s.%s() returns timestamptz language sql stable as $$ select pg_catalog.%s() + interval '3 years' $$"
                  .formatted(fake, function, function));
    }
    TestTable t = table("jobs").full().create();
    t.add("id", 1, "run_at", new Raw("now() + interval '1 year'"));
    t.add("id", 2, "run_at", new Raw("now() + interval '4 years'"));
    Queue ahead =
        t.queue(
            bench()
                .pool(
                    config ->
                        config.setConnectionInitSql(
                            "set search_path = %s, pg_catalog, %s"
                                .formatted(fake, bench().schema().name()))));
    List<Claim> claims = ahead.claim(5);
    assertThat(keys(claims)).as("due by that clock").containsExactly(1L);
    long days = Duration.between(dbNow(), claims.get(0).leaseUntil().orElseThrow()).toDays();
    assertThat(days).isBetween(1094L, 1097L);
    assertThat(ahead.recover(5).size()).as("the lease has not ended by that clock").isZero();
    t.set(1, "lease_until", new Raw("now() + interval '2 years'"));
    assertThat(t.queue().recover(5).size()).as("nor by the real one").isZero();
    assertThat(ahead.recover(5).size()).as("but by that one").isEqualTo(1);
    ahead.snooze(claim(ahead), Duration.ofHours(1));
    assertThat(
            bench()
                .schema()
                .value("select run_at > now() + interval '35 months' from jobs where id = 1"))
        .isEqualTo(true);
  }

  @Test
  default void p07_theClockRunsInALongTransactionOfTheCaller() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    OpenTransaction caller = open().run("select pg_sleep(1.2)");
    Claim claim = t.queue().claim(caller.connection(), 1).get(0);
    caller.commit();
    assertThat(Duration.between(dbNow(), claim.leaseUntil().orElseThrow()))
        .isGreaterThan(Duration.ofMillis(299_300));
  }

  @Test
  default void p04_aTableLockIsAClearErrorNotAnEndlessWait() {
    TestTable t = table("jobs").full().lease(Duration.ofSeconds(3)).create().rows(1, 1);
    Queue queue = t.queue();
    open().run("lock table jobs in access exclusive mode");
    long start = System.nanoTime();
    assertThatThrownBy(() -> queue.claim(1))
        .isInstanceOfSatisfying(
            DatabaseException.class,
            e -> assertThat(e.fault()).isIn(Fault.TIMEOUT, Fault.LOCK_TIMEOUT))
        .hasMessageContaining("lock on the whole table");
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .as("shorter than the lease")
        .isLessThan(Duration.ofSeconds(3));
  }

  @Test
  default void p09_c007_c008_aCallersSnapshotThatIsTooOldIsATypedErrorAndNothingIsHalfDone() {
    TestTable t = table("jobs").full().create().rows(1, 2);
    for (String level : List.of("repeatable read", "serializable")) {
      t.setAll("state", "ready");
      OpenTransaction caller = open().run("set transaction isolation level " + level);
      caller.run("select count(*) from jobs");
      t.queue().complete(claim(t.queue()));
      assertThatThrownBy(() -> t.queue().claim(caller.connection(), 2))
          .isInstanceOfSatisfying(
              DatabaseException.class, e -> assertThat(e.fault()).isEqualTo(Fault.SERIALIZATION));
      caller.close();
      assertThat(t.count("state", "processing")).isZero();
      assertThat(t.count("state", "ready")).isEqualTo(1);
    }
  }

  @Test
  default void p09_c074_noSessionIsLeftInATransaction() {
    TestTable t = table("jobs").full().create().rows(1, 4);
    PGSimpleDataSource named = ((PostgresDatabase) db()).dataSource(bench().schema().name());
    String name = "idle_" + bench().schema().name();
    named.setApplicationName(name);
    for (boolean autoCommit : new boolean[] {true, false}) {
      Queue queue =
          t.queue(
              bench()
                  .pool(
                      named,
                      config -> {
                        config.setAutoCommit(autoCommit);
                        config.setConnectionInitSql(
                            "set idle_in_transaction_session_timeout = '1s'");
                      }));
      Claim claim = claim(queue);
      notInTransaction(name);
      Claim extended = queue.extend(claim, Duration.ofHours(1));
      notInTransaction(name);
      queue.complete(extended);
      notInTransaction(name);
      queue.recover(1);
      queue.stats();
      queue.enqueue(List.of(java.util.Map.of("id", autoCommit ? 100 : 101)));
      notInTransaction(name);
    }
  }

  private void notInTransaction(String name) {
    List<List<Object>> sessions =
        bench()
            .schema()
            .query(
                "select state, query from pg_stat_activity where application_name = '"
                    + name
                    + "'");
    assertThat(sessions)
        .isNotEmpty()
        .noneMatch(s -> String.valueOf(s.get(0)).startsWith("idle in transaction"));
  }

  /** A cluster whose sessions are read-only while the switch is on, as after a failover. */
  private DataSource failingOver(AtomicBoolean readOnly) {
    Tap tap =
        new Tap() {
          @Override
          public void after(Call call) throws SQLException {
            if (call.kind() == Kind.CONNECT && readOnly.get()) {
              try (Statement statement = call.connection().createStatement()) {
                statement.execute("set default_transaction_read_only = on");
              }
            }
          }
        };
    return bench()
        .pool(
            Tapped.of(bench().schema().dataSource(), tap), config -> config.setMaximumPoolSize(2));
  }

  @Test
  default void p09_c063_readOnlySessionsOfAPoolAreReplaced() {
    TestTable t = table("jobs").full().create().rows(1, 3);
    AtomicBoolean readOnly = new AtomicBoolean();
    DataSource pool = failingOver(readOnly);
    Queue queue = t.queue(pool);
    Claim claim = claim(queue);
    readOnly.set(true);
    bench().schema().execute("select 1");
    // The sessions from before are still writable; they go away as after a failover.
    killPool(pool);
    assertReadOnly(() -> queue.claim(1));
    assertReadOnly(() -> queue.complete(claim));
    readOnly.set(false);
    assertThat(queue.claim(1)).as("a new session, no restart").hasSize(1);
    queue.complete(claim);
    assertThat(t.state(1)).isEqualTo("done");
  }

  private static void assertReadOnly(Runnable work) {
    assertThatThrownBy(work::run)
        .isInstanceOfSatisfying(
            DatabaseException.class, e -> assertThat(e.fault()).isEqualTo(Fault.READ_ONLY))
        .hasMessageContaining("read-only");
  }

  private void killPool(DataSource pool) {
    try (var connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("set session characteristics as transaction read only");
      statement.execute("set default_transaction_read_only = on");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  default void p09_c064_aWorkerOnAReplicaDoesNotStart() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    DataSource replica =
        bench()
            .pool(config -> config.setConnectionInitSql("set default_transaction_read_only = on"));
    assertReadOnly(() -> t.queue(replica).worker(job -> dev.rowlock.Outcome.done()).start());
    assertThat(t.queue(replica).verify().safe()).isFalse();
    assertThat(t.queue(replica).stats().left()).as("looking is allowed").isEqualTo(1);
  }

  private DataSource through(TransactionPooler pooler, int prepareThreshold) {
    PGSimpleDataSource source = ((PostgresDatabase) db()).through(pooler.port(), null);
    source.setPrepareThreshold(prepareThreshold);
    return bench().pool(source, config -> config.setMaximumPoolSize(1));
  }

  private TransactionPooler pooler(int size) {
    needs(Facility.PROXY);
    needs(Facility.LOGIN_WITHOUT_PASSWORD);
    return bench().closing(new TransactionPooler(((PostgresDatabase) db()).address(), size));
  }

  private TestTable qualified() {
    return new dev.rowlock.conformance.kit.TableSpec(bench(), bench().schema().name(), "jobs")
        .full()
        .create();
  }

  @Test
  default void p09_c058_aPoolerInTransactionModeWorksWithoutPreparedStatements() {
    TestTable t = qualified().rows(1, 100);
    TransactionPooler pooler = pooler(3);
    Queue one = t.queue(through(pooler, 0));
    Queue two = t.queue(through(pooler, 0));
    List<Integer> done = Threads.race(List.of(() -> drain(one), () -> drain(two)));
    assertThat(done.get(0) + done.get(1)).isEqualTo(100);
    assertThat(t.count("state", "done")).isEqualTo(100);
    Claim claim = claimEnqueued(one, t);
    one.complete(one.extend(claim, Duration.ofHours(1)));
  }

  private Claim claimEnqueued(Queue queue, TestTable t) {
    queue.enqueue(List.of(java.util.Map.of("id", 1000)));
    return claim(queue);
  }

  private static int drain(Queue queue) {
    int done = 0;
    for (List<Claim> c = queue.claim(2); !c.isEmpty(); c = queue.claim(2)) {
      queue.apply(c.stream().map(Change.Complete::new).toList());
      done += c.size();
    }
    return done;
  }

  @Test
  default void p09_c058_preparedStatementsThroughAPoolerAreExplained() {
    TestTable t = qualified().rows(1, 40);
    TransactionPooler pooler = pooler(1);
    Queue one = t.queue(through(pooler, 5));
    Queue two = t.queue(through(pooler, 5));
    assertThat(one.claim(1)).hasSize(1);
    DatabaseException found = null;
    for (int i = 0; i < 20 && found == null; i++) {
      found = failure(two);
      found = found == null ? failure(one) : found;
    }
    assertThat(found).as("both name their statements alike").isNotNull();
    assertThat(found.fault()).isEqualTo(Fault.POOLER);
    assertThat(found).hasMessageContaining("prepareThreshold=0");
  }

  private static DatabaseException failure(Queue queue) {
    try {
      queue.claim(1);
      queue.stats();
      return null;
    } catch (DatabaseException e) {
      return e;
    }
  }

  @Test
  default void p13_c041_aPooledSessionPoisonedByAnotherClientMakesNoDifference() {
    TestTable t = qualified().rows(1, 100);
    TransactionPooler pooler = pooler(1);
    Queue queue = t.queue(through(pooler, 0));
    try (var connection = through(pooler, 0).getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("set search_path = ''");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    assertThat(drain(queue)).isEqualTo(100);
  }
}
