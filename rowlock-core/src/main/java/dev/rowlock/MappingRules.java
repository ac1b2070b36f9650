package dev.rowlock;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What a mapping must satisfy whatever the database; each rule names its fix. */
final class MappingRules {
  private MappingRules() {}

  static void check(Mapping m) {
    names(m);
    if (m.key().isEmpty()) {
      refuse(m, "no key column; give the columns that name a row, for example key: id");
    }
    once(m, "key", m.key());
    once(m, "read", m.read());
    once(m, "write", m.write());
    onePurposeEach(m);
    completion(m);
    markers(m);
    if (m.has(Role.MAX_ATTEMPTS) && !m.has(Role.ATTEMPTS)) {
      refuse(m, "max-attempts is mapped but attempts is not; map attempts too");
    }
  }

  private static void completion(Mapping m) {
    if (!(m.onDone() instanceof OnDone.Update)) {
      return;
    }
    if (m.state().isPresent() && m.state().flatMap(State::done).isEmpty()) {
      // A stamp alone would leave the state as it is: processing, to be recovered and done again.
      refuse(m, "state has no done value; give one, or choose on-done: delete");
    }
    if (m.state().isEmpty() && !m.has(Role.DONE_AT)) {
      refuse(
          m,
          "nothing says that a row is done; give a done state, map done-at, or choose on-done: delete");
    }
  }

  private static void markers(Mapping m) {
    if (m.state().isPresent()) {
      return;
    }
    boolean marker = m.has(Role.CLAIMED_AT) || m.has(Role.LEASE_UNTIL);
    if (!marker && !m.has(Role.DONE_AT) && m.onDone() instanceof OnDone.Update) {
      refuse(
          m,
          "no state column and no marker; give state, or map lease-until, claimed-at or done-at");
    }
  }

  private static void names(Mapping m) {
    List<String> all = new ArrayList<>(m.key());
    m.state().map(State::column).ifPresent(all::add);
    all.addAll(m.columns().values());
    m.order().stream().map(OrderBy::column).forEach(all::add);
    all.addAll(m.read());
    all.addAll(m.write());
    for (String name : all) {
      if (name == null || name.isBlank()) {
        refuse(m, "a column name is empty");
      }
    }
  }

  private static void once(Mapping m, String what, List<String> columns) {
    Set<String> seen = new HashSet<>();
    for (String column : columns) {
      if (!seen.add(column)) {
        refuse(m, "%s names column '%s' twice".formatted(what, column));
      }
    }
  }

  /** Two purposes that are both written may not share a column, except lease-until with run-at. */
  private static void onePurposeEach(Mapping m) {
    Map<String, String> purpose = new HashMap<>();
    m.key().forEach(c -> purpose.put(c, "key"));
    m.state().ifPresent(s -> claimPurpose(m, purpose, s.column(), "state"));
    m.columns()
        .forEach(
            (role, column) -> {
              boolean readOnly =
                  role == Role.PRIORITY || role == Role.GROUP || role == Role.MAX_ATTEMPTS;
              if (!readOnly && !(role == Role.RUN_AT && m.visibilityTimeout())) {
                claimPurpose(m, purpose, column, role.label());
              }
            });
    m.write().forEach(c -> claimPurpose(m, purpose, c, "write"));
  }

  private static void claimPurpose(Mapping m, Map<String, String> all, String column, String what) {
    Optional<String> other = Optional.ofNullable(all.put(column, what));
    other.ifPresent(
        o ->
            refuse(
                m,
                "column '%s' is both %s and %s; each needs a column of its own"
                    .formatted(column, o, what)));
  }

  private static void refuse(Mapping m, String reason) {
    throw new ConfigurationException("table '%s': %s".formatted(m.table(), reason));
  }
}
