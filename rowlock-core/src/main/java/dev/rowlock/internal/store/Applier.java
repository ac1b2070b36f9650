package dev.rowlock.internal.store;

import dev.rowlock.Applied;
import dev.rowlock.Capability;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.internal.jdbc.Session;
import dev.rowlock.internal.jdbc.Sessions;
import dev.rowlock.internal.jdbc.Values;
import dev.rowlock.spi.ExtendPlan;
import dev.rowlock.spi.RowsSql;
import dev.rowlock.spi.Sql;
import dev.rowlock.spi.Write;
import dev.rowlock.spi.WritePlan;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Carries out fenced writes. Every row count is looked at: 0 is a lost lease, never "fine". */
final class Applier {
  /** Keeps statements, and the locks that one holds, small. */
  private static final int MOST_ROWS = 500;

  private final Core core;
  private final Writes writes;
  private final ClaimReader reader;
  private final Map<Write, WritePlan> plans = new ConcurrentHashMap<>();
  private final Optional<ExtendPlan> extendPlan;

  Applier(Core core, Writes writes, ClaimReader reader) {
    this.core = core;
    this.writes = writes;
    this.reader = reader;
    extendPlan =
        core.model().mapping().capabilities().contains(Capability.EXPIRY)
            ? Optional.of(core.dialect().extend(core.model()))
            : Optional.empty();
  }

  /** All of it is one transaction; each row's fence decides for itself. */
  List<Applied> apply(Connection connection, List<? extends Change> changes) {
    List<Writes.Prepared> all = new ArrayList<>();
    changes.forEach(c -> all.add(writes.prepare(c)));
    List<List<Integer>> parts = parts(all);
    String operation = operation(all, parts);
    Sessions.Work<List<Applied>> work = s -> run(s, all, parts);
    List<Applied> list;
    if (connection != null) {
      list = core.sessions().within(connection, operation, work);
    } else if (parts.size() == 1 && oneStatement(all)) {
      list = core.sessions().statement(operation, work);
    } else {
      list = core.sessions().transaction(operation, work);
    }
    report(list);
    return list;
  }

  /** Positions of rows that one statement can write. */
  private static List<List<Integer>> parts(List<Writes.Prepared> all) {
    List<List<Integer>> parts = new ArrayList<>();
    for (List<Integer> group : Writes.groups(all)) {
      for (int from = 0; from < group.size(); from += MOST_ROWS) {
        parts.add(group.subList(from, Math.min(group.size(), from + MOST_ROWS)));
      }
    }
    return parts;
  }

  private static String operation(List<Writes.Prepared> all, List<List<Integer>> parts) {
    Write first = all.isEmpty() ? null : all.get(0).write();
    return parts.size() != 1
        ? "write"
        : first == null ? "extend" : first.kind().name().toLowerCase(Locale.ROOT);
  }

  private boolean oneStatement(List<Writes.Prepared> rows) {
    Write write = rows.get(0).write();
    if (write == null) {
      ExtendPlan plan = extendPlan.orElseThrow();
      return plan instanceof ExtendPlan.Arrays
          || (plan instanceof ExtendPlan.Lists && rows.size() == 1)
          || (plan instanceof ExtendPlan.Each && rows.size() == 1);
    }
    WritePlan plan = plan(write);
    return plan instanceof WritePlan.Arrays || (rows.size() == 1 && plan.one().size() == 1);
  }

  private WritePlan plan(Write write) {
    return plans.computeIfAbsent(write, w -> core.dialect().write(core.model(), w));
  }

  private List<Applied> run(Session session, List<Writes.Prepared> all, List<List<Integer>> parts)
      throws SQLException {
    Applied[] results = new Applied[all.size()];
    for (List<Integer> part : parts) {
      List<Writes.Prepared> rows = part.stream().map(all::get).toList();
      Write write = rows.get(0).write();
      List<Applied> done = write == null ? extend(session, rows) : write(session, write, rows);
      for (int i = 0; i < part.size(); i++) {
        results[part.get(i)] = done.get(i);
      }
    }
    return Arrays.asList(results);
  }

  /** Carries out one change without telling anybody: whether the claim was current. */
  boolean rehearse(Session session, Change change) throws SQLException {
    Writes.Prepared row = writes.prepare(change);
    return run(session, core.dialect().write(core.model(), row.write()), List.of(row))[0];
  }

  private void report(List<Applied> all) {
    int extended = 0;
    int lost = 0;
    boolean any = false;
    for (Applied applied : all) {
      if (applied.change() instanceof Change.Extend) {
        any = true;
        extended += applied.lost() ? 0 : 1;
        lost += applied.lost() ? 1 : 0;
      } else {
        core.events().emit(l -> l.applied(core.name(), applied));
      }
    }
    if (any) {
      int kept = extended;
      int gone = lost;
      core.events().emit(l -> l.extended(core.name(), kept, gone));
    }
  }

