package dev.rowlock.internal.worker;

import dev.rowlock.Worker;
import dev.rowlock.WorkerOptions;
import java.time.Duration;

/**
 * What both kinds of worker have in common. {@link #stop} may be called by any thread, also by a
 * shutdown hook, and by a handler: that call returns at once, with its own row among the
 * unfinished.
 */
abstract class BaseWorker implements Worker, Stopping.Steps {
  private final WorkerContext context;
  private final WorkerOptions options;
  private final Hand<? extends Row> hand;
  private final WorkerEvents events;
  private final HealthMonitor health;
  private final EmptyWait emptyWait;
  private final Stopping stopping;
  final Polls polls;

  BaseWorker(
      WorkerContext context,
      WorkerOptions options,
      Hand<? extends Row> hand,
      WorkerEvents events,
      HealthMonitor health,
      WorkerLog log) {
    this.context = context;
    this.options = options;
    this.hand = hand;
    this.events = events;
    this.health = health;
    this.polls = new Polls(options);
    this.emptyWait = new EmptyWait(context.queue(), hand, log);
    this.stopping = new Stopping(this, health, log, threadName("stop"));
  }

  final String threadName(String role) {
    return "rowlock-" + context.queue().name() + "-" + role;
  }

  @Override
  public final Health health() {
    return health.health();
  }

  @Override
  public final Counts counts() {
    return events.counts();
  }

  @Override
  public final int inFlight() {
    return hand.size();
  }

  @Override
  public final void wake() {
    polls.wake();
  }

  @Override
  public final boolean awaitEmpty(Duration atMost) throws InterruptedException {
    return emptyWait.await(System.nanoTime() + Nanos.of(atMost));
  }

  @Override
  public final Report stop(Duration grace) {
    boolean fromHandler =
        hand.running().stream().anyMatch(row -> row.runsOn(Thread.currentThread()));
    return stopping.stop(grace, fromHandler);
  }

  @Override
  public final void close() {
    stop(options.grace());
  }

  @Override
  public void stopClaiming() {
    context.wakeups().remove(polls);
    polls.close();
  }

  @Override
  public final boolean awaitNothing(long deadline) throws InterruptedException {
    return hand.awaitNothing(deadline);
  }

  @Override
  public void interruptHandlers() {
    hand.running().forEach(row -> row.cancel(Row.Cancel.STOP));
  }
}
