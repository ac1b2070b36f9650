package dev.rowlock.internal.store;

import dev.rowlock.Applied;
import dev.rowlock.Claim;
import dev.rowlock.Key;
import dev.rowlock.internal.jdbc.Session;
import dev.rowlock.internal.jdbc.Values;
import dev.rowlock.spi.ExtendPlan;
import dev.rowlock.spi.RowsSql;
import dev.rowlock.spi.WritePlan;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Fenced writes by lock and then by key, for all rows that get the same at once. */
record SetWrites(ClaimReader reader) {

  /** Which of the rows were current, and are written. */
  boolean[] write(Session session, WritePlan.LockThenSet plan, List<Writes.Prepared> rows)
      throws SQLException {
    Set<Key> current = new HashSet<>(session.query(plan.lock(), values(rows), reader::readKey));
    List<Writes.Prepared> locked = rows.stream().filter(r -> current.contains(key(r))).toList();
    for (RowsSql step : plan.steps()) {
      for (List<Writes.Prepared> same : alike(step, locked)) {
        session.update(step, values(same));
      }
    }
    boolean[] written = new boolean[rows.size()];
    for (int i = 0; i < written.length; i++) {
      // A claim that is given twice is current once.
      written[i] = current.remove(key(rows.get(i)));
    }
    return written;
  }

  List<Applied> extend(Session session, ExtendPlan.Sets plan, List<Writes.Prepared> rows)
      throws SQLException {
    Set<Key> locked = new HashSet<>(session.query(plan.lock(), values(rows), reader::readKey));
    List<Writes.Prepared> mine = rows.stream().filter(r -> locked.contains(key(r))).toList();
    List<Writes.Prepared> rest = rows.stream().filter(r -> !locked.contains(key(r))).toList();
    Set<Key> busy =
        rest.isEmpty()
            ? Set.of()
            : new HashSet<>(session.query(plan.current(), values(rest), reader::readKey));
    for (List<Writes.Prepared> same : alike(plan.update(), mine)) {
      session.update(plan.update(), values(same));
    }
    Map<Key, Claim> held = read(session, plan, mine);
    List<Applied> results = new ArrayList<>();
    for (Writes.Prepared row : rows) {
      Claim claim = row.change().claim();
      Claim extended = held.get(claim.key());
      Applied.Status status =
          extended != null
              ? Applied.Status.EXTENDED
              : busy.contains(claim.key()) ? Applied.Status.BUSY : Applied.Status.LOST;
      results.add(new Applied(row.change(), status, extended == null ? claim : extended));
    }
    return results;
  }

  private Map<Key, Claim> read(Session session, ExtendPlan.Sets plan, List<Writes.Prepared> mine)
      throws SQLException {
    Map<Key, Claim> claims = new HashMap<>();
    mine.forEach(r -> claims.put(key(r), r.change().claim()));
    Map<Key, Claim> held = new HashMap<>();
    if (!mine.isEmpty()) {
      session.query(
          plan.read(),
          values(mine),
          row -> {
            Key key = reader.readKey(row);
            return held.put(key, reader.readHeld(row, key.values().size(), claims.get(key)));
          });
    }
    return held;
  }

  /** Rows whose values are the same but for the key can share a statement. */
  private static Collection<List<Writes.Prepared>> alike(RowsSql step, List<Writes.Prepared> rows) {
    List<String> names =
        step.of(1).parameters().stream()
            .filter(name -> RowsSql.perRow(name) && !name.startsWith("key_"))
            .toList();
    Map<List<Object>, List<Writes.Prepared>> groups = new LinkedHashMap<>();
    for (Writes.Prepared row : rows) {
      List<Object> same = new ArrayList<>();
      names.forEach(name -> same.add(row.values().value(name)));
      groups.computeIfAbsent(same, s -> new ArrayList<>()).add(row);
    }
    return groups.values();
  }

  private static Key key(Writes.Prepared row) {
    return row.change().claim().key();
  }

  private static List<Values> values(List<Writes.Prepared> rows) {
    return rows.stream().map(Writes.Prepared::values).toList();
  }
}
