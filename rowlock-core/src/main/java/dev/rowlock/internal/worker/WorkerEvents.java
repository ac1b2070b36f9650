package dev.rowlock.internal.worker;

import dev.rowlock.Applied;
import dev.rowlock.Claim;
import dev.rowlock.Listener;
import dev.rowlock.Outcome;
import dev.rowlock.Recovery;
import dev.rowlock.Worker.Counts;
import dev.rowlock.Worker.Health;
import dev.rowlock.internal.store.Events;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Everything that a worker counts or tells passes here. What the queue's own operations report to
 * listeners (claims, writes, recoveries) is only counted; several workers may share a queue.
 */
final class WorkerEvents {
  private final String queue;
  private final Events events;
  private final LongAdder claimed = new LongAdder();
  private final LongAdder completed = new LongAdder();
  private final LongAdder retried = new LongAdder();
  private final LongAdder dead = new LongAdder();
  private final LongAdder snoozed = new LongAdder();
  private final LongAdder released = new LongAdder();
  private final LongAdder lost = new LongAdder();
  private final LongAdder recovered = new LongAdder();
  private final LongAdder stuck = new LongAdder();

  WorkerEvents(String queue, Events events) {
    this.queue = queue;
    this.events = events;
  }

  Counts counts() {
    return new Counts(
        claimed.sum(),
        completed.sum(),
        retried.sum(),
        dead.sum(),
        snoozed.sum(),
        released.sum(),
        lost.sum(),
        recovered.sum(),
        stuck.sum());
  }

  void claimed(int rows) {
    claimed.add(rows);
  }

  void applied(Applied.Status status) {
    switch (status) {
      case COMPLETED -> completed.increment();
      case RETRYING -> retried.increment();
      case DEAD -> dead.increment();
      case SNOOZED -> snoozed.increment();
      case RELEASED -> released.increment();
      case LOST -> lost.increment();
      case EXTENDED, BUSY -> {}
    }
  }

  void recovered(Recovery recovery) {
    recovered.add(recovery.size());
  }

  void started(Claim claim) {
    emit(l -> l.started(queue, claim));
  }

  void handled(Claim claim, Outcome outcome, Duration took) {
    emit(l -> l.handled(queue, claim, outcome, took));
  }

  void threw(Claim claim, Throwable thrown) {
    emit(l -> l.threw(queue, claim, thrown));
  }

  void leaseLost(Claim claim) {
    emit(l -> l.leaseLost(queue, claim));
  }

  void timedOut(Claim claim, boolean isStuck) {
    if (isStuck) {
      stuck.increment();
    }
    emit(l -> l.timedOut(queue, claim, isStuck));
  }

  void failed(String operation, RuntimeException error, int failures) {
    emit(l -> l.failed(queue, operation, error, failures));
  }

  void health(Health health) {
    emit(l -> l.health(queue, health));
  }

  private void emit(Consumer<Listener> event) {
    events.emit(event);
  }
}
