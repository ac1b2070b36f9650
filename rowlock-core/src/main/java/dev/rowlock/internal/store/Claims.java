package dev.rowlock.internal.store;

import dev.rowlock.Capability;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.DatabaseException;
import dev.rowlock.Key;
import dev.rowlock.Mode;
import dev.rowlock.Recovery;
import dev.rowlock.internal.jdbc.Jdbc;
import dev.rowlock.internal.jdbc.Session;
import dev.rowlock.internal.jdbc.Values;
import dev.rowlock.spi.ClaimPlan;
import dev.rowlock.spi.RecoverPlan;
import dev.rowlock.spi.RowsSql;
import dev.rowlock.spi.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Claims rows and recovers them. */
final class Claims {
  private static final int MOST_PLANS = 2000;

  private final Core core;
  private final Values constants;
  private final ClaimReader reader;
  private final Map<Size, ClaimPlan> plans = new ConcurrentHashMap<>();
  private final int mostRows;
  private final Map<Integer, RecoverPlan> recoverPlans = new ConcurrentHashMap<>();

  /** Which ready value and how many rows: each pair has a statement, so that its plan fits. */
  private record Size(int ready, int limit) {}

  Claims(Core core, Values constants, ClaimReader reader) {
    this.core = core;
    this.constants = constants;
    this.reader = reader;
    mostRows = core.dialect().mostRows(core.model());
    for (int i = 0; i < core.model().readyValues(); i++) {
      plan(i, 1);
    }
  }

  private ClaimPlan plan(int ready, int limit) {
    Size size = new Size(ready, limit);
    ClaimPlan plan = plans.get(size);
    if (plan == null) {
      plan = core.dialect().claim(core.model(), ready, OptionalInt.of(limit));
      if (plans.size() < MOST_PLANS) {
        plans.put(size, plan);
      }
    }
    return plan;
  }

  List<Claim> claim(int limit) {
    Core.positive("limit", limit);
    long start = System.nanoTime();
    List<Claim> all = new ArrayList<>();
    try {
      inParts(
          limit,
          all,
          (ready, part) ->
              plan(ready, part).oneStatement()
                  ? core.sessions().statement("claim", s -> claim(s, ready, part))
                  : core.sessions().transaction("claim", s -> claim(s, ready, part)));
    } catch (SQLException e) {
      throw new IllegalStateException("sessions translate it", e);
    } catch (DatabaseException e) {
      if (all.isEmpty()) {
        throw e;
      }
      // What was claimed before must reach its handler; the trouble will show again at the next
      // claim.
      core.events().emit(l -> l.failed(core.name(), "claim", e, 1));
    }
    report(all, start);
    return all;
  }

  /** One statement's part of a claim. */
  private interface Part {
    List<Claim> claim(int ready, int limit) throws SQLException;
  }

  /** One ready value after the other, and no more rows in a statement than the database bears. */
  private void inParts(int limit, List<Claim> all, Part part) throws SQLException {
    for (int ready = 0; ready < core.model().readyValues(); ready++) {
      boolean more = true;
      while (more && all.size() < limit) {
        int rows = Math.min(limit - all.size(), mostRows);
        List<Claim> found = part.claim(ready, rows);
        all.addAll(found);
        more = found.size() == rows;
      }
    }
  }

  List<Claim> claim(Connection connection, int limit) {
    Core.positive("limit", limit);
    long start = System.nanoTime();
    List<Claim> all =
        core.sessions()
            .within(
                connection,
                "claim",
                s -> {
                  s.claimRefusal().ifPresent(this::refuse);
                  List<Claim> found = new ArrayList<>();
                  inParts(
                      limit,
                      found,
                      (ready, part) -> {
                        needsTransaction(s, plan(ready, part));
                        return claim(s, ready, part);
                      });
                  return found;
                });
    report(all, start);
    return all;
  }

