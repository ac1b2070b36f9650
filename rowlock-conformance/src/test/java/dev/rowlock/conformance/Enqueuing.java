package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.ConfigurationException;
import dev.rowlock.Key;
import dev.rowlock.Role;
import dev.rowlock.State;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.TestTable.Raw;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Enqueue: defaults, generated keys, batches, all or nothing. */
interface Enqueuing extends Suite {

  @Test
  default void enqueue_fillsInWhatARowNeedsToBeClaimable() {
    // No defaults at all: only Rowlock knows what a new row looks like.
    TestTable t =
        table("jobs")
            .key("id")
            .state(
                State.of("state", "ready", "processing", "done"),
                db().varcharType(20) + " not null")
            .with(Role.TOKEN, "claim_no", db().bigintType() + " not null")
            .with(Role.ATTEMPTS, "attempts", db().intType() + " not null")
            .create();
    assertThat(t.queue().enqueue(List.of(Map.of("id", 1)))).containsExactly(t.queue().key("1"));
    assertThat(t.state(1)).isEqualTo("ready");
    assertThat(t.number(1, "attempts")).isZero();
    assertThat(claim(t.queue()).attempt()).hasValue(1);
  }

  @Test
  default void enqueue_keysThatTheDatabaseMakesAreReturnedInOrder() {
    TestTable t =
        table("jobs")
            .column("id", db().identityType() + " primary key")
            .map(m -> m.key("id"))
            .state()
            .read("title", db().textType())
            .create();
    List<Map<String, Object>> rows = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      rows.add(Map.of("title", "t" + i));
    }
    List<Key> keys = t.queue().enqueue(rows);
    assertThat(keys).hasSize(30).doesNotHaveDuplicates();
    List<dev.rowlock.Claim> claims = t.queue().claim(30);
    assertThat(claims.stream().map(dev.rowlock.Claim::key)).containsExactlyElementsOf(keys);
    assertThat(claims.stream().map(c -> c.row().get("title")))
        .startsWith("t0", "t1")
        .endsWith("t29");
  }

  @Test
  default void enqueue_aRowSaysMoreThanTheDefaults() {
    TestTable t = table("jobs").full().with(Role.PRIORITY).read("title", db().textType()).create();
    Map<String, Object> row = new HashMap<>();
    row.put("ID", 1);
    row.put("title", null);
    row.put("priority", 5);
    row.put("state", "done");
    row.put("run_at", dbNow().plus(Duration.ofHours(1)));
    t.queue().enqueue(List.of(row, Map.of("id", 2, "title", "水 'x'")));
    assertThat(t.state(1)).isEqualTo("done");
    assertThat(t.number(1, "priority")).isEqualTo(5);
    assertThat(t.get(1, "title")).isNull();
    assertThat(t.get(2, "title")).isEqualTo("水 'x'");
    assertThat(keys(t.queue().claim(5))).containsExactly(2L);
  }

  @Test
  default void enqueue_allOrNothing() {
    TestTable t = table("jobs").full().create().rows(5, 5);
    assertThatThrownBy(
            () -> t.queue().enqueue(List.of(Map.of("id", 4), Map.of("id", 5), Map.of("id", 6))))
        .isInstanceOfSatisfying(
            dev.rowlock.DatabaseException.class,
            e -> assertThat(e.fault()).isEqualTo(dev.rowlock.Fault.CONSTRAINT));
    assertThat(t.count()).isEqualTo(1);
  }

  @Test
  default void enqueue_aColumnThatIsNotThereIsRefused() {
    TestTable t = table("jobs").full().create();
    assertThatThrownBy(() -> t.queue().enqueue(List.of(Map.of("id", 1, "tilte", "x"))))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("tilte")
        .hasMessageContaining("state");
    assertThat(t.count()).isZero();
  }

  @Test
  default void enqueue_noRowsIsNoTrouble() {
    TestTable t = table("jobs").full().create();
    assertThat(t.queue().enqueue(List.of())).isEmpty();
    assertThat(t.queue().apply(List.of())).isEmpty();
  }

  @Test
  default void enqueue_intoARowThatIsReadyWithNull() {
    TestTable t =
        table("jobs")
            .key("id")
            .state(State.of("state", null, "processing", "done"), db().varcharType(20))
            .create();
    t.queue().enqueue(List.of(Map.of("id", 1)));
    assertThat(t.state(1)).isNull();
    assertThat(keys(t.queue().claim(1))).containsExactly(1L);
  }

  @Test
  default void enqueue_aVisibilityTimeoutRowIsDueAtOnce() {
    TestTable t =
        table("jobs")
            .key("id")
            .with(
                Role.LEASE_UNTIL,
                "visible_at",
                db().timestampType() + " default " + db().now() + " not null")
            .with(Role.RUN_AT, "visible_at", "")
            .with(Role.TOKEN)
            .map(m -> m.onDone(dev.rowlock.OnDone.delete()))
            .create();
    t.queue()
        .enqueue(
            List.of(Map.of("id", 1), Map.of("id", 2, "visible_at", dbNow().plusSeconds(3600))));
    assertThat(keys(t.queue().claim(5))).containsExactly(1L);
    t.setAll("visible_at", new Raw(db().nowPlus(-1)));
    assertThat(keys(t.queue().claim(5))).containsExactlyInAnyOrder(1L, 2L);
  }
}
