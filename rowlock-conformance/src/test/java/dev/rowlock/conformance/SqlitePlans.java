package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Claim;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.SqlListing;
import dev.rowlock.conformance.kit.TableSpec;
import dev.rowlock.conformance.kit.TestTable;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What SQLite's planner does with the statements. */
interface SqlitePlans extends Suite {

  /** Tables and orders as people have them. */
  enum Shape {
    STATE,
    FULL,
    PRIORITIES,
    NEWEST_FIRST,
    COMPOSITE,
    WITHOUT_ROWID,
    MARKERS,
    VISIBILITY,
    NOCASE
  }

  private TableSpec spec(Shape shape) {
    TableSpec spec = table("jobs");
    return switch (shape) {
      case STATE -> spec.key("id").state();
      case FULL -> spec.full();
      case PRIORITIES -> spec.full().with(Role.PRIORITY);
      case NEWEST_FIRST ->
          spec.full().with(Role.PRIORITY).map(m -> m.order("priority desc nulls first", "id desc"));
      case COMPOSITE -> spec.key("tenant", "text").key("no", "integer").state();
      case WITHOUT_ROWID ->
          spec.key("tenant", "text").key("no", "integer").state().suffix("without rowid");
      case MARKERS -> spec.key("id").with(Role.LEASE_UNTIL, Role.DONE_AT);
      case VISIBILITY ->
          spec.key("id")
              .with(Role.RUN_AT, "visible_at", "datetime default current_timestamp not null")
              .with(Role.LEASE_UNTIL, "visible_at", "")
              .with(Role.TOKEN, Role.DONE_AT);
      case NOCASE -> spec.key("code", "text collate nocase").state();
    };
  }

  private String plan(Queue queue, String statement) {
    StringBuilder all = new StringBuilder();
    for (SqlListing.Statement s : queue.sql().statements()) {
      // What only takes the lock reads no row, whatever its plan would be.
      if (s.name().startsWith(statement) && !s.name().endsWith("before")) {
        bench()
            .schema()
            .query("explain query plan " + s.sql())
            .forEach(r -> all.append(r.get(3)).append('\n'));
      }
    }
    assertThat(all).isNotEmpty();
    return all.toString();
  }

  @ParameterizedTest
  @EnumSource(Shape.class)
  default void c005_sqlite_aClaimReadsTheFrontOfItsIndexAndSortsNothing(Shape shape) {
    TestTable t = spec(shape).create();
    assertThat(t.queue().sql().advice()).extracting("name").contains("index for claims");
    t.queue().sql().advice().stream()
        .filter(a -> a.name().equals("index for claims"))
        .forEach(a -> t.sql(a.sql()));
    Queue queue = t.queue(q -> q);
    assertThat(queue.sql().advice()).extracting("name").doesNotContain("index for claims");
    for (String analyzed : List.of("never", "when empty")) {
      String plan = plan(queue, "claim");
      assertThat(plan)
          .as("%s, analyzed %s", shape, analyzed)
          .containsPattern("SEARCH q USING (COVERING )?INDEX rowlock_jobs_claim")
          .doesNotContain("TEMP B-TREE")
          .doesNotContain("SCAN");
      t.sql("analyze");
    }
  }

  @Test
  default void c005_sqlite_twoHundredThousandRowsOfWhichNineTenthsAreDone() {
    TestTable t = table("jobs").full().with(Role.PRIORITY).create();
    t.queue().sql().advice().forEach(a -> t.sql(a.sql()));
    t.sql(
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000)"
            + " insert into jobs(id, state, priority) select i, iif(i % 10 = 0, 'ready', 'done'), i % 7 from n");
    for (String statistics : List.of("select 1", "analyze")) {
      t.sql(statistics);
      Queue queue = t.queue(q -> q);
      assertThat(plan(queue, "claim")).contains("INDEX rowlock_jobs_claim").doesNotContain("TEMP");
      assertThat(plan(queue, "recover")).doesNotContain("SCAN q").doesNotContain("TEMP");
      assertThat(plan(queue, "complete"))
          .contains("autoindex_jobs_1 (id=?)")
          .doesNotContain("SCAN");
      List<Claim> claims = queue.claim(20);
      assertThat(claims).hasSize(20);
      assertThat(claims.stream().map(c -> t.number(c.key().get("id"), "priority")))
          .containsOnly(0L);
      claims.forEach(queue::release);
    }
  }

  @Test
  default void c005_sqlite_anIndexOnTheStateAloneIsEnoughForTheRowidsOrder() {
    TestTable t = table("films").key("id", "integer").state().with(Role.TOKEN).create();
    t.sql("create index by_state on films(state)");
    assertThat(t.queue().sql().advice()).extracting("name").doesNotContain("index for claims");
    assertThat(plan(t.queue(), "claim")).contains("INDEX by_state").doesNotContain("TEMP");
  }
}
