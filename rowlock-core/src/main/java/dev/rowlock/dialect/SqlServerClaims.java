package dev.rowlock.dialect;

import dev.rowlock.Mode;
import dev.rowlock.OnDone;
import dev.rowlock.Role;
import dev.rowlock.spi.Assignments;
import dev.rowlock.spi.ClaimPlan;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Model;
import dev.rowlock.spi.Output;
import dev.rowlock.spi.Predicates;
import dev.rowlock.spi.RecoverPlan;
import dev.rowlock.spi.Sql;
import dev.rowlock.spi.Table;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** How SQL Server claims rows and recovers them. */
record SqlServerClaims(SqlServer dialect, Model model) {

  // UPDATE TOP (n) knows no ORDER BY (C-087), so the rows are chosen in a CTE and updated through
  // it. UPDLOCK and READPAST pass over what others have locked; ROWLOCK, since with page locks one
  // claim would hide its neighbours (C-089). No HOLDLOCK: it would lock the gaps, and inserts
  // (C-091).
  // UPDLOCK locks every row that is read. FORCESEEK leaves only an index that begins with the
  // state:
  // in its order the first rows are the right ones. Without it a small table is scanned and sorted,
  // which locks all candidates and shows every other worker an empty queue.
  // INTO a variable even where the table has no trigger: OUTPUT to the client fails with error 334
  // on the day when somebody adds one (C-084). What is not sorted again comes in any order.
  private static final String CLAIM =
      """
      DECLARE @taken TABLE ({declared});
      WITH next AS (
        SELECT TOP (:limit) {selected}
        FROM {table} AS q WITH (ROWLOCK, UPDLOCK, READPAST, FORCESEEK)
        WHERE {ready}
        ORDER BY {order}
      )
      UPDATE next
      SET {set}
      OUTPUT {output}
      INTO @taken;
      SELECT {taken}
      FROM @taken AS taken
      ORDER BY {taken.order};
      """;

  // No index delivers the order, or the locks would last as long as a handler: the rows are looked
  // for without keeping a lock, and then locked one by one. READCOMMITTEDLOCK, since READPAST is
  // refused where READ_COMMITTED_SNAPSHOT is on.
  private static final String CANDIDATES =
      """
      SELECT TOP (:limit) {q.key}
      FROM {table} AS q WITH (READCOMMITTEDLOCK, READPAST)
      WHERE {ready}
      ORDER BY {order}
      """;

  // The conditions are hidden from the planner: by an index on the state alone that index's entry
  // would be locked and not the row, and who comes by another index would not see that.
  private static final String LOCK_ONE =
      """
      SELECT 1 AS rowlock_free
      FROM {table} AS q WITH (ROWLOCK, UPDLOCK, READPAST)
      WHERE {key=} AND {still.ready}
      """;

  // A claim that is not committed yet is seen by nobody, and meanwhile a row may appear before it.
  // So whoever claims in a group holds an application lock on it until the end of the transaction,
  // and looks at the group again while he holds it. CHECKSUM is the same for all that the column's
  // collation takes for equal. The lock is tried, not waited for; a negative result is a failure.
  // The other rows are read with NOWAIT: READPAST would not see a row whose completion is not
  // committed, and NOLOCK would believe it. One that is locked (1222) keeps the group busy.
  private static final String LOCK_IN_GROUP =
      """
      DECLARE @seen int, @group int, @got int = 0, @free int;
      SELECT @seen = 1, @group = CASE WHEN {q.group} IS NULL THEN NULL ELSE CHECKSUM({q.group}) END
      FROM {table} AS q WITH (READCOMMITTEDLOCK, READPAST)
      WHERE {key=};
      IF @group IS NOT NULL
      BEGIN
        DECLARE @resource nvarchar(255) = CONCAT(N'rowlock {seed} ', @group);
        EXEC @got = sp_getapplock @Resource = @resource, @LockMode = N'Exclusive', @LockOwner = N'Transaction', @LockTimeout = 0;
      END;
      IF @seen = 1 AND @got >= 0
      BEGIN
        BEGIN TRY
          SELECT @free = 1
          FROM {table} AS q WITH (ROWLOCK, UPDLOCK, READPAST)
          WHERE {key=} AND {still.ready};
        END TRY
        BEGIN CATCH
          IF ERROR_NUMBER() <> 1222 THROW;
        END CATCH;
      END;
      SELECT @free AS rowlock_free WHERE @free = 1;
      """;

