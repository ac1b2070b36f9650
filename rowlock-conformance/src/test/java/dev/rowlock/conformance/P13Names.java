package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.RowState;
import dev.rowlock.State;
import dev.rowlock.conformance.kit.TableSpec;
import dev.rowlock.conformance.kit.TestTable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** P13: any legal name. */
interface P13Names extends Suite {

  /** The whole life of five rows, through every statement that there is. */
  private void wholeLife(TestTable t, String key, String result, State state) {
    Queue queue = t.queue();
    queue.enqueue(List.of(Map.of(key, 1), Map.of(key, 2), Map.of(key, 3)));
    queue.enqueue(List.of(Map.of(key, 4), Map.of(key, 5)));
    List<Claim> claims = queue.claim(5);
    assertThat(keys(claims)).containsExactly(1L, 2L, 3L, 4L, 5L);
    assertThat(claims.get(0).row()).containsKey(result);
    Claim extended = queue.extend(claims.get(0), Duration.ofHours(1));
    queue.complete(queue.claim(extended.token()), Map.of(result, "fertig"));
    assertThat(t.state(1)).isEqualTo(state.done().orElseThrow());
    assertThat(t.get(1, result)).isEqualTo("fertig");
    assertThat(
            queue.apply(
                List.of(
                    new Change.Fail(claims.get(1), "x", java.util.Optional.of(Duration.ZERO)),
                    new Change.Dead(claims.get(2), "x"),
                    new Change.Snooze(claims.get(3), Duration.ofHours(1)))))
        .noneMatch(Applied::lost);
    assertThat(t.state(2)).isEqualTo(state.ready().get(0));
    assertThat(t.state(3)).isEqualTo(state.dead().orElseThrow());
    t.expireAll();
    assertThat(queue.recover(10).ready()).containsExactly(queue.key("5"));
    queue.release(claim(queue));
    assertThat(queue.stats().count(RowState.READY)).isEqualTo(2);
    assertThat(queue.list(RowState.DEAD, 5)).hasSize(1);
    assertThat(queue.show(queue.key("1")).orElseThrow().state()).isEqualTo(RowState.DONE);
    assertThat(queue.resetUnfenced(List.of(queue.key("1")))).isEmpty();
    assertThat(queue.verify().safe()).isTrue();
    assertThat(queue.sql().statements()).isNotEmpty();
    queue.sql().advice().forEach(s -> t.sql(s.sql()));
    assertThat(claim(t.queue(q -> q)).key()).isIn(queue.key("2"), queue.key("5"));
  }