  private List<Applied> write(Session session, Write write, List<Writes.Prepared> rows)
      throws SQLException {
    WritePlan plan = plan(write);
    boolean several =
        plan.one().size() > 1 || (plan instanceof WritePlan.LockThenSet && rows.size() > 1);
    if (several && session.autoCommit()) {
      throw new ConfigurationException(
          "the connection is in autocommit mode, but this write needs a transaction; call setAutoCommit(false) first");
    }
    boolean[] current = run(session, plan, rows);
    List<Applied> results = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      results.add(result(rows.get(i), current[i]));
    }
    return results;
  }

  private static Applied result(Writes.Prepared row, boolean current) {
    return new Applied(
        row.change(), current ? row.status() : Applied.Status.LOST, row.change().claim());
  }

  private boolean[] run(Session session, WritePlan plan, List<Writes.Prepared> rows)
      throws SQLException {
    if (plan instanceof WritePlan.LockThenSet set && (rows.size() > 1 || set.single().isEmpty())) {
      return new SetWrites(reader).write(session, set, rows);
    }
    boolean[] current = new boolean[rows.size()];
    if (plan instanceof WritePlan.Arrays arrays && rows.size() > 1) {
      Set<Integer> positions =
          new HashSet<>(
              session.query(arrays.many(), arrays(arrays.many(), rows), r -> r.getInt(1)));
      for (int i = 0; i < current.length; i++) {
        current[i] = positions.contains(i + 1);
      }
    } else if (plan instanceof WritePlan.Lists lists && rows.size() > 1) {
      RowLists.each(
          rows,
          lists.many(),
          (sql, values, from) ->
              session.query(sql, values, r -> current[from[r.getInt(1) - 1]] = true));
    } else if (plan.one().size() == 1 && rows.size() > 1) {
      int[] counts =
          session.batch(plan.one().get(0), rows.stream().map(Writes.Prepared::values).toList());
      for (int i = 0; i < current.length; i++) {
        current[i] = counts[i] == 1;
      }
    } else {
      for (int i = 0; i < current.length; i++) {
        current[i] = one(session, plan.one(), rows.get(i).values());
      }
    }
    return current;
  }

  private static boolean one(Session session, List<Sql> steps, Values values) throws SQLException {
    int count = 0;
    for (Sql step : steps) {
      count = session.update(step, values);
    }
    return count == 1;
  }

  /** Per-row parameters as arrays, in row order; the others as they are. */
  private static Values arrays(Sql sql, List<Writes.Prepared> rows) {
    Values first = rows.get(0).values();
    Values values = first.copy();
    for (String name : Set.copyOf(sql.parameters())) {
      if (!RowsSql.perRow(name)) {
        continue;
      }
      Object[] elements = rows.stream().map(r -> r.values().value(name)).toArray();
      values.put(name, elements, first.column(name));
    }
    return values;
  }

  private List<Applied> extend(Session session, List<Writes.Prepared> rows) throws SQLException {
    if (extendPlan.orElseThrow() instanceof ExtendPlan.Arrays plan) {
      return extendAll(session, plan, rows);
    }
    if (extendPlan.get() instanceof ExtendPlan.Lists plan) {
      return extendLists(session, plan, rows);
    }
    if (extendPlan.get() instanceof ExtendPlan.Sets plan) {
      return new SetWrites(reader).extend(session, plan, rows);
    }
    List<Applied> results = new ArrayList<>();
    for (Writes.Prepared row : rows) {
      results.add(
          extendPlan.get() instanceof ExtendPlan.Each plan
              ? extendEach(session, plan, row)
              : extendOne(session, (ExtendPlan.Rows) extendPlan.get(), row));
    }
    return results;
  }

  private Applied extendEach(Session session, ExtendPlan.Each plan, Writes.Prepared row)
      throws SQLException {
    Claim claim = row.change().claim();
    Claim held =
        Claims.single(session, plan.sql(), row.values(), r -> reader.readHeld(r, 0, claim));
    return held == null
        ? result(row, false)
        : new Applied(row.change(), Applied.Status.EXTENDED, held);
  }

  private List<Applied> extendAll(
      Session session, ExtendPlan.Arrays plan, List<Writes.Prepared> rows) throws SQLException {
    Applied[] results = new Applied[rows.size()];
    for (int i = 0; i < results.length; i++) {
      results[i] = result(rows.get(i), false);
    }
    session.query(
        plan.sql(),
        arrays(plan.sql(), rows),
        r -> {
          int i = r.getInt(1) - 1;
          Change change = rows.get(i).change();
          return results[i] =
              r.getBoolean(2)
                  ? new Applied(
                      change, Applied.Status.EXTENDED, reader.readHeld(r, 2, change.claim()))
                  : new Applied(change, Applied.Status.BUSY, change.claim());
        });
    return Arrays.asList(results);
  }

  /** What is not extended is looked at once more: lost, or only locked. */
  private List<Applied> extendLists(
      Session session, ExtendPlan.Lists plan, List<Writes.Prepared> rows) throws SQLException {
    Applied[] results = new Applied[rows.size()];
    RowLists.each(
        rows,
        plan.many(),
        (sql, values, from) ->
            session.query(
                sql,
                values,
                r -> {
                  int i = from[r.getInt(1) - 1];
                  Change change = rows.get(i).change();
                  Claim held = reader.readHeld(r, 1, change.claim());
                  return results[i] = new Applied(change, Applied.Status.EXTENDED, held);
                }));
    for (int i = 0; i < results.length; i++) {
      if (results[i] == null) {
        results[i] = busyOrLost(session, plan.current(), rows.get(i));
      }
    }
    return Arrays.asList(results);
  }

  private static Applied busyOrLost(Session session, Sql current, Writes.Prepared row)
      throws SQLException {
    boolean busy = !session.query(current, row.values(), r -> 1).isEmpty();
    return new Applied(
        row.change(), busy ? Applied.Status.BUSY : Applied.Status.LOST, row.change().claim());
  }

  private Applied extendOne(Session session, ExtendPlan.Rows plan, Writes.Prepared row)
      throws SQLException {
    Claim claim = row.change().claim();
    boolean locked = !session.query(plan.lock(), row.values(), r -> 1).isEmpty();
    if (!locked) {
      return busyOrLost(session, plan.current(), row);
    }
    if (session.update(plan.update(), row.values()) != 1) {
      return result(row, false);
    }
    Claim held =
        Claims.single(session, plan.read(), row.values(), r -> reader.readHeld(r, 1, claim));
    return held == null
        ? result(row, false)
        : new Applied(row.change(), Applied.Status.EXTENDED, held);
  }
}
