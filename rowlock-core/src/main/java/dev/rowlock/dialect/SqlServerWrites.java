package dev.rowlock.dialect;

import dev.rowlock.OnDone;
import dev.rowlock.spi.Assignments;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.ExtendPlan;
import dev.rowlock.spi.InsertPlan;
import dev.rowlock.spi.Kind;
import dev.rowlock.spi.Model;
import dev.rowlock.spi.Output;
import dev.rowlock.spi.Predicates;
import dev.rowlock.spi.RowStates;
import dev.rowlock.spi.Sql;
import dev.rowlock.spi.Write;
import dev.rowlock.spi.WritePlan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Fenced writes. What was changed is told by rows, never by update counts: NOCOUNT and triggers
 * make these wrong (C-086). One row needs no variable for that, since @@ROWCOUNT stays the
 * statement's own whatever its triggers do.
 */
record SqlServerWrites(SqlServer dialect, Model model) {

  private static final String UPDATE_ONE =
      """
      UPDATE t
      SET {set}
      FROM {table} AS t WITH (ROWLOCK)
      WHERE {current};
      SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;
      """;

  private static final String DELETE_ONE =
      """
      DELETE t
      FROM {table} AS t WITH (ROWLOCK)
      WHERE {current};
      SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;
      """;

  // Two statements in one transaction: OUTPUT INTO a table is refused where that table has a
  // trigger, a foreign key or a check constraint. The row is locked before it is copied.
  private static final String ARCHIVE_ONE =
      """
      INSERT INTO {archive} ({archive.columns})
      SELECT {archive.select}
      FROM {table} AS t WITH (ROWLOCK, UPDLOCK)
      WHERE {current};
      """;

  // FORCESEEK: a small table would be scanned for many rows, and every row in it locked. So each
  // row is looked up by its key, in the order of the list.
  private static final String UPDATE_MANY =
      """
      DECLARE @current TABLE (rowlock_n int);
      UPDATE t
      SET {set}
      OUTPUT g.rowlock_n INTO @current
      FROM {table} AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
      JOIN (VALUES
        {rows}
      ) AS g ({names}) ON {current};
      SELECT rowlock_n FROM @current;
      """;

  private static final String DELETE_MANY =
      """
      DECLARE @current TABLE (rowlock_n int);
      DELETE t
      OUTPUT g.rowlock_n INTO @current
      FROM {table} AS t WITH (ROWLOCK, UPDLOCK, FORCESEEK)
      JOIN (VALUES
        {rows}
      ) AS g ({names}) ON {current};
      SELECT rowlock_n FROM @current;
      """;

  // READPAST: a row that is locked (by a handler that completes it in its own transaction) would
  // hold up the leases of all others.
  private static final String EXTEND_MANY =
      """
      DECLARE @extended TABLE (rowlock_n int{declared});
      UPDATE t
      SET {set}
      OUTPUT g.rowlock_n{inserted.held} INTO @extended
      FROM {table} AS t WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
      JOIN (VALUES
        {rows}
      ) AS g ({names}) ON {current};
      SELECT e.rowlock_n{held} FROM @extended AS e;
      """;

  // Whether a row that was not extended is lost or only locked. A read under READ COMMITTED would
  // wait for the lock unless READ_COMMITTED_SNAPSHOT is on, READPAST takes a locked row for a lost
  // one, and NOLOCK believes a completion that may be rolled back. NOWAIT does none of that: who
  // cannot read the row at once (1222) knows that it is locked.
  private static final String IS_CURRENT =
      """
      DECLARE @held int;
      BEGIN TRY
        SELECT @held = 1
        FROM {table} AS t WITH (NOWAIT)
        WHERE {current};
      END TRY
      BEGIN CATCH
        IF ERROR_NUMBER() <> 1222 THROW;
        SET @held = 1;
      END CATCH;
      SELECT @held AS rowlock_held WHERE @held = 1;
      """;

  private static final String RESET =
      """
      UPDATE t
      SET {set}
      FROM {table} AS t WITH (ROWLOCK)
      WHERE {key=} AND {resettable};
      SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1;
      """;

  // The driver's generated keys are identity values alone; this returns whatever made the key.
  private static final String INSERT =
      """
      DECLARE @keys TABLE ({declared});
      INSERT INTO {table}{columns}
      OUTPUT {output} INTO @keys
      {values};
      SELECT {key} FROM @keys;
      """;

  WritePlan write(Write write) {
    Map<String, String> one = fragments(write, this::parameter);
    OnDone onDone = model.mapping().onDone();
    boolean update = write.kind() != Write.Kind.COMPLETE || onDone instanceof OnDone.Update;
    if (!update && onDone instanceof OnDone.Archive) {
      return new WritePlan.Rows(List.of(Sql.of(ARCHIVE_ONE, one), Sql.of(DELETE_ONE, one)));
    }
    Set<String> names = new LinkedHashSet<>();
    Map<String, String> many = fragments(write, element(names));
    return new WritePlan.Lists(
        Sql.of(update ? UPDATE_ONE : DELETE_ONE, one),
        sized(update ? UPDATE_MANY : DELETE_MANY, many, names));
  }