  // @@ROWCOUNT, since what the driver counts is wrong under NOCOUNT (C-086) and with triggers.
  private static final String CLAIM_ONE =
      """
      UPDATE t
      SET {set}
      FROM {table} AS t WITH (ROWLOCK)
      WHERE {t.key=} AND {still};
      SELECT 1 AS rowlock_changed WHERE @@ROWCOUNT = 1;
      """;

  private static final String READ_ONE =
      """
      SELECT {q.out}
      FROM {table} AS q
      WHERE {key=}
      """;

  // In no order, so that TOP may stand in the UPDATE. What is locked is completed or extended right
  // now; the next pass sees it. FORCESEEK, if it can be, keeps the scan from rows that are ready.
  private static final String RECOVER =
      """
      DECLARE @ended TABLE ({declared});
      UPDATE TOP (:limit) q
      SET {set}
      OUTPUT {output}
      INTO @ended
      FROM {table} AS q WITH (ROWLOCK, UPDLOCK, READPAST{seek})
      WHERE {expired};
      SELECT {ended.key}, CASE WHEN {exhausted} THEN 1 ELSE 0 END AS rowlock_dead
      FROM @ended AS ended;
      """;

  private static final String LOCKED_OTHERS = " WITH (NOWAIT)";
  private static final String UNLOCKED_OTHERS = " WITH (READCOMMITTEDLOCK, READPAST)";

  ClaimPlan claim(int ready) {
    boolean brief = model.mode() == Mode.LEASE && !model.has(Role.GROUP);
    return brief && served(model) ? oneStatement(ready) : lockEach(ready);
  }

  private ClaimPlan oneStatement(int ready) {
    Map<Column, String> set = new Assignments(model, "next").claim();
    Map<String, String> f = model.fragments();
    f.put("ready", new Predicates(model).ready("q", ready));
    f.put("order", dialect.order(model, "q"));
    f.put("set", Assignments.sql(set));
    Set<Column> selected = new LinkedHashSet<>();
    model.outputs().forEach(o -> selected.add(o.column()));
    selected.addAll(set.keySet());
    model.order().forEach(o -> selected.add(o.column()));
    f.put("selected", Model.columns("q", List.copyOf(selected)));

    List<Column> taken = model.outputs().stream().map(Output::column).distinct().toList();
    List<String> declared = new ArrayList<>();
    taken.forEach(c -> declared.add(c.quoted() + " " + type(c)));
    List<String> output = new ArrayList<>(List.of(Model.columns("inserted", taken)));
    f.put("taken", model.outputs("taken", model.outputs()));
    f.put("taken.order", orderOfTaken(set.keySet(), taken, declared, output));
    f.put("declared", String.join(", ", declared));
    f.put("output", String.join(", ", output));
    return new ClaimPlan.OneStatement(Sql.of(CLAIM, f));
  }

  /** What the claim itself changes is sorted by as it was before. */
  private String orderOfTaken(
      Set<Column> changed, List<Column> taken, List<String> declared, List<String> output) {
    List<String> order = new ArrayList<>();
    for (Model.OrderItem item : model.order()) {
      Column c = item.column();
      String name = c.of("taken");
      if (changed.contains(c) || !taken.contains(c)) {
        String before = "rowlock_o" + (order.size() + 1);
        declared.add(before + " " + type(c));
        output.add(c.of("deleted"));
        name = "taken." + before;
      }
      order.add(name + (item.by().descending() ? " DESC" : ""));
    }
    return String.join(", ", order);
  }

  /** Of a column that nobody has looked at, nothing is known; this type holds nearly everything. */
  static String type(Column column) {
    return column.type().isEmpty() ? "sql_variant" : column.type();
  }

