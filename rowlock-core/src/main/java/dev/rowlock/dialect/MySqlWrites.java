package dev.rowlock.dialect;

import dev.rowlock.OnDone;
import dev.rowlock.State;
import dev.rowlock.spi.Assignments;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.ExtendPlan;
import dev.rowlock.spi.Kind;
import dev.rowlock.spi.Model;
import dev.rowlock.spi.Predicates;
import dev.rowlock.spi.RowsSql;
import dev.rowlock.spi.Sql;
import dev.rowlock.spi.Write;
import dev.rowlock.spi.WritePlan;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Fenced writes and extensions on MariaDB and MySQL. Update counts are not to be trusted: with
 * {@code useAffectedRows} a row that gets the values it has counts as none (a lease extended twice
 * in a second, in a DATETIME without fraction), and in a bulk or rewritten batch the count is of
 * all, or unknown. So current rows are locked first, and a row that the locking read returns is
 * current.
 */
record MySqlWrites(MySqlFamily dialect, Model model) {

  // Index records are locked in the order of the key, whatever the order of the conditions: two
  // such statements cannot deadlock.
  private static final String LOCK_CURRENT =
      """
      SELECT {t.key}
      FROM {table} AS t FORCE INDEX ({index})
      WHERE {rows}
      FOR UPDATE
      """;

  private static final String UPDATE_ONE =
      """
      UPDATE {table} AS t FORCE INDEX ({index})
      SET {set}
      WHERE {current}
      """;

  private static final String UPDATE =
      """
      UPDATE {table} AS t FORCE INDEX ({index})
      SET {set}
      WHERE {rows}
      """;

  // In the form for several tables, the only one in which an index can be named.
  private static final String DELETE_ONE =
      """
      DELETE t FROM {table} AS t FORCE INDEX ({index})
      WHERE {current}
      """;

  private static final String DELETE =
      """
      DELETE t FROM {table} AS t FORCE INDEX ({index})
      WHERE {rows}
      """;

  private static final String ARCHIVE =
      """
      INSERT INTO {archive} ({archive.columns})
      SELECT {archive.select}
      FROM {table} AS t FORCE INDEX ({index})
      WHERE {rows}
      """;

  // Never waits: a row locked by another transaction (a handler that completes in its own) would
  // hold up the leases of all others. Such a row is still current if its fence fits.
  private static final String LOCK_FREE =
      """
      SELECT {t.key}
      FROM {table} AS t FORCE INDEX ({index})
      WHERE {rows}
      FOR UPDATE SKIP LOCKED
      """;

  private static final String IS_CURRENT =
      """
      SELECT {t.key}
      FROM {table} AS t FORCE INDEX ({index})
      WHERE {rows}
      """;

  private static final String READ_HELD =
      """
      SELECT {q.key}{q.held}
      FROM {table} AS q FORCE INDEX ({index})
      WHERE {rows}
      """;

  WritePlan write(Write write) {
    MySqlClaims base = new MySqlClaims(dialect, model);
    Map<String, String> f = base.fragments();
    String current = current();
    f.put("current", current);
    Map<Column, String> set = new Assignments(model, "t", this::value).write(write);
    f.put("set", Assignments.sql(set));
    RowsSql lock = RowsSql.any(dialect.pinned(LOCK_CURRENT), f, current);
    OnDone onDone = model.mapping().onDone();
    if (write.kind() != Write.Kind.COMPLETE || onDone instanceof OnDone.Update) {
      Optional<Sql> single =
          leavesProcessing(write)
              ? Optional.of(dialect.statement(UPDATE_ONE, f))
              : Optional.empty();
      return new WritePlan.LockThenSet(single, lock, List.of(base.byKey(UPDATE, f, "t")));
    }
    if (onDone instanceof OnDone.Delete) {
      return new WritePlan.LockThenSet(
          Optional.of(dialect.statement(DELETE_ONE, f)), lock, List.of(base.byKey(DELETE, f, "t")));
    }
    StandardDialect.archive(model, f, set);
    return new WritePlan.LockThenSet(
        Optional.empty(), lock, List.of(base.byKey(ARCHIVE, f, "t"), base.byKey(DELETE, f, "t")));
  }

  /** A row that changes its state is counted by every driver, however it is set up. */
  private boolean leavesProcessing(Write write) {
    State state = model.mapping().state().orElse(null);
    if (state == null || state.processing().isEmpty()) {
      return false;
    }
    Stream<String> after =
        switch (write.kind()) {
          case COMPLETE -> Stream.of(state.done().orElse(state.processing().get()));
          case RETRY -> Stream.of(text(state.retryValue()));
          case DEAD -> Stream.of(text(state.deadValue().orElse(state.retryValue())));
          case SNOOZE, RELEASE -> state.ready().stream().map(MySqlWrites::text);
        };
    return after.noneMatch(v -> v.strip().equalsIgnoreCase(state.processing().get().strip()));
  }

  private static String text(String value) {
    return value == null ? "" : value;
  }

  ExtendPlan extend() {
    MySqlClaims base = new MySqlClaims(dialect, model);
    Map<String, String> f = base.fragments();
    String current = current();
    f.put("set", Assignments.sql(new Assignments(model, "t", this::value).extend()));
    return new ExtendPlan.Sets(
        RowsSql.any(dialect.pinned(LOCK_FREE), f, current),
        RowsSql.any(dialect.pinned(IS_CURRENT), f, current),
        base.byKey(UPDATE, f, "t"),
        base.byKey(READ_HELD, f, "q"));
  }

  private String current() {
    return new Predicates(model).current("t", this::value);
  }

  private String value(String name, Column column) {
    boolean document = column.kind() == Kind.JSON && name.equals("error");
    return document ? "JSON_QUOTE(:" + name + ")" : dialect.typed(":" + name, column);
  }
}