  /** Claims in a transaction that will be rolled back. */
  List<Claim> rehearse(Session session, int limit) throws SQLException {
    List<Claim> all = new ArrayList<>();
    inParts(limit, all, (ready, part) -> claim(session, ready, part));
    return all;
  }

  private void refuse(String reason) {
    throw new ConfigurationException("queue '%s': %s".formatted(core.name(), reason));
  }

  private void needsTransaction(Session session, ClaimPlan plan) throws SQLException {
    boolean bound = !plan.oneStatement() || core.model().mode() == Mode.TRANSACTIONAL;
    if (bound && session.autoCommit()) {
      throw new ConfigurationException(
          "the connection is in autocommit mode, but this claim needs a transaction; call setAutoCommit(false) first");
    }
  }

  private void report(List<Claim> claims, long start) {
    if (claims.isEmpty()) {
      core.events().emit(l -> l.empty(core.name()));
    } else {
      Duration took = Duration.ofNanos(System.nanoTime() - start);
      core.events().emit(l -> l.claimed(core.name(), claims, took));
    }
  }

  private List<Claim> claim(Session session, int ready, int limit) throws SQLException {
    String value = core.model().mapping().state().map(s -> s.ready().get(ready)).orElse(null);
    Values values = constants.copy().number("limit", limit);
    List<Claim> found = carryOut(session, plan(ready, limit), values, limit, value);
    List<Claim> claims = found.stream().filter(Objects::nonNull).toList();
    int suppressed = found.size() - claims.size();
    if (suppressed > 0) {
      core.events().emit(l -> l.suppressed(core.name(), suppressed));
    }
    return claims;
  }

  private List<Claim> carryOut(
      Session session, ClaimPlan plan, Values values, int limit, String value) throws SQLException {
    if (plan instanceof ClaimPlan.OneStatement one) {
      return session.query(one.sql(), values, row -> reader.read(row, value));
    } else if (plan instanceof ClaimPlan.Unordered some) {
      ClaimOrder order = new ClaimOrder(core.model());
      return order.sorted(
          session.query(some.sql(), values, row -> order.ranked(row, reader.read(row, value))));
    } else if (plan instanceof ClaimPlan.LockOnly lock) {
      return session.query(lock.sql(), values, row -> reader.read(row, value));
    } else if (plan instanceof ClaimPlan.LockEach each) {
      return lockEach(session, each, limit, value);
    } else if (plan instanceof ClaimPlan.LockThenSet set) {
      return new SetClaims(constants, reader).claim(session, set, limit, value);
    } else if (plan instanceof ClaimPlan.WriteLock first) {
      session.update(first.lock(), values);
      return carryOut(session, first.then(), values, limit, value);
    }
    return lockThenUpdate(session, (ClaimPlan.LockThenUpdate) plan, values, value);
  }

  private List<Claim> lockThenUpdate(
      Session session, ClaimPlan.LockThenUpdate plan, Values values, String ready)
      throws SQLException {
    List<Key> keys = session.query(plan.lock(), values, reader::readKey);
    List<Claim> claims = new ArrayList<>();
    for (Key key : keys) {
      Values one = reader.putKey(constants.copy(), key);
      boolean changed = session.update(plan.update(), one) == 1;
      claims.add(changed ? single(session, plan.read(), one, r -> reader.read(r, ready)) : null);
    }
    return claims;
  }

  /**
   * Passes over rows that others have locked, and looks again until there are enough or no more.
   */
  private List<Claim> lockEach(Session session, ClaimPlan.LockEach plan, int limit, String ready)
      throws SQLException {
    List<Claim> claims = new ArrayList<>();
    Set<Key> seen = new HashSet<>();
    while (claims.size() < limit) {
      int wanted = limit - claims.size() + seen.size();
      List<Key> keys =
          session.query(
              plan.candidates(), constants.copy().number("limit", wanted), reader::readKey);
      if (seen.containsAll(keys)) {
        break;
      }
      for (Key key : keys) {
        if (seen.add(key) && claims.size() < limit) {
          Values one = reader.putKey(constants.copy(), key);
          if (!session.query(plan.lock(), one, r -> 1).isEmpty()) {
            boolean changed =
                plan.update().isEmpty() || session.update(plan.update().get(), one) == 1;
            claims.add(
                changed ? single(session, plan.read(), one, r -> reader.read(r, ready)) : null);
          }
        }
      }
    }
    return claims;
  }

