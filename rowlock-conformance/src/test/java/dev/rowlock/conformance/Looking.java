package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.RowState;
import dev.rowlock.RowView;
import dev.rowlock.State;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.TestTable.Raw;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Row states, stats, list, show and sql: what people and dashboards see. */
interface Looking extends Suite {

  @Test
  default void look_everyRowIsInOneState() {
    State state =
        State.of("state", "ready", "processing", "done").withDead("dead").withFailed("failed");
    TestTable t =
        table("jobs")
            .key("id")
            .state(state)
            .with(Role.TOKEN, Role.ATTEMPTS, Role.LEASE_UNTIL, Role.CLAIMED_AT, Role.RUN_AT)
            .column("lang", db().varcharType(5) + " default 'ru'")
            .map(m -> m.where(db().quote("lang") + " = 'ru'"))
            .create();
    Raw past = new Raw(db().nowPlus(-60_000));
    Raw future = new Raw(db().nowPlus(3_600_000));
    t.add("id", 1).add("id", 2, "run_at", past).add("id", 3, "run_at", future);
    t.add("id", 4, "state", "processing", "lease_until", future, "claimed_at", past);
    t.add("id", 5, "state", "processing", "lease_until", past, "claimed_at", past);
    t.add("id", 6, "state", "processing");
    t.add("id", 7, "state", "done").add("id", 8, "state", "failed").add("id", 9, "state", "dead");
    t.add("id", 10, "state", "odd").add("id", 11, "lang", "en").add("id", 12, "attempts", 5);
    Map<Integer, RowState> wanted =
        Map.ofEntries(
            Map.entry(1, RowState.READY),
            Map.entry(2, RowState.READY),
            Map.entry(3, RowState.SCHEDULED),
            Map.entry(4, RowState.PROCESSING),
            Map.entry(5, RowState.EXPIRED),
            Map.entry(6, RowState.STUCK),
            Map.entry(7, RowState.DONE),
            Map.entry(8, RowState.FAILED),
            Map.entry(9, RowState.DEAD),
            Map.entry(10, RowState.OTHER),
            Map.entry(11, RowState.OTHER),
            Map.entry(12, RowState.FAILED));
    Queue queue = t.queue();
    Map<RowState, Long> counts = new EnumMap<>(RowState.class);
    wanted.forEach(
        (id, expected) -> {
          assertThat(queue.show(queue.key(id.toString())).orElseThrow().state())
              .as("row %s", id)
              .isEqualTo(expected);
          counts.merge(expected, 1L, Long::sum);
        });
    assertThat(queue.stats().counts()).isEqualTo(counts);
    for (RowState each : RowState.values()) {
      assertThat(queue.list(each, 100).stream().map(RowView::state))
          .as("list of %s", each)
          .hasSize(counts.get(each).intValue())
          .containsOnly(each);
    }
    assertThat(queue.stats().queue()).isEqualTo("test");
    assertThat(queue.stats().oldestReadySeconds().orElseThrow()).isBetween(55.0, 120.0);
    assertThat(keys(queue.claim(50)))
        .as("what is called ready is what is claimed")
        .containsExactlyInAnyOrder(1L, 2L);
  }

  @Test
  default void look_listsAreInClaimOrderAndBounded() {
    TestTable t = table("jobs").full().with(Role.PRIORITY).create();
    for (int id = 1; id <= 9; id++) {
      t.add("id", id, "priority", 10 - id);
    }
    assertThat(t.queue().list(RowState.READY, 3).stream().map(r -> r.key().get("id")))
        .containsExactly(9L, 8L, 7L);
    assertThat(t.queue().list(RowState.DONE, 3)).isEmpty();
  }

  @Test
  default void look_aRowIsShownWithEveryMappedColumn() {
    TestTable t =
        table("jobs")
            .full()
            .read("title", db().textType())
            .write("result", db().textType())
            .create();
    t.add("id", 1, "title", "für");
    claim(t.queue());
    RowView row = t.queue().show(t.queue().key("1")).orElseThrow();
    assertThat(row.state()).isEqualTo(RowState.PROCESSING);
    assertThat(row.columns())
        .containsKeys(
            "id",
            "state",
            "claim_no",
            "attempts",
            "lease_until",
            "worker",
            "run_at",
            "last_error",
            "title",
            "result")
        .containsEntry("title", "für")
        .containsEntry("attempts", 1L)
        .containsEntry("result", null);
    assertThat(row.columns().get("lease_until")).isInstanceOf(String.class);
  }

  @Test
  default void look_lookingChangesNothing() {
    TestTable t = table("jobs").full().create().rows(1, 5);
    t.queue().claim(2);
    List<List<Object>> before = t.all();
    t.queue().stats();
    t.queue().list(RowState.PROCESSING, 5);
    t.queue().show(t.queue().key("1"));
    t.queue().sql();
    t.queue().verify();
    assertThat(t.all()).isEqualTo(before);
  }

  @Test
  default void look_theStatementsAreToldWithNamedValues() {
    TestTable t = table("jobs").full().create();
    var listing = t.queue().sql();
    assertThat(listing.statements())
        .extracting("name")
        .anyMatch(n -> n.toString().startsWith("claim"));
    assertThat(listing.statements())
        .allSatisfy(
            s -> {
              assertThat(s.comment()).isNotBlank();
              assertThat(s.sql()).doesNotContain("?").contains(db().quote("jobs"));
            });
    assertThat(listing.statements().toString()).contains(":limit", ":lease_ms", ":max_attempts");
    assertThat(listing.advice()).extracting("name").contains("index for claims");
    listing.advice().forEach(s -> t.sql(s.sql()));
    assertThat(t.queue(q -> q).sql().advice())
        .extracting("name")
        .doesNotContain("index for claims");
  }

  @Test
  default void look_adviceIsDdlThatRuns() {
    for (int shape = 0; shape < 5; shape++) {
      var spec = table("shape" + shape).key("id");
      switch (shape) {
        case 0 -> spec.state();
        case 1 -> spec.with(Role.DONE_AT, Role.LEASE_UNTIL);
        case 2 ->
            spec.state()
                .with(Role.PRIORITY, Role.RUN_AT)
                .map(m -> m.order("priority desc", "run_at nulls first"));
        case 3 -> spec.with(Role.DONE_AT).transactional();
        default -> spec.state().with(Role.GROUP);
      }
      TestTable t = spec.create();
      t.queue().sql().advice().forEach(s -> t.sql(s.sql()));
      assertThat(t.queue(q -> q).sql().advice())
          .as("shape %s", shape)
          .extracting("name")
          .doesNotContain("index for claims");
    }
  }

  @Test
  default void look_c092_countingDoesNotWaitForOpenClaims() {
    TestTable t = table("jobs").full().create().rows(1, 10);
    OpenTransaction other = open();
    List<Claim> claims = t.queue().claim(other.connection(), 5);
    t.queue().apply(other.connection(), claims.stream().map(Change.Complete::new).toList());
    assertThat(t.queue().stats().count(RowState.READY)).isEqualTo(10);
    other.commit();
    assertThat(t.queue().stats().count(RowState.READY)).isEqualTo(5);
    assertThat(t.queue().stats().count(RowState.DONE)).isEqualTo(5);
  }
}
