package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.Outcome;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.Worker;
import dev.rowlock.conformance.kit.Faults;
import dev.rowlock.conformance.kit.Rewritten;
import dev.rowlock.conformance.kit.Tap;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.Threads;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes wrong on MariaDB and MySQL: locks, logs, servers that lack what is needed. */
interface MySqlHazards extends Suite {

  default MySqlDatabase mySql() {
    return (MySqlDatabase) db();
  }

  private DataSource pretending(UnaryOperator<String> change) {
    return Rewritten.of(bench().schema().dataSource(), change);
  }

  @Test
  default void p14_c096_aServerWithoutSkipLockedIsRefusedWithTheReason() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    DataSource old = pretending(sql -> sql.replace("FOR UPDATE SKIP LOCKED", "FOR UPDATE SKIPS"));
    assertThatThrownBy(() -> t.queue(old))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContainingAll("SKIP LOCKED", mySql().mariaDb() ? "10.6" : "8.0.1");
    assertThat(t.states()).isEqualTo(Map.of("ready", 1L));
  }

  @Test
  default void p14_c096_theVersionTextDecidesNothing() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    DataSource shy = pretending(sql -> sql.replace("VERSION()", "'5.5.5-10.0.1'"));
    Queue queue = t.queue(shy);
    queue.complete(claim(queue));
    assertThat(t.state(1)).isEqualTo("done");
    assertThat(queue.sql().dialect()).isEqualTo(mySql().mariaDb() ? "mariadb" : "mysql");
  }

  @ParameterizedTest
  @ValueSource(strings = {"8.0.11-TiDB-v8.5.0", "5.7.32 SingleStoreDB", "5.7.99 Doris version"})
  default void p14_c096_serversThatOnlySpeakTheProtocolAreRefused(String version) {
    TestTable t = table("jobs").full().create();
    DataSource other = pretending(sql -> sql.replace("VERSION()", "'" + version + "'"));
    assertThatThrownBy(() -> t.queue(other))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContainingAll(version, "cannot pass locked rows over");
  }

  @Test
  default void p09_c097_aClaimThatFailsIsNeverAnEmptyQueue() {
    needs(Facility.LOGIN_ROLES);
    TestTable t = table("jobs").full().create().rows(1, 1);
    String user = "r_" + bench().schema().name();
    t.sql("create user '%s'@'%%' identified by 'Secret_1!'", user);
    bench().closing(() -> bench().schema().execute("drop user '" + user + "'@'%'"));
    t.sql("grant select on %s.* to '%s'@'%%'", db().quote(bench().schema().name()), user);
    DataSource readers =
        mySql().dataSource(bench().schema().name(), Map.of("user", user, "password", "Secret_1!"));
    Queue queue = t.queue(readers);
    assertThatThrownBy(() -> queue.claim(1))
        .isInstanceOfSatisfying(
            DatabaseException.class, e -> assertThat(e.fault()).isEqualTo(Fault.PRIVILEGE));
    try {
      Worker worker =
          bench()
              .closing(
                  queue
                      .worker(job -> Outcome.done())
                      .poll(Duration.ofMillis(5), Duration.ofMillis(20))
                      .start());
      Threads.until(
          "the worker says that it is not well", () -> worker.health() == Worker.Health.DEGRADED);
    } catch (DatabaseException e) {
      // MySQL lets nobody lock who may not write: the worker does not start.
      assertThat(e.fault()).isEqualTo(Fault.PRIVILEGE);
    }
  }

  /** Producers insert into the gaps that claims at REPEATABLE READ would lock. */
  @Test
  default void p09_c099_claimsAndInsertsDoNotDeadlock() {
    TestTable t = table("jobs").full().with(Role.PRIORITY).create();
    t.sql("create index by_state on %s (state, priority, run_at, id)", t.name());
    int each = 150;
    AtomicInteger left = new AtomicInteger(4);
    List<Callable<Integer>> all = new ArrayList<>();
    for (int n = 0; n < 4; n++) {
      int from = n * each;
      all.add(
          () -> {
            Queue queue = t.queue(bench().pool());
            for (int i = 1; i <= each; i++) {
              queue.enqueue(List.of(Map.of("id", from + i, "priority", i % 7)));
            }
            left.decrementAndGet();
            return 0;
          });
    }
    Set<Object> seen = Collections.synchronizedSet(new HashSet<>());
    for (int n = 0; n < 16; n++) {
      all.add(
          () -> {
            Queue queue = t.queue(bench().pool());
            int mine = 0;
            while (true) {
              boolean last = left.get() == 0;
              List<Claim> claims = queue.claim(2);
              claims.forEach(c -> assertThat(seen.add(c.key())).as("claimed twice").isTrue());
              mine +=
                  (int)
                      queue.apply(claims.stream().map(Change.Complete::new).toList()).stream()
                          .filter(a -> !a.lost())
                          .count();
              if (last && claims.isEmpty()) {
                return mine;
              }
            }
          });
    }
    List<Integer> done = Threads.race(all);
    assertThat(done.stream().mapToInt(i -> i).sum()).isEqualTo(4 * each);
    assertThat(t.states()).isEqualTo(Map.of("done", 4L * each));
  }

  /** Sees what the server warns of, after every statement. */
  final class Warnings implements Tap {
    final List<String> all = new CopyOnWriteArrayList<>();

    @Override
    public void before(Call call) {
      // Nothing is known yet.
    }

    @Override
    public void after(Call call) throws SQLException {
      if (call.kind() == Kind.EXECUTE) {
        try (Statement statement = call.connection().createStatement();
            ResultSet found = statement.executeQuery("show warnings")) {
          while (found.next()) {
            all.add(found.getString(2) + " " + found.getString(3) + ": " + call.sql());
          }
        }
      }
    }
  }

  private void wholeLife(TestTable t, Queue queue) {
    queue.enqueue(List.of(Map.of("id", 1), Map.of("id", 2), Map.of("id", 3), Map.of("id", 4)));
    List<Claim> claims = queue.claim(4);
    assertThat(keys(claims)).containsExactly(1L, 2L, 3L, 4L);
    Claim extended = queue.extend(claims.get(0), Duration.ofMinutes(5));
    extended = queue.extend(extended, Duration.ofMinutes(5));
    queue.complete(extended);
    assertThat(
            queue.apply(
                List.of(
                    new Change.Fail(claims.get(1), "x", Optional.of(Duration.ofHours(1))),
                    new Change.Dead(claims.get(2), "y"))))
        .noneMatch(Applied::lost);
    t.expireAll();
    assertThat(queue.recover(5).ready()).containsExactly(queue.key("4"));
    List<Claim> again = queue.claim(4);
    assertThat(keys(again)).containsExactly(4L);
    assertThat(queue.apply(List.of(new Change.Complete(claims.get(3)))).get(0).lost()).isTrue();
    assertThat(
            queue.apply(
                List.of(new Change.Complete(claims.get(3)), new Change.Complete(claims.get(2)))))
        .allMatch(Applied::lost);
    assertThat(
            queue
                .apply(
                    List.of(new Change.Release(again.get(0)), new Change.Complete(claims.get(0))))
                .stream()
                .map(Applied::lost))
        .containsExactly(false, true);
    assertThat(t.states()).isEqualTo(Map.of("done", 1L, "dead", 1L, "ready", 2L));
    assertThat(queue.verify().safe()).isTrue();
  }

  @Test
  default void p09_c101_aLogOfStatementsIsServedWithoutAWarning() {
    TestTable t = table("jobs").full().create();
    Warnings warnings = new Warnings();
    DataSource pool =
        bench()
            .pool(
                config -> config.setConnectionInitSql("set session binlog_format = 'STATEMENT'"),
                warnings);
    Queue queue = t.queue(pool);
    wholeLife(t, queue);
    // MySQL 9 warns of every look at the variable, and of MIN in the statistics.
    assertThat(warnings.all)
        .filteredOn(w -> !w.startsWith("1287 ") && !w.contains("MIN(rowlock_due)"))
        .isEmpty();
    assertThat(queue.verify().findings().toString()).contains("binlog_format", "1665");
  }

  @Test
  default void p03_c101_groupsAndALogOfStatementsAreRefused() {
    TestTable t = table("jobs").full().with(Role.GROUP).create();
    DataSource pool =
        bench()
            .pool(config -> config.setConnectionInitSql("set session binlog_format = 'STATEMENT'"));
    assertThatThrownBy(() -> t.queue(pool))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContainingAll("group", "binlog_format");
  }

  /** 1093, 1235 and the unsafe forms: no subselect of the table that is written, no LIMIT. */
  @Test
  default void p09_c102_noWriteHasALimitOrReadsItsOwnTable() {
    TestTable t = table("jobs").full().with(Role.GROUP, Role.PRIORITY).create();
    List<String> writes =
        t.queue().sql().statements().stream()
            .map(s -> s.sql())
            .filter(sql -> sql.matches("(?s)(SET STATEMENT[^\\n]*FOR\\n)?(UPDATE|DELETE).*"))
            .toList();
    assertThat(writes).hasSizeGreaterThan(8);
    assertThat(writes).noneMatch(sql -> sql.contains("LIMIT") || sql.contains("SELECT"));
  }

  @Test
  default void p05_c103_aWorkerOfTheSameNameDoesNotGetItsOldRowsAsNew() {
    TestTable t = table("jobs").full().create().rows(1, 6);
    List<Claim> before = t.queue(q -> q.workerName("w1")).claim(2);
    Queue restarted = t.queue(q -> q.workerName("w1"));
    List<Claim> after = restarted.claim(2);
    assertThat(keys(after)).containsExactly(3L, 4L);
    assertThat(keys(before)).containsExactly(1L, 2L);
    assertThat(t.count("attempts", 1)).isEqualTo(4);
  }

  @Test
  default void p15_c105_aClaimThatFailsAtCommitStartsNoHandler() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    Faults faults = new Faults();
    Queue queue = t.queue(bench().pool(faults));
    faults.instead(Tap.Kind.COMMIT, 3, Faults.sqlState("40001", 1213));
    List<Integer> attempts = new CopyOnWriteArrayList<>();
    bench()
        .closing(
            queue
                .worker(
                    job -> {
                      attempts.add(job.claim().attempt().orElseThrow());
                      return Outcome.done();
                    })
                .poll(Duration.ofMillis(5), Duration.ofMillis(20))
                .start());
    Threads.until("the row is done", () -> t.states().containsKey("done"));
    assertThat(attempts).as("handlers that were started").containsExactly(1);
  }

  @Test
  default void p09_c105_aNodeThatHasLeftTheClusterIsAConnectionThatIsGone() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    Faults faults = new Faults();
    Queue queue = t.queue(bench().pool(faults));
    faults.instead(Tap.Kind.EXECUTE, 9, Faults.sqlState("08S01", 1047));
    assertThatThrownBy(() -> queue.claim(1))
        .isInstanceOfSatisfying(
            DatabaseException.class, e -> assertThat(e.fault()).isEqualTo(Fault.CONNECTION));
  }

  @Test
  default void p14_c107_aMappedColumnThatEveryUpdateChangesIsRefused() {
    String stamped = "timestamp default current_timestamp on update current_timestamp";
    TestTable t = table("jobs").full().with(Role.PRIORITY, "created_at", stamped).create();
    assertThatThrownBy(t::queue)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContainingAll("created_at", "ON UPDATE");
    TestTable fine = table("others").full().column("changed_at", stamped).create().rows(1, 1);
    assertThat(fine.queue().verify().findings().toString()).contains("changed_at");
  }

  @Test
  default void p14_c108_statesAreEqualAsTheCollationSays() {
    TestTable t = table("jobs").full().suffix("collate utf8mb4_general_ci").create();
    t.add("id", 1, "state", "Ready").add("id", 2, "state", "READY").add("id", 3, "state", "ready ");
    assertThat(t.queue().stats().count(dev.rowlock.RowState.READY)).isEqualTo(3);
    List<Claim> claims = t.queue().claim(5);
    assertThat(keys(claims)).containsExactly(1L, 2L, 3L);
    t.queue().complete(claims.get(0));
    assertThat(t.queue().apply(claims.subList(1, 3).stream().map(Change.Complete::new).toList()))
        .noneMatch(Applied::lost);
  }

  @Test
  default void p14_c108_keysThatDifferInCaseOnlyAreWhatTheCollationMakesThem() {
    TestTable exact =
        table("exact")
            .key("k", "varchar(20) collate utf8mb4_bin")
            .state()
            .with(Role.TOKEN)
            .create();
    exact.add("k", "abc").add("k", "ABC");
    List<Claim> both = exact.queue().claim(5);
    assertThat(keys(both)).containsExactlyInAnyOrder("abc", "ABC");
    exact.queue().apply(both.stream().map(Change.Complete::new).toList());
    assertThat(exact.states()).isEqualTo(Map.of("done", 2L));
    TestTable folded =
        table("folded")
            .key("k", "varchar(20) collate utf8mb4_general_ci")
            .state()
            .with(Role.TOKEN)
            .create();
    folded.add("k", "abc");
    assertThatThrownBy(() -> folded.queue().enqueue(List.of(Map.of("k", "ABC"))))
        .isInstanceOfSatisfying(
            DatabaseException.class, e -> assertThat(e.fault()).isEqualTo(Fault.CONSTRAINT));
  }

  /** A transaction that holds a claim hides nothing but its own rows, sorted or not. */
  @ParameterizedTest
  @ValueSource(strings = {"id", "pad desc", "pad nulls first", "priority"})
  default void p04_anOpenClaimHidesItsOwnRowsAlone(String order) {
    TestTable t =
        table("jobs")
            .full()
            .with(Role.PRIORITY)
            .column("pad", db().varcharType(9))
            .map(m -> m.order(order))
            .create()
            .rows(1, 50);
    OpenTransaction first = open();
    OpenTransaction second = open();
    Set<Object> taken = new HashSet<>(keys(t.queue().claim(first.connection(), 3)));
    taken.addAll(keys(t.queue().claim(second.connection(), 3)));
    assertThat(taken).hasSize(6);
    assertThat(t.queue().claim(50)).hasSize(44);
    first.rollback();
    second.rollback();
    assertThat(t.queue().claim(50)).hasSize(6);
  }

  @Test
  default void p03_group_aRowThatAppearsInFrontOfAnOpenClaimWaitsForIt() {
    TestTable t = table("jobs").full().with(Role.GROUP, Role.PRIORITY).create();
    t.add("id", 1, "grp", "a", "priority", 5).add("id", 2, "grp", "a", "priority", 6);
    OpenTransaction other = open();
    assertThat(keys(t.queue().claim(other.connection(), 1))).containsExactly(1L);
    t.add("id", 3, "grp", "a", "priority", 1).add("id", 4, "grp", "b", "priority", 9);
    assertThat(keys(t.queue().claim(5))).as("the group is being worked on").containsExactly(4L);
    other.commit();
    assertThat(t.queue().claim(5)).isEmpty();
    t.sql("update %s set state = 'done' where id = 1", t.name());
    assertThat(keys(t.queue().claim(5))).containsExactly(3L);
  }

  @Test
  default void p02_thousandsOfLockedRowsInFrontHideNothing() {
    TestTable t = table("jobs").full().create().rows(1, 3000);
    OpenTransaction other = open();
    try {
      // Else a range would lock the row behind it too.
      other.connection().setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    other.run(db().lockRows(t.name(), "id <= 2990"));
    assertThat(keys(t.queue().claim(4))).containsExactly(2991L, 2992L, 2993L, 2994L);
  }

  /** One driver tells of it, and the session is made writable; with the other the server does. */
  @Test
  default void p14_aSessionThatMayNotWriteIsMadeToOrTold() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    Queue queue =
        t.queue(
            bench()
                .pool(config -> config.setConnectionInitSql("set session transaction read only")));
    try {
      assertThat(queue.claim(1)).hasSize(1);
    } catch (DatabaseException e) {
      assertThat(e.fault()).isEqualTo(Fault.READ_ONLY);
      assertThat(t.states()).isEqualTo(Map.of("ready", 1L));
    }
  }
}
