package dev.rowlock.internal.worker;

import dev.rowlock.internal.worker.Row.Cancel;
import java.util.HashSet;
import java.util.Set;

/**
 * Tells handlers to stop whose lease could not be extended until its end: by then others may have
 * the row. Only when seen overdue twice in a row: after a pause of the whole process the keeper,
 * which is late too, gets the chance to extend first. A step of one thread.
 */
final class LeaseWatch implements Loop.Step {
  private static final long SHORTEST = Nanos.ofMillis(5);
  private static final long LONGEST = Nanos.ofMillis(10_000);

  private final LeaseParts parts;
  private final Runnable wakeKeeper;
  private Set<LeaseRow> suspects = Set.of();

  LeaseWatch(LeaseParts parts, Runnable wakeKeeper) {
    this.parts = parts;
    this.wakeKeeper = wakeKeeper;
  }

  @Override
  public long run() {
    Set<LeaseRow> overdue = new HashSet<>();
    long now = System.nanoTime();
    for (LeaseRow row : parts.hand().running()) {
      if (row.extendable() && row.overdue(now) && !row.cancelled()) {
        overdue.add(row);
      }
    }
    overdue.stream().filter(suspects::contains).forEach(this::stop);
    if (!overdue.isEmpty()) {
      wakeKeeper.run();
    }
    suspects = overdue;
    return Nanos.clamp(parts.rules().lease() / 10, SHORTEST, LONGEST);
  }

  private void stop(LeaseRow row) {
    if (row.cancel(Cancel.LEASE_UNSURE)) {
      parts
          .log()
          .warn(
              "lease unsure",
              () -> "row " + row.claim().key() + ": " + Cancel.LEASE_UNSURE.reason());
    }
  }
}
