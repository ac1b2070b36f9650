package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.LeaseLostException;
import dev.rowlock.OnDone;
import dev.rowlock.Role;
import dev.rowlock.conformance.kit.TableSpec;
import dev.rowlock.conformance.kit.TestTable;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What completion leaves behind: results, stamps, a deleted or an archived row. */
interface Completion extends Suite {

  @Test
  default void done_updateStampsAndEndsTheLease() {
    TestTable t = table("jobs").full().with(Role.DONE_AT).create().rows(1, 1);
    t.queue().complete(claim(t.queue()));
    assertThat(t.state(1)).isEqualTo("done");
    assertThat(t.get(1, "done_at")).isNotNull();
    assertThat(t.get(1, "lease_until")).isNull();
    assertThat(t.number(1, "attempts")).isEqualTo(1);
    assertThat(t.get(1, "worker")).as("who did it").isEqualTo(t.queue().instance());
  }

  @Test
  default void done_resultsOfEveryType() {
    TestTable t =
        table("jobs")
            .full()
            .write("a", db().textType())
            .write("b", db().intType())
            .write("c", db().decimalType(20, 4))
            .write("d", db().booleanType())
            .write("e", db().uuidType())
            .write("f", db().binaryType())
            .write("g", db().timestampType())
            .write("h", "date")
            .create()
            .rows(1, 4);
    Map<String, Object> results = new HashMap<>();
    results.put("a", "it's \"für\" 水 \uD83D\uDE00 \\ :x ?");
    results.put("b", 7);
    results.put("c", new BigDecimal("1.5000"));
    results.put("d", true);
    results.put("e", java.util.UUID.fromString("1b4e28ba-2fa1-11d2-883f-0016d3cca427"));
    results.put("f", new byte[] {0, (byte) 0xff});
    results.put("g", Instant.parse("2026-10-25T00:30:00Z"));
    results.put("h", java.time.LocalDate.parse("2026-02-28"));
    List<Claim> claims = t.queue().claim(4);
    t.queue().complete(claims.get(0), results);
    t.queue()
        .apply(
            List.of(
                new Change.Complete(claims.get(1), results),
                new Change.Complete(claims.get(2), results)));
    committed(
        c -> {
          t.queue().complete(c, claims.get(3), results);
          return null;
        });
    for (int id = 1; id <= 4; id++) {
      assertThat(t.get(id, "a")).isEqualTo(results.get("a"));
      assertThat(t.number(id, "b")).isEqualTo(7);
      assertThat(new BigDecimal(t.get(id, "c").toString())).isEqualByComparingTo("1.5");
      assertThat(t.get(id, "d")).isEqualTo(true);
      assertThat(t.get(id, "e")).hasToString(results.get("e").toString());
      assertThat((byte[]) t.get(id, "f")).containsExactly(0, 0xff);
      assertThat(
              instant("select %s from %s where %s".formatted(db().quote("g"), t.name(), t.is(id))))
          .isEqualTo(results.get("g"));
      assertThat(t.get(id, "h").toString()).isEqualTo("2026-02-28");
    }
  }

  @Test
  default void done_aResultMayBeNullAndOthersStayAsTheyAre() {
    TestTable t =
        table("jobs").full().write("a", db().textType()).write("b", db().textType()).create();
    t.add("id", 1, "a", "old", "b", "old").add("id", 2, "a", "old", "b", "old");
    List<Claim> claims = t.queue().claim(2);
    Map<String, Object> nothing = new HashMap<>();
    nothing.put("a", null);
    t.queue()
        .apply(
            List.of(
                new Change.Complete(claims.get(0), nothing),
                new Change.Complete(claims.get(1), Map.of("B", "new"))));
    assertThat(t.get(1, "a")).isNull();
    assertThat(t.get(1, "b")).isEqualTo("old");
    assertThat(t.get(2, "a")).isEqualTo("old");
    assertThat(t.get(2, "b")).as("found without regard to case").isEqualTo("new");
  }

  @Test
  default void done_aResultThatIsNoWriteColumnIsRefused() {
    TestTable t =
        table("jobs")
            .full()
            .read("title", db().textType())
            .write("a", db().textType())
            .create()
            .rows(1, 1);
    Claim claim = claim(t.queue());
    for (String column : List.of("title", "state", "nothing")) {
      assertThatThrownBy(() -> t.queue().complete(claim, Map.of(column, "x")))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining(column)
          .hasMessageContaining("[a]");
    }
    assertThat(t.state(1)).isEqualTo("processing");
  }

