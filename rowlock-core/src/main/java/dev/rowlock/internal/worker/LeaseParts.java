package dev.rowlock.internal.worker;

import dev.rowlock.WorkerOptions;

/**
 * What the threads of a worker in lease mode share.
 *
 * @param options how it runs
 * @param rules what the mapping means for leases
 * @param hand the rows that it holds
 * @param outbox outcomes on their way
 * @param settlement what to write when
 * @param events where events and counts go
 * @param health how it is
 * @param log where it logs
 */
record LeaseParts(
    WorkerOptions options,
    QueueRules rules,
    Hand<LeaseRow> hand,
    Outbox outbox,
    Settlement settlement,
    WorkerEvents events,
    HealthMonitor health,
    WorkerLog log) {

  static LeaseParts of(WorkerContext context, WorkerOptions options) {
    String queue = context.queue().name();
    WorkerLog log = new WorkerLog(queue);
    WorkerEvents events = new WorkerEvents(queue, context.events());
    QueueRules rules = new QueueRules(context.queue());
    Hand<LeaseRow> hand = new Hand<>(options.threads(), options.batch());
    Outbox outbox = new Outbox();
    return new LeaseParts(
        options,
        rules,
        hand,
        outbox,
        new Settlement(rules, hand, outbox, events),
        events,
        new HealthMonitor(events, log),
        log);
  }
}
