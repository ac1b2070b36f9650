package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.Listener;
import dev.rowlock.Mapping;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.State;
import dev.rowlock.Verification;
import dev.rowlock.conformance.kit.TableSpec;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.TestTable.Raw;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** P14 on PostgreSQL: enums, views, triggers, row security, foreign keys, odd values. */
interface PostgreSqlShapes extends P14States {

  @Test
  default void p14_c024_anEnumOfAMixedCaseNameInAnotherSchema() {
    String schema = bench().schema().name();
    bench()
        .schema()
        .execute("create type \"ArticleState\" as enum ('ready', 'processing', 'done', 'dead')");
    State state = State.of("State", "ready", "processing", "done").withDead("dead");
    TestTable t =
        new TableSpec(bench(), schema, "Articles")
            .key("id")
            .state(state, schema + ".\"ArticleState\" default 'ready' not null")
            .with(Role.TOKEN, Role.LEASE_UNTIL, Role.ERROR)
            .create();
    life(t, state);
    Queue blind =
        t.queue(bench().pool(config -> config.setConnectionInitSql("set search_path = ''")));
    Claim claim = claim(blind);
    blind.complete(claim);
    blind.enqueue(List.of(java.util.Map.of("id", 77)));
    assertThat(t.state(77)).isEqualTo("ready");
    assertThat(blind.stats().count(dev.rowlock.RowState.DONE)).isEqualTo(2);
  }

  @Test
  default void p14_c024_anEnumWithoutAMappedValueIsRefusedOrNamed() {
    bench().schema().execute("create type s as enum ('ready', 'processing', 'done')");
    TestTable t =
        table("jobs")
            .key("id")
            .state(
                State.of("state", "ready", "processing", "finished"), "s default 'ready' not null")
            .create();
    t.rows(1, 2);
    try {
      Verification verification = t.queue().verify();
      assertThat(verification.safe()).isFalse();
      assertThat(verification.findings().toString()).contains("finished");
    } catch (ConfigurationException e) {
      assertThat(e).hasMessageContaining("finished");
    }
  }

  @Test
  default void p14_domainsAreWhatTheyAreMadeOf() {
    bench()
        .schema()
        .execute(
            "create domain status as varchar(12) check (value <> '')",
            "create domain moment as timestamptz");
    State state = State.of("state", "ready", "processing", "done").withDead("dead");
    TestTable t =
        table("jobs")
            .key("id")
            .state(state, "status default 'ready' not null")
            .with(Role.LEASE_UNTIL, "until", "moment")
            .with(Role.TOKEN)
            .create();
    life(t, state);
  }

  @Test
  default void p14_c034_viewsThatCanBeUpdatedAreWorkedOthersAreRefused() {
    TestTable t = table("jobs").full().column("kind", "int").create();
    t.add("id", 1, "kind", 1).add("id", 2, "kind", 2);
    t.sql("create view v1 as select * from jobs where kind = 1");
    t.sql("create view v2 as select distinct id, state, claim_no from jobs");
    t.sql(
        "create view v3 as select j.id, j.state, j.claim_no from jobs j left join jobs k on k.id = j.kind");
    t.sql(
        "create view v4 as select * from jobs where state in ('ready', 'processing') with check option");
    t.sql("create materialized view v5 as select * from jobs");
    Queue v1 = view("v1");
    Claim claim = claim(v1);
    assertThat(v1.claim(5)).isEmpty();
    v1.complete(claim);
    assertThat(t.state(1)).isEqualTo("done");
    for (String refused : List.of("v2", "v3", "v5")) {
      assertThatThrownBy(() -> view(refused))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("view")
          .hasMessageContaining("table under it");
    }
    Queue v4 = view("v4");
    Claim held = claim(v4);
    assertThatThrownBy(() -> v4.complete(held))
        .isInstanceOf(DatabaseException.class)
        .hasMessageContaining("v4");
    assertThat(t.state(2)).isEqualTo("processing");
  }

  private Queue view(String name) {
    return Queue.builder(
            "test",
            bench().pool(),
            Mapping.table(name)
                .key("id")
                .state("state", "ready", "processing", "done")
                .column(Role.TOKEN, "claim_no")
                .build())
        .build();
  }

  @Test
  default void p14_c020_aTriggerThatSuppressesTheClaimIsReported() {
    TestTable t = table("jobs").full().create().rows(1, 2);
    t.sql(
        "create function keep() returns trigger language plpgsql as $$ begin if old.id = 1 then return null; end if; return new; end $$");
    t.sql("create trigger keep before update on jobs for each row execute function keep()");
    AtomicInteger suppressed = new AtomicInteger();
    Queue queue =
        t.queue(
            q ->
                q.listener(
                    new Listener() {
                      @Override
                      public void suppressed(String queue, int rows) {
                        suppressed.addAndGet(rows);
                      }
                    }));
    assertThat(keys(queue.claim(2))).containsExactly(2L);
    assertThat(suppressed).hasValue(1);
    assertThat(t.state(1)).isEqualTo("ready");
    assertThat(queue.claim(2)).isEmpty();
    assertThat(queue.verify().findings().toString()).contains("trigger");
  }

