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
  private final Map<Integer, RecoverPlan> recoverPlans = new ConcurrentHashMap<>();

  /** Which ready value and how many rows: each pair has a statement, so that its plan fits. */
  private record Size(int ready, int limit) {}

  Claims(Core core, Values constants, ClaimReader reader) {
    this.core = core;
    this.constants = constants;
    this.reader = reader;
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
    for (int i = 0; i < core.model().readyValues() && all.size() < limit; i++) {
      int ready = i;
      int rest = limit - all.size();
      try {
        all.addAll(
            plan(i, rest).oneStatement()
                ? core.sessions().statement("claim", s -> claim(s, ready, rest))
                : core.sessions().transaction("claim", s -> claim(s, ready, rest)));
      } catch (DatabaseException e) {
        if (all.isEmpty()) {
          throw e;
        }
        // What was claimed before must reach its handler; the trouble will show again at the next
        // claim.
        core.events().emit(l -> l.failed(core.name(), "claim", e, 1));
        break;
      }
    }
    report(all, start);
    return all;
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
                  List<Claim> found = new ArrayList<>();
                  for (int i = 0; i < core.model().readyValues() && found.size() < limit; i++) {
                    needsTransaction(s, plan(i, limit - found.size()));
                    found.addAll(claim(s, i, limit - found.size()));
                  }
                  return found;
                });
    report(all, start);
    return all;
  }

  /** Claims in a transaction that will be rolled back. */
  List<Claim> rehearse(Session session, int limit) throws SQLException {
    List<Claim> all = new ArrayList<>();
    for (int i = 0; i < core.model().readyValues() && all.size() < limit; i++) {
      all.addAll(claim(session, i, limit - all.size()));
    }
    return all;
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
    RecoverPlan plan = recoverPlan(limit);
    Recovery recovery =
        plan instanceof RecoverPlan.OneStatement
            ? core.sessions().statement("recover", s -> recover(s, plan, limit))
            : core.sessions().transaction("recover", s -> recover(s, plan, limit));
    if (!recovery.ready().isEmpty()) {
      core.wakeups().committed();
    }
    return reportRecovery(recovery);
  }

  Recovery recover(Connection connection, int limit) {
    Core.positive("limit", limit);
    RecoverPlan plan = recoverPlan(limit);
    return reportRecovery(
        core.sessions().within(connection, "recover", s -> recover(s, plan, limit)));
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
    Values values = constants.copy().number("limit", limit);
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
    }
    return new Recovery(ready, dead);
  }
}
