package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Claim;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.conformance.kit.TableSpec;
import dev.rowlock.conformance.kit.TestTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What the optimizers make of the statements on a table where nine of ten rows are done. */
interface MySqlPlans extends MySqlHazards {
  int ROWS = 200_000;

  private TestTable filled(TableSpec spec) {
    TestTable t = spec.create().rows(1, 1000);
    for (int n = 1000; n < ROWS; n *= 2) {
      t.sql(
          "insert into %s (id) select id + %s from %s where id <= %s",
          t.name(), n, t.name(), ROWS - n);
    }
    t.sql("update %s set state = if(id > %s, 'ready', 'done')", t.name(), ROWS / 10 * 9);
    t.queue().sql().advice().stream()
        .filter(s -> s.name().startsWith("index"))
        .forEach(s -> t.sql(s.sql()));
    t.sql("analyze table %s", t.name());
    return t;
  }

  /** The traditional plan: type, key and extra of each step. */
  private List<Map<String, String>> explain(TestTable t, String name) {
    String sql =
        t.queue(q -> q).sql().statements().stream()
            .filter(s -> s.name().equals(name))
            .findFirst()
            .orElseThrow()
            .sql();
    Map<String, String> values =
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
            "10",
            "window",
            "72");
    for (Map.Entry<String, String> value : values.entrySet()) {
      sql = sql.replaceAll("(?<!:):" + value.getKey() + "\\b", value.getValue());
    }
    sql = sql.replaceFirst("(?s)^SET STATEMENT[^\\n]*FOR\\n", "");
    String format = mySql().mariaDb() ? "explain " : "explain format=traditional ";
    List<Map<String, String>> steps = new ArrayList<>();
    for (List<Object> row : bench().schema().query(format + sql)) {
      int shift = row.size() - 10; // MySQL shows partitions, and how much is filtered
      steps.add(
          Map.of(
              "table", String.valueOf(row.get(2)),
              "type", String.valueOf(row.get(shift > 0 ? 4 : 3)),
              "key", String.valueOf(row.get(shift > 0 ? 6 : 5)),
              "extra", String.valueOf(row.get(row.size() - 1))));
    }
    return steps;
  }

  /** Before 11, MariaDB sorts what it has found by an index where a column IS NULL. */
  private boolean sortsNulls() {
    return mySql().mariaDb() && db().name().matches("MariaDB 10\\..*");
  }

  private void indexRanges(TestTable t, String statement, boolean sorted) {
    List<Map<String, String>> plan = explain(t, statement);
    String shown =
        statement + "\n" + plan.stream().map(Map::toString).collect(Collectors.joining("\n"));
    List<Map<String, String>> reads =
        plan.stream().filter(s -> s.get("table").equals("q")).toList();
    assertThat(reads).as(shown).isNotEmpty();
    for (Map<String, String> read : reads) {
      assertThat(read.get("type")).as(shown).isIn("range", "ref");
      assertThat(read.get("key")).as(shown).startsWith("rowlock_").endsWith("_claim");
      if (!sorted) {
        assertThat(read.get("extra")).as(shown).doesNotContain("filesort");
      }
    }
    assertThat(plan)
        .as(shown)
        .anyMatch(
            s ->
                s.get("table").equals("t")
                    && s.get("key").equals("PRIMARY")
                    && s.get("type").equals("eq_ref"));
  }

  @Test
  default void p03_theClaimIsAnIndexRangeInClaimOrder() {
    TestTable t =
        filled(table("jobs").key("id").state().with(Role.TOKEN, Role.LEASE_UNTIL, Role.ATTEMPTS));
    indexRanges(t, "claim, step 1", false);
    indexRanges(t, "recover, step 1", false);
    Queue queue = t.queue(q -> q);
    long before = reads();
    List<Claim> claims = queue.claim(10);
    assertThat(keys(claims))
        .isEqualTo(List.copyOf(TestTable.ids(ROWS / 10 * 9 + 1, ROWS / 10 * 9 + 10)));
    queue.complete(claims.get(0));
    assertThat(reads() - before)
        .as("rows read by a claim of ten and a completion")
        .isLessThan(2000);
  }

  @Test
  default void p03_theClaimIsIndexRangesWithColumnsThatMayBeNull() {
    TestTable t = filled(table("jobs").full().with(Role.PRIORITY));
    indexRanges(t, "claim, step 1", sortsNulls());
    assertThat(explain(t, "claim, step 1").stream().filter(s -> s.get("table").equals("q")))
        .hasSize(4);
    assertThat(keys(t.queue(q -> q).claim(2)))
        .containsExactly(ROWS / 10 * 9 + 1L, ROWS / 10 * 9 + 2L);
  }

  private long reads() {
    return bench().schema().query("show global status like 'Innodb_rows_read'").stream()
        .mapToLong(r -> Long.parseLong(r.get(1).toString()))
        .sum();
  }
}
