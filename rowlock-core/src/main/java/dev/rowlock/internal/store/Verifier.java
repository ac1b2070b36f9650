package dev.rowlock.internal.store;

import dev.rowlock.Capability;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.Key;
import dev.rowlock.Mode;
import dev.rowlock.RowState;
import dev.rowlock.RowView;
import dev.rowlock.SqlListing;
import dev.rowlock.Verification;
import dev.rowlock.Verification.Finding;
import dev.rowlock.Verification.Severity;
import dev.rowlock.internal.jdbc.Failures;
import dev.rowlock.internal.jdbc.Rehearsal;
import dev.rowlock.internal.jdbc.Session;
import dev.rowlock.internal.jdbc.Source;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Plays two sessions on the real table and tries every state value; rolls all of it back. */
final class Verifier {
  private final Core core;
  private final Source source;
  private final Claims claims;
  private final Applier applier;
  private final Rows rows;
  private final List<Finding> findings = new ArrayList<>();

  Verifier(Core core, Source source, Claims claims, Applier applier, Rows rows) {
    this.core = core;
    this.source = source;
    this.claims = claims;
    this.applier = applier;
    this.rows = rows;
  }

  Verification verify() {
    shape();
    try {
      unknownStates();
    } catch (DatabaseException e) {
      add(Severity.ERROR, "states", e.getMessage());
    }
    Optional<String> readOnly = core.sessions().statement("verify", Session::readOnly);
    if (readOnly.isPresent()) {
      add(Severity.ERROR, "server", "read-only: " + readOnly.get() + "; connect to the primary");
      return new Verification(findings);
    }
    try (Rehearsal first = new Rehearsal(source);
        Rehearsal second =
            core.dialect().oneWriter() ? new Rehearsal(source, 1) : new Rehearsal(source)) {
      twoSessions(first, second);
    } catch (SQLException e) {
      problem("two sessions", e);
    } catch (DatabaseException e) {
      add(Severity.ERROR, "two sessions", e.getMessage());
    }
    return new Verification(findings);
  }

  private void shape() {
    add(
        Severity.OK,
        "table",
        core.model().table().quoted() + " has a unique key and the mapped columns");
    core.model().table().notes().forEach(n -> add(Severity.WARNING, "table", n));
    for (SqlListing.Statement advice : core.dialect().advice(core.model())) {
      if (advice.name().startsWith("index")) {
        String sql = advice.sql().replace("\n", " ");
        add(
            Severity.WARNING,
            "index",
            "no index serves the claim, so it reads the table; create it: " + sql);
      }
    }
    if (core.model().mode() == Mode.LEASE) {
      capabilities();
    }
  }

  /** Rows in no mapped state are never claimed: usually a value that is spelled differently. */
  private void unknownStates() {
    long other = rows.stats().count(RowState.OTHER);
    if (other == 0) {
      return;
    }
    String seen =
        core.model()
            .state()
            .map(
                c ->
                    rows.list(RowState.OTHER, 100).stream()
                        .map(r -> String.valueOf(r.columns().get(c.name())))
                        .distinct()
                        .limit(5)
                        .collect(Collectors.joining(", ", ", with ", "")))
            .orElse("");
    add(
        Severity.WARNING,
        "states",
        "%d rows are in no mapped state%s: they are never claimed; is a value spelled as in the table, or does where leave them out?"
            .formatted(other, seen));
  }

  private void capabilities() {
    Set<Capability> has = core.model().mapping().capabilities();
    if (!has.contains(Capability.FENCE)) {
      add(
          Severity.WARNING,
          "fence",
          core.model().fenceRoles().isEmpty()
              ? "nothing tells two claims of a row apart, so a late write of a slow worker cannot be refused; map token"
              : "only times or the worker tell two claims of a row apart; map token for a fence that cannot fail");
    }
    if (!has.contains(Capability.EXPIRY)) {
      add(
          Severity.WARNING,
          "recovery",
          "nothing says when a row was claimed, so rows of crashed workers stay claimed until a person resets them; map lease-until");
    }
    if (!has.contains(Capability.RETRY_LIMIT)) {
      add(
          Severity.WARNING,
          "attempts",
          "attempts are not counted, so a row that always fails is tried for ever; map attempts");
    }
  }