  /** The only row of a result, null if there is none. */
  static <T> T single(Session session, Sql sql, Values values, Jdbc.RowMapper<T> mapper)
      throws SQLException {
    List<T> rows = session.query(sql, values, mapper);
    return rows.isEmpty() ? null : rows.get(0);
  }

  Recovery recover(int limit) {
    Core.positive("limit", limit);
    int rows = Math.min(limit, mostRows);
    RecoverPlan plan = recoverPlan(rows);
    Recovery recovery =
        plan instanceof RecoverPlan.OneStatement
            ? core.sessions().statement("recover", s -> recover(s, plan, rows))
            : core.sessions().transaction("recover", s -> recover(s, plan, rows));
    if (!recovery.ready().isEmpty()) {
      core.wakeups().committed();
    }
    return reportRecovery(recovery);
  }

  Recovery recover(Connection connection, int limit) {
    Core.positive("limit", limit);
    int rows = Math.min(limit, mostRows);
    RecoverPlan plan = recoverPlan(rows);
    return reportRecovery(
        core.sessions()
            .within(
                connection,
                "recover",
                s -> {
                  s.claimRefusal().ifPresent(this::refuse);
                  return recover(s, plan, rows);
                }));
  }

  private Recovery reportRecovery(Recovery recovery) {
    if (recovery.size() > 0) {
      core.events().emit(l -> l.recovered(core.name(), recovery));
    }
    return recovery;
  }

  private RecoverPlan recoverPlan(int limit) {
    if (!core.model().mapping().capabilities().contains(Capability.EXPIRY)) {
      throw new ConfigurationException(
          "queue '%s': nothing in table %s says when a row was claimed, so none can be recovered automatically; add a column and map it as lease-until (list shows stuck rows, recover --unfenced resets them)"
              .formatted(core.name(), core.model().mapping().table()));
    }
    return recoverPlans.computeIfAbsent(
        limit, n -> core.dialect().recover(core.model(), OptionalInt.of(n)));
  }

  private Recovery recover(Session session, RecoverPlan plan, int limit) throws SQLException {
    List<Key> ready = new ArrayList<>();
    List<Key> dead = new ArrayList<>();
    Values values = constants.copy().number("limit", limit).number("window", 4L * limit + 32);
    int flag = core.model().key().size() + 1;
    if (plan instanceof RecoverPlan.OneStatement one) {
      session.query(
          one.sql(), values, row -> (row.getBoolean(flag) ? dead : ready).add(reader.readKey(row)));
    } else if (plan instanceof RecoverPlan.LockThenUpdate steps) {
      session.query(
          steps.lock(),
          values,
          row -> (row.getBoolean(flag) ? dead : ready).add(reader.readKey(row)));
      for (Key key : ready) {
        session.update(steps.ready(), reader.putKey(constants.copy(), key));
      }
      for (Key key : dead) {
        session.update(steps.dead(), reader.putKey(constants.copy(), key));
      }
    } else if (plan instanceof RecoverPlan.LockThenSet steps) {
      session.query(
          steps.lock(),
          values,
          row -> (row.getBoolean(flag) ? dead : ready).add(reader.readKey(row)));
      recoverAll(session, steps.ready(), ready);
      recoverAll(session, steps.dead(), dead);
    }
    return new Recovery(ready, dead);
  }

  private void recoverAll(Session session, RowsSql update, List<Key> keys) throws SQLException {
    session.update(update, keys.stream().map(key -> reader.putKey(constants.copy(), key)).toList());
  }
}