  @Test
  default void p14_aTriggerThatChangesTheRowIsRespected() {
    TestTable t =
        table("jobs").full().column("changes", "int default 0 not null").create().rows(1, 1);
    t.sql(
        "create function touch() returns trigger language plpgsql as $$ begin new.changes := old.changes + 1; return new; end $$");
    t.sql("create trigger touch before update on jobs for each row execute function touch()");
    t.queue().complete(claim(t.queue()));
    assertThat(t.number(1, "changes")).isEqualTo(2);
  }

  /** A login role of this test. */
  private DataSource role(String... grants) {
    needs(Facility.LOGIN_ROLES);
    String name = "w_" + bench().schema().name();
    String schema = bench().schema().name();
    String password = UUID.randomUUID().toString();
    bench()
        .schema()
        .execute(
            "create role " + name + " login password '" + password + "'",
            "grant usage on schema " + schema + " to " + name);
    bench()
        .closing(
            () ->
                bench()
                    .schema()
                    .execute(
                        "revoke all on all tables in schema " + schema + " from " + name,
                        "revoke all on schema " + schema + " from " + name,
                        "drop role " + name));
    for (String grant : grants) {
      bench().schema().execute(grant + " to " + name);
    }
    PGSimpleDataSource source = ((PostgresDatabase) db()).dataSource(schema);
    source.setUser(name);
    source.setPassword(password);
    return bench().pool(source, config -> {});
  }