  @Test
  default void done_deleteRemovesTheRowAndOnlyThat() {
    TestTable t = table("jobs").full().map(m -> m.onDone(OnDone.delete())).create().rows(1, 8);
    List<Claim> claims = t.queue().claim(5);
    t.queue().complete(claims.get(0));
    assertThat(
            t.queue()
                .apply(
                    List.of(
                        new Change.Complete(claims.get(1)), new Change.Complete(claims.get(2)))))
        .noneMatch(Applied::lost);
    rolledBack(c -> t.queue().apply(c, new Change.Complete(claims.get(3))));
    committed(c -> t.queue().apply(c, new Change.Complete(claims.get(4))));
    assertThat(t.all().stream().map(r -> r.get(0))).containsExactly(4L, 6L, 7L, 8L);
    assertThatThrownBy(() -> t.queue().complete(claims.get(0)))
        .isInstanceOf(LeaseLostException.class);
    assertThat(t.queue().fail(claims.get(3), "x"))
        .as("others stay")
        .isEqualTo(Applied.Status.RETRYING);
  }

  /** A table and its archive, which lacks a column and has one more. */
  private TestTable archived() {
    table("archive")
        .key("id")
        .column("state", db().varcharType(20))
        .column("title", db().textType())
        .column("result", db().textType())
        .column("done_at", db().timestampType())
        .column("attempts", db().intType())
        .column("archived_by", db().varcharType(20) + " default 'rowlock'")
        .state(dev.rowlock.State.of("state", "a", "b", "c"), db().varcharType(20))
        .create();
    TableSpec spec =
        table("jobs")
            .full()
            .with(Role.DONE_AT)
            .read("title", db().textType())
            .write("result", db().textType())
            .map(m -> m.onDone(OnDone.archive("archive")));
    TestTable t = spec.create();
    for (int id = 1; id <= 6; id++) {
      t.add("id", id, "title", "t" + id);
    }
    return t;
  }

  private List<List<Object>> archive() {
    return bench()
        .schema()
        .query(
            "select %s, %s, %s, %s, %s from %s order by 1"
                .formatted(
                    db().quote("id"),
                    db().quote("state"),
                    db().quote("title"),
                    db().quote("result"),
                    db().quote("archived_by"),
                    db().quote("archive")));
  }

  @Test
  default void done_archiveMovesTheFinishedRow() {
    TestTable t = archived();
    List<Claim> claims = t.queue().claim(5);
    t.queue().complete(claims.get(0), Map.of("result", "r1"));
    t.queue()
        .apply(
            List.of(
                new Change.Complete(claims.get(1), Map.of("result", "r2")),
                new Change.Complete(claims.get(2), Map.of("result", "r3"))));
    committed(c -> t.queue().apply(c, new Change.Complete(claims.get(3))));
    rolledBack(c -> t.queue().apply(c, new Change.Complete(claims.get(4))));
    assertThat(t.all().stream().map(r -> r.get(0))).containsExactly(5L, 6L);
    assertThat(archive())
        .containsExactly(
            List.of(1L, "done", "t1", "r1", "rowlock"),
            List.of(2L, "done", "t2", "r2", "rowlock"),
            List.of(3L, "done", "t3", "r3", "rowlock"),
            java.util.Arrays.asList(4L, "done", "t4", null, "rowlock"));
    assertThat(
            bench()
                .schema()
                .count(db().quote("archive") + " where " + db().quote("done_at") + " is null"))
        .isZero();
  }

  @Test
  default void done_anArchivedClaimIsOverAndALostOneArchivesNothing() {
    TestTable t = archived();
    List<Claim> claims = t.queue().claim(3);
    t.queue().complete(claims.get(0));
    assertThatThrownBy(() -> t.queue().complete(claims.get(0)))
        .isInstanceOf(LeaseLostException.class);
    t.queue().release(claims.get(1));
    assertThat(
            t
                .queue()
                .apply(
                    List.of(new Change.Complete(claims.get(1)), new Change.Complete(claims.get(2))))
                .stream()
                .map(Applied::lost))
        .containsExactly(true, false);
    assertThat(archive()).hasSize(2);
    assertThat(t.count()).isEqualTo(4);
  }

  @Test
  default void done_anArchiveThatIsMissingOrTooNarrowIsRefused() {
    TestTable missing = table("jobs").full().map(m -> m.onDone(OnDone.archive("nowhere"))).create();
    assertThatThrownBy(missing::queue)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("nowhere");
    table("narrow").key("other").state().create();
    TestTable narrow = table("jobs2").full().map(m -> m.onDone(OnDone.archive("narrow"))).create();
    assertThatThrownBy(narrow::queue)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("narrow")
        .hasMessageContaining("id");
  }
}
