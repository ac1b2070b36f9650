package dev.rowlock.conformance;

import static dev.rowlock.conformance.kit.TestTable.ids;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.OnDone;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.conformance.kit.TableSpec;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.Threads;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What PostgreSQL's planner does with the statements, and what they cost. */
interface PostgreSqlPlans extends Suite {

  /** Settings under which the claims of many queues take everything. */
  String HOSTILE =
      "set enable_hashjoin=off; set enable_mergejoin=off; set enable_hashagg=off; set enable_sort=off; set enable_material=off";

  private TestTable hostile(TableSpec spec) {
    TestTable t = spec.suffix("with (autovacuum_enabled = off)").create();
    t.add("id", 1001, "state", "done").add("id", 1002, "state", "done");
    t.sql("analyze " + t.name());
    return t.rows(1, 50);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        HOSTILE,
        "set enable_seqscan=off",
        "set enable_indexscan=off; set enable_bitmapscan=off",
        "set enable_nestloop=off",
        "set plan_cache_mode=force_generic_plan",
        "set plan_cache_mode=force_custom_plan"
      })
  default void p02_c001_aClaimIsBoundedWhateverThePlannerThinks(String settings) {
    needs(Facility.POSTGRESQL_PLANNER);
    TestTable t = hostile(table("jobs").full());
    Queue queue = t.queue(bench().pool(config -> config.setConnectionInitSql(settings)));
    for (int i = 1; i <= 7; i++) {
      assertThat(queue.claim(3)).hasSize(3);
      assertThat(t.count("state", "processing")).as(settings).isEqualTo(3 * i);
    }
    assertThat(t.count("attempts", 1)).isEqualTo(21);
    t.expireAll();
    assertThat(queue.recover(4).size()).isEqualTo(4);
    assertThat(t.count("state", "processing")).isEqualTo(17);
  }

  @Test
  default void p02_c002_deletingIsBoundedWhateverThePlannerThinks() {
    needs(Facility.POSTGRESQL_PLANNER);
    TestTable t = hostile(table("jobs").full().map(m -> m.onDone(OnDone.delete())));
    Queue queue = t.queue(bench().pool(config -> config.setConnectionInitSql(HOSTILE)));
    List<Claim> claims = queue.claim(3);
    assertThat(queue.apply(claims.stream().map(Change.Complete::new).toList())).hasSize(3);
    assertThat(t.count()).isEqualTo(49);
    assertThat(t.count("state", "ready")).isEqualTo(47);
  }

  @Test
  default void p02_c003_partitionsAreBoundedAndDrainedOnce() {
    TestTable t = partitioned();
    t.rows(1, 5000);
    List<List<Object>> taken =
        Threads.race(
            8,
            n -> {
              Queue queue = t.queue(q -> q.workerName("w" + n));
              List<Object> mine = new ArrayList<>();
              for (List<Claim> c = queue.claim(2); !c.isEmpty(); c = queue.claim(2)) {
                assertThat(c).hasSizeLessThanOrEqualTo(2);
                mine.addAll(keys(c));
                queue.apply(c.stream().map(Change.Complete::new).toList());
              }
              return mine;
            });
    assertThat(taken.stream().flatMap(List::stream).toList())
        .containsExactlyInAnyOrderElementsOf(ids(1, 5000));
    assertThat(t.states()).isEqualTo(Map.of("done", 5000L));
  }

  private TestTable partitioned() {
    TestTable t =
        table("jobs").full().suffix("partition by hash (" + db().quote("id") + ")").create();
    for (int i = 0; i < 8; i++) {
      t.sql(
          "create table %s partition of %s for values with (modulus 8, remainder %s)",
          "part" + i, t.name(), i);
    }
    t.queue().sql().advice().forEach(s -> t.sql(s.sql()));
    return t;
  }

  private List<String> explain(TestTable t, String statement, Map<String, String> more) {
    needs(Facility.POSTGRESQL_PLANNER);
    String sql =
        t.queue().sql().statements().stream()
            .filter(s -> s.name().equals(statement))
            .findFirst()
            .orElseThrow()
            .sql();
    Map<String, String> values = new java.util.HashMap<>(more);
    values.putAll(
        Map.of(
            "ready",
            "'ready'",
            "processing",
            "'processing'",
            "max_attempts",
            "5",
            "lease_ms",
            "300000",
            "limit",
            "10"));
    values.putAll(
        Map.of("worker", "'w'", "dead", "'dead'", "retry", "'ready'", "expired_error", "'x'"));
    for (Map.Entry<String, String> value : values.entrySet()) {
      sql = sql.replaceAll("(?<!:):" + value.getKey() + "\\b", value.getValue());
    }
    String plan = "explain (costs off) " + sql;
    return bench().schema().query(plan).stream().map(r -> r.get(0).toString()).toList();
  }

  private static boolean any(List<String> plan, String regex) {
    return plan.stream().anyMatch(line -> line.matches("(?s).*" + regex + ".*"));
  }

  private void fill(TestTable t) {
    t.rows(1, 10_000);
    t.sql(
        "update %s set %s = 'done' where mod(%s, 10) <> 0",
        t.name(), db().quote("state"), db().quote("id"));
    t.sql("analyze " + t.name());
  }

  @Test
  default void p03_theClaimIsAnIndexRangeInClaimOrder() {
    record Shape(String name, TableSpec spec) {}
    List<Shape> shapes =
        List.of(
            new Shape("state", table("a").full()),
            new Shape("priority", table("b").full().with(Role.PRIORITY)),
            new Shape(
                "priority desc",
                table("c").full().with(Role.PRIORITY).map(m -> m.order("priority desc"))),
            new Shape("by key", table("d").full().map(m -> m.order("id"))),
            new Shape(
                "nulls first",
                table("e")
                    .full()
                    .with(Role.PRIORITY)
                    .map(m -> m.order("priority desc nulls first"))));
    for (Shape shape : shapes) {
      TestTable t = shape.spec().create();
      fill(t);
      t.queue().sql().advice().stream()
          .filter(s -> s.sql().startsWith("CREATE INDEX"))
          .forEach(s -> t.sql(s.sql()));
      t.sql("analyze " + t.name());
      List<String> plan = explain(t, "claim", Map.of());
      String shown = shape.name() + "\n" + plan.stream().collect(Collectors.joining("\n"));
      assertThat(any(plan, "Index Scan using rowlock_\\w+_claim on \\w+ q")).as(shown).isTrue();
      int scan =
          plan.indexOf(
              plan.stream().filter(l -> l.contains("_claim on")).findFirst().orElseThrow());
      assertThat(plan.get(scan + 1)).as(shown).contains("Index Cond").contains("ready");
      assertThat(any(plan.subList(0, scan), "LockRows")).as(shown).isTrue();
      assertThat(any(plan.subList(plan.indexOf(lockRows(plan)), scan), "Sort")).as(shown).isFalse();
    }
  }

  /**
   * When the finished rows come first in key order, walking the primary key looks cheap to the
   * planner and reads all of them. With statistics, and with the plan that is kept for all values.
   */
  @ParameterizedTest
  @ValueSource(strings = {"force_custom_plan", "force_generic_plan"})
  default void p03_rowsThatAreDoneAreNotRead(String cacheMode) {
    needs(Facility.POSTGRESQL_PLANNER);
    TestTable t =
        table("jobs").key("id").state().with(Role.TOKEN, Role.LEASE_UNTIL, Role.ATTEMPTS).create();
    t.rows(1, 20_000);
    t.sql("create index jobs_claim on %s (state, id)", t.name());
    t.sql("update %s set state = 'done' where id + 0 <= 10000", t.name());
    t.sql("vacuum analyze " + t.name());
    // One session, which reports its statistics when it does something a second later.
    DataSource pool =
        bench()
            .pool(
                config -> {
                  config.setMaximumPoolSize(1);
                  config.setConnectionInitSql("set plan_cache_mode=" + cacheMode);
                });
    Queue queue = t.queue(pool);
    for (int i = 0; i < 10; i++) {
      assertThat(keys(queue.claim(1))).containsExactly(10_001L + i);
    }
    assertThat(any(explain(t, "claim", Map.of()), "Index Scan using jobs_claim on jobs q"))
        .isTrue();
    assertThat(any(explain(t, "recover", Map.of()), "Index Scan using jobs_claim on jobs q"))
        .isTrue();
    Threads.until(
        "statistics arrive",
        () -> doesSomething(pool) && indexNumber("idx_scan", "jobs_claim") >= 10);
    assertThat(indexNumber("idx_tup_read", "jobs_pkey"))
        .as("entries read by primary key")
        .isLessThan(1000);
  }

  private static boolean doesSomething(DataSource pool) {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      return statement.execute("select 1");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private long indexNumber(String column, String index) {
    return ((Number)
            bench()
                .schema()
                .value(
                    "select %s from pg_stat_user_indexes where indexrelname = '%s' and schemaname = '%s'"
                        .formatted(column, index, bench().schema().name())))
        .longValue();
  }

  private static String lockRows(List<String> plan) {
    return plan.stream().filter(l -> l.contains("LockRows")).findFirst().orElseThrow();
  }

  @Test
  default void p03_markersAreReadFromAPartialIndex() {
    TestTable t = table("inbox").key("id").with(Role.LEASE_UNTIL, Role.DONE_AT).create();
    t.rows(1, 10_000);
    t.sql("update %s set done_at = now() where mod(id, 10) <> 0", t.name());
    t.queue().sql().advice().stream()
        .filter(s -> s.sql().startsWith("CREATE INDEX"))
        .forEach(s -> t.sql(s.sql()));
    t.sql("analyze " + t.name());
    List<String> plan = explain(t, "claim", Map.of());
    assertThat(any(plan, "Index Scan using rowlock_inbox_claim")).as("%s", plan).isTrue();
    assertThat(any(plan, "Sort Key: q")).as("%s", plan).isFalse();
    assertThat(keys(t.queue().claim(2))).containsExactly(10L, 20L);
  }

  @Test
  default void p03_recoveryAndWritesReadNoWholeTable() {
    TestTable t = table("jobs").full().create();
    fill(t);
    t.queue().sql().advice().stream()
        .filter(s -> s.sql().startsWith("CREATE INDEX"))
        .forEach(s -> t.sql(s.sql()));
    t.queue().claim(50);
    t.sql("analyze " + t.name());
    assertThat(any(explain(t, "recover", Map.of()), "Seq Scan on jobs")).isFalse();
    Map<String, String> one =
        Map.of(
            "key_id",
            "'10'",
            "fence_token",
            "'1'",
            "fence_attempts",
            "'1'",
            "fence_worker",
            "'w'",
            "done",
            "'done'");
    List<String> plan = explain(t, "complete", one);
    assertThat(any(plan, "jobs_pkey")).as("%s", plan).isTrue();
    assertThat(any(plan, "Seq Scan")).as("%s", plan).isFalse();
  }

  @Test
  default void p07_c056_heartbeatsStayHot() {
    needs(Facility.POSTGRESQL_PLANNER);
    TestTable t = table("jobs").full().create().rows(1, 200);
    t.queue().sql().advice().forEach(s -> t.sql(s.sql()));
    // One session, which reports its statistics when it commits a second later.
    Queue queue = t.queue(bench().pool(config -> config.setMaximumPoolSize(1)));
    List<Claim> held = queue.claim(50);
    beat(queue, held, 10);
    Threads.until("statistics arrive", () -> updates(queue)[0] >= 550);
    long[] before = updates(queue);
    beat(queue, held, 60);
    Threads.until("statistics arrive", () -> updates(queue)[0] - before[0] >= 3000);
    long[] after = updates(queue);
    assertThat((after[1] - before[1]) / (double) (after[0] - before[0])).isGreaterThan(0.9);
  }

  private void beat(Queue queue, List<Claim> held, int times) {
    for (int beat = 0; beat < times; beat++) {
      List<Change.Extend> all =
          held.stream().map(c -> new Change.Extend(c, Duration.ofHours(1))).toList();
      assertThat(queue.apply(all)).allMatch(a -> a.status() == dev.rowlock.Applied.Status.EXTENDED);
    }
  }

  private long[] updates(Queue queue) {
    queue.stats();
    List<Object> row =
        bench()
            .schema()
            .query(
                "select n_tup_upd, n_tup_hot_upd from pg_stat_user_tables where relname = 'jobs' and schemaname = '%s'"
                    .formatted(bench().schema().name()))
            .get(0);
    return new long[] {((Number) row.get(0)).longValue(), ((Number) row.get(1)).longValue()};
  }

  @Test
  default void p08_c054_aHeldSnapshotDoesNotMakeClaimsEmptyOrWrong() {
    TestTable t = table("jobs").full().create().rows(1, 500);
    OpenTransaction report = open().run("set transaction isolation level repeatable read");
    report.run("select count(*) from " + t.name());
    List<Object> seen = new ArrayList<>();
    for (List<Claim> c = t.queue().claim(10); !c.isEmpty(); c = t.queue().claim(10)) {
      seen.addAll(keys(c));
      t.queue().apply(c.stream().map(Change.Complete::new).toList());
    }
    assertThat(seen).isEqualTo(ids(1, 500));
  }
}
