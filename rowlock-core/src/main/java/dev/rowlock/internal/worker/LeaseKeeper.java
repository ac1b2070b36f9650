package dev.rowlock.internal.worker;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.internal.jdbc.HeldConnection;
import dev.rowlock.internal.worker.Row.Cancel;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;

/**
 * Extends the leases of all rows in hand, by one call on a connection of its own, so that neither
 * busy handlers nor an exhausted pool stop it (C-143). After a pause of the whole process it
 * extends first: the fence knows who owns a row, the clock does not. A step of one thread.
 */
final class LeaseKeeper implements Loop.Step {
  static final String OPERATION = "extend";

  private final LeaseParts parts;
  private final HeldConnection held;
  private boolean busy;
  private long last = System.nanoTime();

  LeaseKeeper(LeaseParts parts, HeldConnection held) {
    this.parts = parts;
    this.held = held;
  }

  @Override
  public long run() {
    noticeGap();
    busy = false;
    List<LeaseRow> rows = parts.hand().rows().stream().filter(LeaseRow::extendable).toList();
    extend(rows);
    long interval = Nanos.jittered(parts.rules().lease() / 3);
    return busy ? interval / 3 : interval;
  }

  private void extend(List<LeaseRow> rows) {
    try {
      Connection connection = held.get(); // also without rows: to be ready, and known to be well
      if (!rows.isEmpty()) {
        parts.rules().exclusively(() -> extend(connection, rows));
      }
      parts.health().worked(OPERATION);
    } catch (RuntimeException e) {
      held.discard();
      throw e;
    }
  }

  private void extend(Connection connection, List<LeaseRow> rows) {
    var queue = parts.rules().queue();
    List<Change.Extend> changes = new ArrayList<>(rows.size());
    rows.forEach(row -> changes.add(new Change.Extend(row.claim(), queue.lease())));
    long sent = System.nanoTime();
    List<Applied> applied = queue.apply(connection, changes);
    for (int i = 0; i < rows.size(); i++) {
      LeaseRow row = rows.get(i);
      switch (applied.get(i).status()) {
        case LOST -> lost(row);
        case BUSY -> {
          row.leasedFrom(sent); // nobody can take a row that is locked
          busy = true;
        }
        default -> {
          row.newClaim(applied.get(i).claim());
          row.leasedFrom(sent);
        }
      }
    }
  }

  private void lost(LeaseRow row) {
    switch (parts.hand().stage(row)) {
      case WAITING -> {
        if (parts.hand().dropWaiting(row)) {
          parts.log().info(() -> "row " + row.claim().key() + " was lost before it was started");
        }
      }
      case RUNNING -> lostWhileRunning(row);
      case PARKED -> parts.outbox().hurry(row);
      case WRITING, GONE -> {} // its own outcome has just finished it: no loss at all (C-145)
    }
  }

  private void lostWhileRunning(LeaseRow row) {
    if (row.completedByHandler()) {
      return; // the handler's transaction has committed
    }
    Claim claim = row.claim();
    row.extendNoMore();
    if (row.cancel(Cancel.LEASE_LOST)) {
      parts
          .log()
          .warn("lease lost", () -> "row " + claim.key() + ": " + Cancel.LEASE_LOST.reason());
      parts.events().leaseLost(claim);
    }
  }

  private void noticeGap() {
    long now = System.nanoTime();
    long gap = now - last;
    last = now;
    if (gap > parts.rules().lease()) {
      parts.log().info(() -> "leases were not extended for " + gap / 1_000_000 + " ms");
    }
  }
}