  private TableSpec named(String table, String prefix) {
    return bench()
        .table(table)
        .with(Role.TOKEN, prefix + "no", db().bigintType() + " default 0 not null")
        .with(Role.ATTEMPTS, prefix + "try", db().intType() + " default 0 not null")
        .with(Role.LEASE_UNTIL, prefix + "until", db().timestampType())
        .with(Role.RUN_AT, prefix + "from", db().timestampType())
        .with(Role.PRIORITY, prefix + "order", db().intType())
        .with(Role.WORKER, prefix + "by", db().varcharType(100))
        .with(Role.ERROR, prefix + "error", db().textType());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Mixed Case ",
        "a\"b",
        "État ",
        "水",
        "x:name{set}?.",
        "a.b.",
        "it's ",
        "$1 ",
        "semi;colon--",
        "back\\slash",
        "100% ",
        "[bracket]`tick`",
        "{table}",
        ":limit ",
        "two\nlines\r\n\n "
      })
  default void p13_c037_anyCharacterInEveryName(String prefix) {
    State state =
        State.of(prefix + "state", "prêt", "en cours", "fini : {x} ?").withDead("it's dead");
    TestTable t =
        named(prefix + "table", prefix)
            .key(prefix + "Id")
            .state(state)
            .read(prefix + "result", db().textType())
            .map(m -> m.write(prefix + "result"))
            .create();
    wholeLife(t, prefix + "Id", prefix + "result", state);
  }

  @Test
  default void p13_c037_aSchemaWithASpaceAndAReservedTable() {
    String schema = "Ops Queue " + bench().schema().name();
    bench().closing(db().createSchema(bench().schema(), schema));
    State state = State.of("État", "prêt", "pris", "fini").withDead("mort");
    TestTable t =
        new TableSpec(bench(), schema, "Order")
            .with(Role.TOKEN, "a\"b", db().bigintType() + " default 0 not null")
            .with(Role.ATTEMPTS, "user", db().intType() + " default 0 not null")
            .with(Role.LEASE_UNTIL, "until", db().timestampType())
            .with(Role.RUN_AT, "when", db().timestampType())
            .key("Id")
            .state(state)
            .read("comment", db().textType())
            .map(m -> m.write("comment"))
            .create();
    wholeLife(t, "Id", "comment", state);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"select", "user", "group", "order", "table", "key", "limit", "value", "default"})
  default void p13_c038_reservedWords(String word) {
    State state = State.of(word + "_", "ready", "processing", "done").withDead("dead");
    TestTable t =
        table(word)
            .key(word)
            .state(state)
            .with(Role.TOKEN, "grant", db().bigintType() + " default 0 not null")
            .with(Role.ATTEMPTS, "where", db().intType() + " default 0 not null")
            .with(Role.LEASE_UNTIL, "from", db().timestampType())
            .with(Role.RUN_AT, "to", db().timestampType())
            .read("as", db().textType())
            .map(m -> m.write("as"))
            .create();
    wholeLife(t, word, "as", state);
  }

  @Test
  default void p13_namesOfRowlocksOwnAliasesAndParameters() {
    State state = State.of("q", "ready", "processing", "done").withDead("dead");
    TestTable t =
        table("n")
            .key("t")
            .state(state)
            .with(Role.TOKEN, "limit", db().bigintType() + " default 0 not null")
            .with(Role.ATTEMPTS, "g", db().intType() + " default 0 not null")
            .with(Role.LEASE_UNTIL, "u", db().timestampType())
            .with(Role.RUN_AT, "delay_ms", db().timestampType())
            .with(Role.ERROR, "error", db().textType())
            .with(Role.WORKER, "worker", db().varcharType(80))
            .read("s", db().textType())
            .map(m -> m.write("s"))
            .create();
    wholeLife(t, "t", "s", state);
  }

  @Test
  default void p13_namesThatDifferInPunctuationOnlyKeepTheirOwnValues() {
    TestTable t =
        table("jobs")
            .key("a b")
            .key("a_b")
            .key("a_b_0")
            .key("a-b")
            .state()
            .with(Role.TOKEN)
            .create();
    t.add("a b", 1, "a_b", 2, "a_b_0", 3, "a-b", 4);
    t.add("a b", 3, "a_b", 2, "a_b_0", 3, "a-b", 4);
    Claim claim = claim(t.queue());
    assertThat(claim.key()).isEqualTo(t.queue().key("1", "2", "3", "4"));
    t.queue().complete(claim);
    assertThat(t.state(List.of(1, 2, 3, 4))).isEqualTo("done");
    assertThat(t.state(List.of(3, 2, 3, 4))).isEqualTo("ready");
  }

  @Test
  default void p13_columnNamesOfRowlocksOwnAreRefused() {
    for (String name : List.of("rowlock_n", "rowlock_state", "ROWLOCK_DEAD", "rowlock_fence_x")) {
      TestTable t = table("t_" + name).key("id").state().read(name, db().intType()).create();
      assertThatThrownBy(t::queue)
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining(name)
          .hasMessageContaining("rename");
    }
  }

  @Test
  default void p13_columnsThatDifferInCaseOnlyAreToldApartOrRefused() {
    needs(Facility.CASE_SENSITIVE_COLUMNS);
    TestTable t =
        table("jobs")
            .key("id")
            .column("ID", db().bigintType())
            .state()
            .column("State", db().varcharType(10))
            .create()
            .rows(1, 1);
    t.queue().complete(claim(t.queue()));
    assertThat(t.state(1)).isEqualTo("done");
    assertThat(t.get(1, "State")).isNull();
    assertThatThrownBy(
            () ->
                Queue.builder(
                        "test",
                        bench().pool(),
                        dev.rowlock.Mapping.table("jobs")
                            .key("Id")
                            .state("state", "ready", "processing", "done")
                            .build())
                    .build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("Id")
        .hasMessageContaining("ambiguous");
  }

  @Test
  default void p13_aNameInAnotherCaseIsFoundIfThereIsOne() {
    TestTable t =
        table("Jobs").key("Id").state(State.of("State", "ready", "processing", "done")).create();
    t.add("Id", 1);
    Queue queue =
        Queue.builder(
                "test",
                bench().pool(),
                dev.rowlock.Mapping.table("JOBS")
                    .key("ID")
                    .state("STATE", "ready", "processing", "done")
                    .build())
            .build();
    assertThat(claim(queue).key().values()).containsOnlyKeys("Id");
  }

  @Test
  default void p13_whatIsNotThereIsRefusedWithWhatIs() {
    table("jobs").key("id").state().create();
    assertThatThrownBy(
            () ->
                Queue.builder(
                        "test",
                        bench().pool(),
                        dev.rowlock.Mapping.table("jobs")
                            .key("id")
                            .state("status", "a", "b", "c")
                            .build())
                    .build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("status")
        .hasMessageContaining("state");
    assertThatThrownBy(
            () ->
                Queue.builder(
                        "test",
                        bench().pool(),
                        dev.rowlock.Mapping.table("jbos")
                            .key("id")
                            .state("state", "a", "b", "c")
                            .build())
                    .build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("jbos");
  }

  @Test
  default void p13_c042_longNamesAreKeptApart() {
    String longName = "queue_" + "x".repeat(50);
    for (String name : List.of(longName + "_one", longName + "_two")) {
      TestTable t = table(name).full().with(Role.PRIORITY).create().rows(1, 2);
      t.queue().sql().advice().forEach(s -> t.sql(s.sql()));
      assertThat(t.queue(q -> q).claim(5)).hasSize(2);
      assertThat(t.queue(q -> q).sql().advice()).as("%s has its index", name).isEmpty();
    }
  }
}