  @Test
  default void p14_c016_rowSecurityThatHidesEverythingIsNoEmptyQueue() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    t.sql("alter table jobs enable row level security");
    DataSource worker = role("grant all on jobs");
    try {
      Verification verification = t.queue(worker).verify();
      assertThat(verification.safe()).as("%s", verification).isFalse();
      assertThat(verification.findings().toString()).contains("row security");
    } catch (ConfigurationException e) {
      assertThat(e).hasMessageContaining("row security");
    }
    t.sql("create policy all_rows on jobs using (true)");
    Queue queue = t.queue(worker);
    queue.complete(claim(queue));
    assertThat(t.state(1)).isEqualTo("done");
  }

  @Test
  default void p14_c138_aWorkerNeedsToWriteItsOwnColumnsOnly() {
    TestTable t = table("jobs").full().read("payload", "text").create();
    t.add("id", 1, "payload", "p").add("id", 2, "payload", "p");
    DataSource worker =
        role(
            "grant select on jobs",
            "grant update (state, claim_no, attempts, lease_until, worker, run_at, last_error) on jobs");
    Queue queue = t.queue(worker);
    List<Claim> claims = queue.claim(2);
    assertThat(claims.get(0).row()).containsEntry("payload", "p");
    queue.complete(claims.get(0));
    assertThat(queue.fail(claims.get(1), "x")).isEqualTo(Applied.Status.RETRYING);
  }

  @Test
  default void p14_aMissingPrivilegeIsNamed() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    Queue queue = t.queue(role("grant select on jobs"));
    assertThatThrownBy(() -> queue.claim(1))
        .isInstanceOfSatisfying(
            DatabaseException.class, e -> assertThat(e.fault()).isEqualTo(Fault.PRIVILEGE))
        .hasMessageContaining("GRANT");
    assertThat(t.state(1)).isEqualTo("ready");
  }

  @Test
  default void p04_c036_anOpenChildInsertDoesNotHideTheParent() {
    TestTable t = table("jobs").full().create().rows(1, 2);
    t.sql("create table children (id int, job bigint references jobs)");
    OpenTransaction child = open().run("insert into children values (1, 1)");
    assertThat(keys(t.queue().claim(5))).containsExactly(1L, 2L);
    child.commit();
  }

  @Test
  default void p04_c036_anOpenClaimDoesNotBlockChildInserts() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    t.sql("create table children (id int, job bigint references jobs)");
    OpenTransaction claimer = open();
    Claim claim = t.queue().claim(claimer.connection(), 1).get(0);
    t.queue().apply(claimer.connection(), new Change.Fail(claim, "x", java.util.Optional.empty()));
    bench().schema().execute("set lock_timeout = '300ms'; insert into children values (1, 1)");
    claimer.commit();
    assertThat(bench().schema().count("children")).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"jsonb", "json"})
  default void p11_c133_anErrorInAJsonColumnIsAJsonString(String type) {
    TestTable t =
        table("jobs")
            .key("id")
            .state()
            .with(Role.TOKEN)
            .with(Role.ERROR, "err", type)
            .create()
            .rows(1, 3);
    List<Claim> claims = t.queue().claim(3);
    String text = "it's \"q\" \\ \0 \n {}";
    t.queue().fail(claims.get(0), text);
    t.queue()
        .apply(
            List.of(
                new Change.Dead(claims.get(1), text), new Change.Dead(claims.get(2), "{\"a\":1}")));
    for (int id : new int[] {1, 2}) {
      assertThat(bench().schema().value("select err #>> '{}' from jobs where id = " + id))
          .isEqualTo(text.replace('\0', '\uFFFD'));
    }
    assertThat(t.count("state", "dead")).isEqualTo(2);
  }

  @Test
  default void p11_c137_oneUnreadableRowOfABatchIsToldAndCanBeFailed() {
    TestTable t = table("jobs").full().read("amount", "numeric").read("at", "timestamptz").create();
    for (int id = 1; id <= 10; id++) {
      t.add(
          "id",
          id,
          "amount",
          id == 5 ? new Raw("'NaN'") : id,
          "at",
          id == 7 ? new Raw("'infinity'") : null);
    }
    List<Claim> claims = t.queue().claim(10);
    assertThat(claims).hasSize(10);
    Claim bad = claims.get(4);
    assertThat(bad.problem().orElseThrow()).contains("amount");
    assertThat(claims.stream().filter(c -> c.problem().isPresent())).hasSizeLessThanOrEqualTo(2);
    assertThat(t.queue().fail(bad, bad.problem().orElseThrow())).isEqualTo(Applied.Status.RETRYING);
    assertThat(t.get(5, "amount").toString()).isEqualTo("NaN");
    t.expireAll();
    assertThat(t.queue().recover(20).size()).as("recovery reads no payload").isEqualTo(9);
  }

  @Test
  default void p13_c040_aTableOfTheSameNameInASchemaOnThePathStaysUntouched() {
    String name = "jobs";
    String decoy = "decoy_" + bench().schema().name();
    bench().schema().execute("create schema " + decoy);
    bench().closing(() -> bench().schema().execute("drop schema " + decoy + " cascade"));
    bench()
        .schema()
        .execute(
            "create table "
                + decoy
                + "."
                + name
                + " (id bigint primary key, state text, claim_no bigint)");
    bench().schema().execute("insert into " + decoy + "." + name + " values (1, 'ready', 0)");
    TestTable t = new TableSpec(bench(), bench().schema().name(), name).full().create().rows(1, 3);
    for (String path : List.of("''", decoy, "pg_catalog, " + decoy)) {
      Queue queue =
          t.queue(bench().pool(config -> config.setConnectionInitSql("set search_path = " + path)));
      queue.complete(claim(queue));
      assertThat(queue.stats().count(dev.rowlock.RowState.DONE)).isPositive();
    }
    assertThat(bench().schema().query("select * from " + decoy + "." + name))
        .containsExactly(List.of(1L, "ready", 0L));
    assertThat(t.count("state", "done")).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"bit(5)", "bit varying(5)", "char(5)", "varchar(5)", "text"})
  default void p13_typesWithALengthAreNeverCut(String type) {
    TestTable t =
        table("jobs")
            .key("k", type)
            .state()
            .with(Role.TOKEN)
            .write("one", type)
            .write("many", type + "[]")
            .create();
    t.add("k", "10000").add("k", "10001").add("k", "10100");
    Queue queue = t.queue();
    List<Claim> claims = queue.claim(3);
    java.util.Map<String, Object> results =
        java.util.Map.of("one", "10101", "many", "{10101,01010}");
    queue.complete(claims.get(0), results);
    assertThat(
            queue.apply(
                List.of(
                    new Change.Complete(claims.get(1), results),
                    new Change.Complete(claims.get(2), results))))
        .noneMatch(Applied::lost);
    assertThat(bench().schema().query("select distinct one::text, many::text from jobs"))
        .containsExactly(List.of("10101", "{10101,01010}"));
  }

  @Test
  default void transactional_aFailureOfAnIdentityAlwaysKeyHasNowhereToBeWritten() {
    TestTable t =
        table("outbox")
            .column("id", "bigint generated always as identity primary key")
            .column("payload", "text")
            .map(m -> m.key("id").onDone(dev.rowlock.OnDone.delete()))
            .transactional()
            .create();
    t.queue().enqueue(List.of(java.util.Map.of("payload", "x")));
    Applied failed =
        committed(
            c ->
                t.queue()
                    .apply(
                        c,
                        new Change.Fail(
                            t.queue().claim(c, 1).get(0), "x", java.util.Optional.empty())));
    assertThat(failed.status()).isEqualTo(Applied.Status.RETRYING);
    assertThat(t.queue().verify().safe()).isTrue();
  }

  @Test
  default void p14_anIdentityAlwaysKeyIsEnqueued() {
    TestTable t =
        table("jobs")
            .column("id", "bigint generated always as identity primary key")
            .map(m -> m.key("id"))
            .state()
            .create();
    assertThat(
            t.queue().enqueue(List.of(java.util.Map.of(), java.util.Map.of())).stream()
                .map(k -> k.get("id")))
        .containsExactly(1L, 2L);
  }
}