  ExtendPlan extend() {
    Set<String> names = new LinkedHashSet<>();
    Map<String, String> many = model.fragments();
    many.put("current", new Predicates(model).current("t", element(names)));
    many.put("set", Assignments.sql(new Assignments(model, "t", element(names)).extend()));
    List<Output> held = model.heldOutputs();
    List<Column> columns = held.stream().map(Output::column).distinct().toList();
    many.put("declared", listed(columns, c -> c.quoted() + " " + SqlServerClaims.type(c)));
    many.put("inserted.held", listed(columns, c -> c.of("inserted")));
    many.put("held", held.isEmpty() ? "" : ", " + model.outputs("e", held));
    Map<String, String> one = model.fragments();
    one.put("current", new Predicates(model).current("t", this::parameter));
    return new ExtendPlan.Lists(sized(EXTEND_MANY, many, names), Sql.of(IS_CURRENT, one));
  }

  private static String listed(List<Column> columns, Function<Column, String> each) {
    return columns.stream().map(c -> ", " + each.apply(c)).collect(Collectors.joining());
  }

  Sql reset() {
    Map<String, String> f = model.fragments();
    f.put("set", Assignments.sql(new Assignments(model, "t").recoverReady()));
    f.put("key=", dialect.keyEquals(model, "t"));
    f.put("resettable", "(" + new RowStates(model).resettable("t") + ")");
    return Sql.of(RESET, f);
  }

  InsertPlan insert(List<Column> columns) {
    Map<String, String> f = model.fragments();
    List<String> values = new ArrayList<>();
    for (Column c : columns) {
      values.add(dialect.typed(":v" + values.size(), c));
    }
    f.put(
        "columns",
        columns.isEmpty()
            ? ""
            : columns.stream().map(Column::quoted).collect(Collectors.joining(", ", " (", ")")));
    f.put(
        "values",
        columns.isEmpty() ? "DEFAULT VALUES" : "VALUES (" + String.join(", ", values) + ")");
    f.put("output", Model.columns("inserted", model.key()));
    f.put(
        "declared",
        model.key().stream()
            .map(c -> c.quoted() + " " + SqlServerClaims.type(c))
            .collect(Collectors.joining(", ")));
    return new InsertPlan.Returning(Sql.of(INSERT, f));
  }

  private Map<String, String> fragments(Write write, BiFunction<String, Column, String> reference) {
    Map<String, String> f = model.fragments();
    f.put("current", new Predicates(model).current("t", reference));
    Map<Column, String> set = new Assignments(model, "t", reference).write(write);
    f.put("set", Assignments.sql(set));
    if (model.archive().isPresent()) {
      StandardDialect.archive(model, f, set);
    }
    return f;
  }

  private String parameter(String name, Column column) {
    return typed(":" + name, name, column);
  }

  private BiFunction<String, Column, String> element(Set<String> names) {
    return (name, c) -> {
      names.add(name);
      return typed("g." + dialect.quote(name), name, c);
    };
  }

  /** An error goes into a json column as a JSON string, whatever its text. */
  private String typed(String expression, String name, Column column) {
    return name.equals("error") && column.kind() == Kind.JSON
        ? "CONCAT(N'\"', STRING_ESCAPE(" + expression + ", 'json'), N'\"')"
        : dialect.typed(expression, column);
  }

  /**
   * One statement for each of a few sizes, so that a server's cache holds a few plans and not one
   * for every number of rows. A statement knows 2,100 parameters at most.
   */
  private NavigableMap<Integer, Sql> sized(
      String template, Map<String, String> f, Set<String> names) {
    NavigableMap<Integer, Sql> all = new TreeMap<>();
    int most = Math.min(SqlServer.MOST_PARAMETERS / names.size(), dialect.mostRows(model));
    for (int size : SqlServer.SIZES) {
      int rows = Math.min(size, most);
      if (!all.containsKey(rows)) {
        all.put(rows, list(template, f, names, rows));
      }
    }
    return all;
  }

  private Sql list(String template, Map<String, String> fragments, Set<String> names, int rows) {
    Map<String, String> f = new LinkedHashMap<>(fragments);
    List<String> lines = new ArrayList<>();
    for (int i = 1; i <= rows; i++) {
      int row = i;
      lines.add(
          names.stream()
              .map(n -> ":" + n + "__" + row)
              .collect(Collectors.joining(", ", "(" + i + ", ", ")")));
    }
    f.put("rows", String.join(",\n", lines));
    f.put(
        "names",
        names.stream().map(dialect::quote).collect(Collectors.joining(", ", "rowlock_n, ", "")));
    return Sql.of(template, f);
  }
}