  private ClaimPlan lockEach(int ready) {
    boolean grouped = model.has(Role.GROUP);
    Map<String, String> f = model.fragments();
    f.put("ready", Predicates.reading(model, UNLOCKED_OTHERS).ready("q", ready));
    f.put("order", dialect.order(model, "q"));
    f.put("key=", dialect.keyEquals(model, "q"));
    f.put("t.key=", dialect.keyEquals(model, "t"));
    f.put(
        "still.ready", dialect.opaque(Predicates.reading(model, LOCKED_OTHERS).ready("q", ready)));
    model.role(Role.GROUP).ifPresent(c -> f.put("q.group", c.of("q")));
    f.put("seed", Integer.toString(model.table().quoted().hashCode()));
    Map<Column, String> set = new Assignments(model, "t").claim();
    f.put("set", Assignments.sql(set));
    f.put("still", dialect.opaque(new Predicates(model).inReadyState("t", ready)));
    return new ClaimPlan.LockEach(
        Sql.of(CANDIDATES, f),
        Sql.of(grouped ? LOCK_IN_GROUP : LOCK_ONE, f),
        set.isEmpty() ? Optional.empty() : Optional.of(Sql.of(CLAIM_ONE, f)),
        Sql.of(READ_ONE, f));
  }

  RecoverPlan recover() {
    Predicates where = new Predicates(model);
    Map<String, String> f = model.fragments();
    List<Column> told = new ArrayList<>(model.key());
    model.role(Role.ATTEMPTS).ifPresent(told::add);
    model.role(Role.MAX_ATTEMPTS).ifPresent(told::add);
    f.put(
        "declared",
        told.stream().map(c -> c.quoted() + " " + type(c)).collect(Collectors.joining(", ")));
    f.put("set", Assignments.sql(new Assignments(model, "q").recover(where.exhausted("q"))));
    // Attempts are as they were, or raised to the limit: the row tells afterwards too.
    f.put("output", Model.columns("inserted", told));
    f.put("ended.key", Model.columns("ended", model.key()));
    f.put("exhausted", where.exhausted("ended"));
    f.put("seek", seeksState() ? ", FORCESEEK" : "");
    f.put("expired", where.expired("q").orElseThrow());
    return new RecoverPlan.OneStatement(Sql.of(RECOVER, f));
  }

  private boolean seeksState() {
    return model
        .state()
        .map(
            c ->
                model.table().indexes().stream()
                    .anyMatch(i -> i.predicate().isEmpty() && i.columns().get(0).equals(c.name())))
        .orElse(false);
  }

  /**
   * Whether an index delivers the claim order for one ready value, so that a claim reads, and
   * locks, the rows that it takes and no others. NULLs are the lowest values in SQL Server; an
   * order that wants them elsewhere needs a sort.
   */
  static boolean served(Model model) {
    List<Table.Index> indexes = model.table().indexes();
    Optional<Column> lead =
        model
            .state()
            .or(
                () ->
                    model.mapping().onDone() instanceof OnDone.Update
                        ? model.role(Role.DONE_AT)
                        : Optional.empty());
    boolean unknown = model.table().columns().values().stream().allMatch(c -> c.type().isEmpty());
    return lead.isPresent()
        && model.order().stream().noneMatch(SqlServerClaims::nullsElsewhere)
        && (unknown || indexes.stream().anyMatch(i -> delivers(i, lead.get(), model.order())));
  }

  /** Whether NULLs are wanted where SQL Server does not put them. */
  static boolean nullsElsewhere(Model.OrderItem item) {
    return item.column().nullable()
        && !item.column().type().isEmpty()
        && item.by().descending() == item.by().nullsFirst();
  }

  /** An index can be read in both directions, but in one at a time. */
  private static boolean delivers(Table.Index index, Column lead, List<Model.OrderItem> order) {
    List<String> columns = index.columns();
    if (index.predicate().isPresent()
        || columns.size() <= order.size()
        || !columns.get(0).equals(lead.name())) {
      return false;
    }
    boolean forward = true;
    boolean backward = true;
    for (int i = 0; i < order.size(); i++) {
      Model.OrderItem item = order.get(i);
      if (!columns.get(i + 1).equals(item.column().name())) {
        return false;
      }
      boolean same = index.descending().contains(item.column().name()) == item.by().descending();
      forward &= same;
      backward &= !same;
    }
    return forward || backward;
  }
}
