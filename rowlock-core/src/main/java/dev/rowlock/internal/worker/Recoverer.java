package dev.rowlock.internal.worker;

import dev.rowlock.Queue;
import dev.rowlock.Recovery;
import dev.rowlock.WorkerOptions;
import java.time.Duration;

/** Looks for rows whose lease has ended, whoever held them. A step of one thread. */
final class Recoverer implements Loop.Step {
  static final String OPERATION = "recover";

  private static final int PAGE = 100;

  private final Queue queue;
  private final long interval;
  private final WorkerEvents events;
  private final HealthMonitor health;
  private final Polls polls;

  Recoverer(
      Queue queue, WorkerOptions options, WorkerEvents events, HealthMonitor health, Polls polls) {
    this.queue = queue;
    this.interval = interval(queue, options);
    this.events = events;
    this.health = health;
    this.polls = polls;
  }

  @Override
  public long run() {
    Recovery recovery = queue.recover(PAGE);
    health.worked(OPERATION);
    if (recovery.size() > 0) {
      events.recovered(recovery);
      polls.wake();
    }
    return recovery.size() >= PAGE ? 0 : Nanos.around(interval);
  }

  private static long interval(Queue queue, WorkerOptions options) {
    return options
        .recoverEvery()
        .map(Nanos::of)
        .orElseGet(
            () -> Nanos.clamp(thirdOf(queue.lease()), Nanos.ofMillis(100), Nanos.ofMillis(60_000)));
  }

  private static long thirdOf(Duration lease) {
    return Nanos.of(lease) / 3;
  }
}
