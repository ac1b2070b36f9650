package dev.rowlock.dialect;

import dev.rowlock.Role;
import dev.rowlock.spi.Assignments;
import dev.rowlock.spi.ClaimPlan;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Model;
import dev.rowlock.spi.Predicates;
import dev.rowlock.spi.Sql;
import java.util.Map;

/**
 * Claims where one row of a group at a time is worked on. A claim that is not committed yet is seen
 * by nobody, and meanwhile a row that comes before the claimed one may appear: a higher priority, a
 * number drawn earlier and committed later, a dead letter sent back. So a claim holds a lock on its
 * group until its transaction ends, and looks at the group again while it holds it.
 */
record PostgreSqlGroups(PostgreSql dialect, Model model) {

  // Tried, not waited for: whoever has the group is claiming one of its rows.
  private static final String LOCK =
      """
      WITH next AS MATERIALIZED (
        SELECT {q.selected}, {q.group} AS rowlock_group
        FROM {table} AS q
        WHERE {ready}
        ORDER BY {order}
        LIMIT {limit}
        FOR NO KEY UPDATE OF q SKIP LOCKED
      )
      SELECT {c.selected}
      FROM next AS c
      WHERE c.rowlock_group IS NULL
        OR pg_try_advisory_xact_lock(hashtextextended(CAST(c.rowlock_group AS text), {seed}))
      """;

  private static final String UPDATE =
      """
      UPDATE {table} AS t
      SET {set}
      WHERE {key=} AND {still}
      """;

  private static final String READ =
      """
      SELECT {q.out}
      FROM {table} AS q
      WHERE {q.key=}
      """;

  ClaimPlan claim(int ready, String limit) {
    Predicates where = new Predicates(model);
    Map<String, String> f = model.fragments();
    f.put("limit", limit);
    f.put("ready", where.ready("q", ready));
    f.put("order", dialect.order(model, "q"));
    f.put("q.group", model.role(Role.GROUP).orElseThrow().of("q"));
    f.put("seed", Integer.toString(model.table().quoted().hashCode()));
    Map<Column, String> set = new Assignments(model, "t").claim();
    boolean lockOnly = set.isEmpty();
    f.put("q.selected", f.get(lockOnly ? "q.out" : "q.key"));
    f.put("c.selected", lockOnly ? f.get("c.out") : Model.columns("c", model.key()));
    Sql lock = Sql.of(LOCK, f);
    if (lockOnly) {
      return new ClaimPlan.LockOnly(lock);
    }
    f.put("set", Assignments.sql(set));
    f.put("key=", dialect.keyEquals(model, "t"));
    f.put("q.key=", dialect.keyEquals(model, "q"));
    f.put("still", dialect.opaque(where.ready("t", ready)));
    return new ClaimPlan.LockThenUpdate(lock, Sql.of(UPDATE, f), Sql.of(READ, f));
  }
}
