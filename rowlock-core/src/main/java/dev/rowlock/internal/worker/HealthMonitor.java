package dev.rowlock.internal.worker;

import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.RowlockException;
import dev.rowlock.Worker.Health;
import java.util.HashMap;
import java.util.Map;

/**
 * How a worker is, from which of its operations fail at the moment. A failure is never taken for
 * "no work" (C-097): it is told to listeners each time and logged once a minute. Thread-safe.
 */
final class HealthMonitor {
  private static final class Trouble {
    private int failures;
    private boolean logged;
  }

  private final WorkerEvents events;
  private final WorkerLog log;
  private final Map<String, Trouble> troubles = new HashMap<>();
  private Health phase = Health.UP;
  private volatile Health health = Health.UP;

  HealthMonitor(WorkerEvents events, WorkerLog log) {
    this.events = events;
    this.log = log;
  }

  Health health() {
    return health;
  }

  void failed(String operation, Throwable thrown) {
    int failures;
    synchronized (this) {
      failures = ++troubles.computeIfAbsent(operation, o -> new Trouble()).failures;
    }
    boolean logged = log.warn(operation, () -> text(operation, thrown, failures));
    log.debug(() -> operation + " failed", thrown);
    synchronized (this) {
      Trouble trouble = troubles.get(operation);
      if (trouble != null) {
        trouble.logged |= logged;
      }
    }
    events.failed(operation, runtime(thrown), failures);
    update();
  }

  void worked(String operation) {
    if (health == Health.UP) {
      return; // the hot path; a trouble that another thread reports just now is cleared next time
    }
    Trouble over;
    synchronized (this) {
      over = troubles.remove(operation);
    }
    if (over != null) {
      if (over.logged) {
        log.info(() -> operation + " works again; failures in a row: " + over.failures);
      }
      update();
    }
  }

  /** Goes on to STOPPING or STOPPED. */
  void phase(Health next) {
    synchronized (this) {
      phase = next;
    }
    update();
  }

  private void update() {
    Health now;
    synchronized (this) {
      now = phase == Health.UP && !troubles.isEmpty() ? Health.DEGRADED : phase;
      if (now == health) {
        return;
      }
      health = now;
    }
    events.health(now);
  }

  private static String text(String operation, Throwable thrown, int failures) {
    String said = FailureText.plain(thrown);
    boolean unsaid =
        thrown instanceof DatabaseException e
            && e.fault() == Fault.READ_ONLY
            && !said.contains("read-only server");
    return "%s does not work (failure %d in a row, trying again): %s%s"
        .formatted(operation, failures, unsaid ? "connected to a read-only server: " : "", said);
  }

  private static RuntimeException runtime(Throwable thrown) {
    return thrown instanceof RuntimeException e
        ? e
        : new RowlockException(FailureText.of(thrown), thrown);
  }
}
