package dev.rowlock.dialect;

import dev.rowlock.Role;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Kind;
import dev.rowlock.spi.Model;
import dev.rowlock.spi.Predicates;
import dev.rowlock.spi.RowStates;
import dev.rowlock.spi.Sql;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Statements that only look. None of them waits for a lock (C-092), and none counts what is not
 * committed: where READ_COMMITTED_SNAPSHOT is on they read the last committed state, else they pass
 * over rows that are locked at that moment.
 */
record SqlServerLooks(SqlServer dialect, Model model) {

  private static final String STATS =
      """
      SELECT rowlock_state, COUNT_BIG(*), {age}
      FROM (SELECT {state} AS rowlock_state, {due} AS rowlock_due FROM {table} AS q{looking}) AS s
      GROUP BY rowlock_state
      """;

  // A row that is locked may be in any state when the lock is gone, so that something is left (P8).
  private static final String LEFT =
      """
      DECLARE @left int;
      BEGIN TRY
        SELECT TOP (1) @left = 1
        FROM {table} AS q WITH (NOWAIT)
        WHERE {left};
      END TRY
      BEGIN CATCH
        IF ERROR_NUMBER() <> 1222 THROW;
        SET @left = 1;
      END CATCH;
      SELECT @left AS rowlock_left WHERE @left = 1;
      """;

  private static final String LIST =
      """
      SELECT TOP (:limit) rowlock_state, {s.columns}
      FROM (SELECT {state} AS rowlock_state, {q.used} FROM {table} AS q{looking}) AS s
      WHERE rowlock_state = :row_state
      ORDER BY {order}
      """;

  private static final String SHOW =
      """
      SELECT {state} AS rowlock_state, {q.columns}
      FROM {table} AS q{looking}
      WHERE {key=}
      """;

  Sql stats() {
    Map<String, String> f = fragments();
    f.put("due", model.role(Role.RUN_AT).map(c -> c.of("q")).orElse("NULL"));
    f.put("age", model.role(Role.RUN_AT).map(this::age).orElse("NULL"));
    return Sql.of(STATS, f);
  }

  private String age(Column runAt) {
    return "DATEDIFF_BIG(millisecond, MIN(rowlock_due), %s) / 1000.0"
        .formatted(dialect.now(model, runAt, Optional.empty()));
  }

  List<Sql> left() {
    Predicates where = new Predicates(model);
    List<Sql> all = new ArrayList<>();
    for (int i = 0; i < model.readyValues(); i++) {
      all.add(left(where.readySometime("q", i)));
    }
    where.heldForATime("q").ifPresent(held -> all.add(left(held)));
    return all;
  }

  private Sql left(String condition) {
    Map<String, String> f = model.fragments();
    f.put("left", condition);
    return Sql.of(LEFT, f);
  }

  Sql list() {
    Map<String, String> f = fragments();
    f.put("order", dialect.order(model, "s"));
    Set<Column> used = new LinkedHashSet<>(model.everything());
    model.order().forEach(item -> used.add(item.column()));
    f.put("q.used", Model.columns("q", List.copyOf(used)));
    f.put("s.columns", shown("s"));
    return Sql.of(LIST, f);
  }

  Sql show() {
    Map<String, String> f = fragments();
    f.put("q.columns", shown("q"));
    f.put("key=", dialect.keyEquals(model, "q"));
    return Sql.of(SHOW, f);
  }

  private Map<String, String> fragments() {
    Map<String, String> f = model.fragments();
    f.put("state", new RowStates(model).rowState("q"));
    f.put("looking", dialect.versioned() ? "" : " WITH (READCOMMITTEDLOCK, READPAST)");
    return f;
  }

  private String shown(String alias) {
    List<String> all = new ArrayList<>();
    for (Column c : model.everything()) {
      boolean asText =
          Set.of(Kind.INSTANT, Kind.LOCAL_TIMESTAMP, Kind.DATE, Kind.TIME, Kind.OTHER, Kind.JSON)
              .contains(c.kind());
      all.add(asText ? dialect.text(c.of(alias), c) + " AS " + c.quoted() : c.of(alias));
    }
    return String.join(", ", all);
  }
}
