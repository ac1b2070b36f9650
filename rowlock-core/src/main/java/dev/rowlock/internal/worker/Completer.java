package dev.rowlock.internal.worker;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.Key;
import dev.rowlock.internal.worker.Row.Stage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Writes outcomes: whatever has gathered goes in one call. While the database is away the rows
 * wait, still held and extended. A row that the database refuses is told apart from its batch by
 * halving, and is failed with the database's words. A step of one thread.
 */
final class Completer implements Loop.Step {
  static final String OPERATION = "write";

  private static final int MOST = 500;
  private static final long IDLE = Nanos.ofMillis(1000);

  /** Trouble that says nothing about the rows: the same write may succeed later. */
  private static final Set<Fault> OUTAGES =
      EnumSet.of(
          Fault.CONNECTION,
          Fault.READ_ONLY,
          Fault.TIMEOUT,
          Fault.POOLER,
          Fault.SERIALIZATION,
          Fault.DEADLOCK,
          Fault.LOCK_TIMEOUT);

  private final LeaseParts parts;
  private final Set<LeaseRow> open = new LinkedHashSet<>();
  private final List<Key> givenUp = new CopyOnWriteArrayList<>();

  Completer(LeaseParts parts) {
    this.parts = parts;
  }

  @Override
  public long run() throws InterruptedException {
    List<LeaseRow> rows = parts.outbox().take(MOST, IDLE);
    if (rows.isEmpty() && parts.outbox().isEmpty()) {
      parts.health().worked(OPERATION); // nothing is left that could not be written
    }
    open.addAll(rows);
    try {
      together(rows).forEach(this::write);
    } finally {
      // After an outage half way, or an error of our own: nothing that was taken may be forgotten.
      parts.outbox().putBack(List.copyOf(open));
      open.clear();
    }
    return 0;
  }

  /** Rows whose outcome was still refused when the worker was stopped. */
  List<Key> givenUp() {
    return List.copyOf(givenUp);
  }

  /**
   * Rows that one statement or transaction can write: a call with them takes effect as a whole or
   * not at all, so that after a failure nothing is written twice and then taken for lost.
   */
  private static Collection<List<LeaseRow>> together(List<LeaseRow> rows) {
    Map<Object, List<LeaseRow>> groups = new LinkedHashMap<>();
    rows.forEach(row -> groups.computeIfAbsent(row.writeKind(), k -> new ArrayList<>()).add(row));
    return groups.values();
  }

  private void write(List<LeaseRow> rows) {
    try {
      parts.rules().exclusively(() -> apply(rows));
      parts.health().worked(OPERATION);
    } catch (RuntimeException e) {
      rows.forEach(LeaseRow::doubtful);
      if (isOutage(e)) {
        throw e;
      } else if (rows.size() == 1) {
        refused(rows.get(0), e);
      } else {
        int half = rows.size() / 2;
        write(rows.subList(0, half));
        write(rows.subList(half, rows.size()));
      }
    }
  }

  private void apply(List<LeaseRow> rows) {
    List<Change> changes = new ArrayList<>(rows.size());
    rows.forEach(row -> changes.add(row.change()));
    List<Applied> applied = parts.rules().queue().apply(changes);
    for (int i = 0; i < rows.size(); i++) {
      written(rows.get(i), applied.get(i));
    }
  }

  private void written(LeaseRow row, Applied applied) {
    open.remove(row);
    parts.events().applied(applied.status());
    parts.settlement().written(row, applied.status());
    if (applied.lost()) {
      reportLost(row, applied);
    }
    parts.hand().gone(row);
  }

  private void reportLost(LeaseRow row, Applied applied) {
    String text =
        "%s of row %s was refused: its claim is no longer current"
            .formatted(applied.change().getClass().getSimpleName(), row.claim().key());
    if (row.isDoubtful() || row.whyCancelled() == Row.Cancel.LEASE_LOST) {
      // An earlier try may have arrived although its answer was lost (P15), or it was told before.
      parts.log().debug(() -> text);
    } else {
      parts.log().warn("lost", () -> text);
    }
  }

  private static boolean isOutage(RuntimeException e) {
    return e instanceof DatabaseException database && OUTAGES.contains(database.fault());
  }

  /** The database, or the queue, does not take what is to be written for this row (C-022). */
  private void refused(LeaseRow row, RuntimeException e) {
    open.remove(row);
    int refusals = row.refused();
    if (refusals == 1 && !row.decidedToFail()) {
      parts.log().warn("refused", () -> "outcome of row " + about(row, e));
      parts.settlement().fail(row, "the outcome was refused: " + FailureText.plain(e));
      return;
    }
    parts.health().failed(OPERATION, e);
    row.extendNoMore();
    long now = System.nanoTime();
    boolean stopping = parts.outbox().hurried();
    if (stopping || row.overdue(now)) {
      parts.log().warn("given up", () -> "no outcome could be written for row " + about(row, e));
      if (stopping) {
        givenUp.add(row.claim().key());
      }
      parts.hand().gone(row);
    } else if (parts.hand().move(row, Stage.PARKED)) {
      parts.outbox().putAt(row, now + wait(refusals));
    }
  }

  private static String about(LeaseRow row, RuntimeException e) {
    return row.claim().key() + ": " + FailureText.plain(e);
  }

  private long wait(int refusals) {
    double wait = Nanos.ofMillis(100) * Math.pow(2, Math.min(refusals, 40));
    return Nanos.jittered((long) Math.min(wait, Nanos.of(parts.options().maxBackoff())));
  }
}