  private void twoSessions(Rehearsal first, Rehearsal second) throws SQLException {
    List<Claim> a = claims.rehearse(first.session(), 1);
    if (a.isEmpty()) {
      add(
          Severity.UNKNOWN,
          "two sessions",
          "no row can be claimed now, so there was nothing to try; enqueue two rows and verify again");
      return;
    }
    long start = System.nanoTime();
    List<Claim> b = second(second.session());
    long millis = (System.nanoTime() - start) / 1_000_000;
    Key mine = a.get(0).key();
    // From here on the second session only looks: what a pool of two connections must be enough
    // for.
    second.rollback();
    Map<Key, RowView> seen = look(second.session(), a, b);
    if (core.dialect().oneWriter() && b.isEmpty()) {
      add(
          Severity.OK,
          "two sessions",
          "session 1 claimed row %s; session 2 had to wait, since one transaction at a time can write in this database"
              .formatted(mine));
    } else if (b.isEmpty()) {
      onlyOne(second.session(), mine, millis);
    } else if (b.get(0).key().equals(mine)) {
      add(
          Severity.ERROR,
          "two sessions",
          "both sessions got row %s: the database did not keep the first session's lock"
              .formatted(mine));
    } else {
      add(
          Severity.OK,
          "two sessions",
          "session 1 claimed row %s; session 2, before any commit, claimed row %s after %d ms"
              .formatted(mine, b.get(0).key(), millis));
    }
    states(first, a.get(0));
    first.rollback();
    second.rollback();
    untouched(second.session(), seen);
  }

  /** Where one transaction at a time can write, the other is expected to wait in vain. */
  private List<Claim> second(Session session) throws SQLException {
    try {
      return claims.rehearse(session, 1);
    } catch (SQLException e) {
      if (core.dialect().oneWriter() && core.dialect().classify(e) == Fault.LOCK_TIMEOUT) {
        return List.of();
      }
      throw e;
    }
  }

  private void onlyOne(Session session, Key mine, long millis) throws SQLException {
    long ready = rows.stats(session).count(RowState.READY);
    if (ready > 1) {
      add(
          Severity.WARNING,
          "two sessions",
          "session 1 claimed row %s; session 2 found nothing although %d rows are ready: without an index in claim order, or with strict order in one group, one claim holds up the next"
              .formatted(mine, ready));
    } else {
      add(
          Severity.OK,
          "two sessions",
          "session 1 claimed row %s, the only one; session 2 passed it over after %d ms"
              .formatted(mine, millis));
    }
  }

  /** What everybody else sees of the rows: the committed state. */
  private Map<Key, RowView> look(Session session, List<Claim> a, List<Claim> b)
      throws SQLException {
    Map<Key, RowView> seen = new LinkedHashMap<>();
    for (List<Claim> some : List.of(a, b)) {
      for (Claim c : some) {
        rows.show(session, c.key()).ifPresent(v -> seen.put(c.key(), v));
      }
    }
    return seen;
  }

  /**
   * A CHECK, enum or length that refuses one of the values would show at the first failure only.
   */
  private void states(Rehearsal session, Claim claim) throws SQLException {
    List<Change> changes = new ArrayList<>();
    changes.add(new Change.Complete(claim));
    changes.add(new Change.Release(claim));
    changes.add(new Change.Fail(claim, "verify", Optional.empty()));
    if (core.model().mapping().capabilities().contains(Capability.DEAD_LETTER)) {
      changes.add(new Change.Dead(claim, "verify"));
    }
    boolean fine = true;
    for (Change change : changes) {
      String name = change.getClass().getSimpleName().toLowerCase(Locale.ROOT);
      try {
        boolean current = session.attempt(s -> applier.rehearse(s, change));
        if (!current) {
          fine = false;
          add(
              Severity.ERROR,
              name,
              "was refused in the claiming session itself; a trigger may change the fence columns or suppress the update");
        }
      } catch (SQLException e) {
        fine = false;
        problem(name, e);
      }
    }
    if (fine) {
      add(
          Severity.OK,
          "writes",
          "complete, release, fail and (where mapped) dead were tried on row %s"
              .formatted(claim.key()));
    }
  }

  private void untouched(Session session, Map<Key, RowView> seen) throws SQLException {
    for (Map.Entry<Key, RowView> e : seen.entrySet()) {
      Optional<RowView> now = rows.show(session, e.getKey());
      if (now.isEmpty()
          || !now.get().columns().toString().equals(e.getValue().columns().toString())) {
        add(
            Severity.WARNING,
            "no trace",
            "row %s changed meanwhile (somebody else works on the table): %s"
                .formatted(e.getKey(), now.map(RowView::columns)));
        return;
      }
    }
    add(Severity.OK, "no trace", "both sessions rolled back; the rows are as before");
  }

  private void problem(String check, SQLException e) {
    add(
        Severity.ERROR,
        check,
        Failures.translate(core.name(), check, e, core.dialect().classify(e)).getMessage());
  }

  private void add(Severity severity, String check, String text) {
    findings.add(new Finding(severity, check, text));
  }
}
