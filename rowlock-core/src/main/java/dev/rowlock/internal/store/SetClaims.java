package dev.rowlock.internal.store;

import dev.rowlock.Claim;
import dev.rowlock.Key;
import dev.rowlock.internal.jdbc.Session;
import dev.rowlock.internal.jdbc.Values;
import dev.rowlock.spi.ClaimPlan;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Claims by lock, one update and one read for all rows. */
record SetClaims(Values constants, ClaimReader reader) {
  /** Beyond that many locked rows at the head of the queue nobody looks. */
  private static final int WIDEST = 65_536;

  /** In claim order; null for a row that was locked but is not claimed after the update. */
  List<Claim> claim(Session session, ClaimPlan.LockThenSet plan, int limit, String ready)
      throws SQLException {
    List<Values> locked = new ArrayList<>();
    List<Key> keys = new ArrayList<>();
    for (Key key : lock(session, plan, limit)) {
      Values one = reader.putKey(constants.copy(), key);
      if (plan.group().isEmpty() || alone(session, plan.group().get(), one)) {
        locked.add(one);
        keys.add(key);
      }
    }
    if (locked.isEmpty()) {
      return List.of();
    }
    if (plan.update().isPresent()) {
      // Not counted: drivers can be told to count only rows that changed. What is read back tells.
      session.update(plan.update().get(), locked);
    }
    Map<Key, Claim> claims = new HashMap<>();
    session.query(
        plan.read(),
        locked,
        row -> {
          Claim claim = reader.read(row, ready);
          return claim == null ? null : claims.put(claim.key(), claim);
        });
    List<Claim> ordered = new ArrayList<>();
    keys.forEach(key -> ordered.add(claims.get(key)));
    return ordered;
  }

  /** Looks further while rows are missing and there are more candidates. */
  private List<Key> lock(Session session, ClaimPlan.LockThenSet plan, int limit)
      throws SQLException {
    for (int window = 4 * limit + 32; ; window *= 8) {
      Values values = constants.copy().number("limit", limit).number("window", window);
      List<Key> keys = session.query(plan.lock(), values, reader::readKey);
      if (keys.size() >= limit
          || window > WIDEST
          || session.query(plan.candidates(), values, r -> 1).size() < window) {
        return keys;
      }
    }
  }

  private static boolean alone(Session session, ClaimPlan.Group group, Values row)
      throws SQLException {
    return session.query(group.busy(), row, r -> 1).isEmpty()
        && !session.query(group.first(), row, r -> 1).isEmpty();
  }
}
