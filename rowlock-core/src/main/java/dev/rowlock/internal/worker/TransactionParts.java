package dev.rowlock.internal.worker;

import dev.rowlock.WorkerOptions;
import dev.rowlock.internal.jdbc.Source;

/**
 * What the threads of a worker in transactional mode share.
 *
 * @param options how it runs
 * @param source where transactions come from
 * @param rules what the mapping means
 * @param hand the rows that it holds
 * @param failures counts of failures, where the table has none
 * @param passedOver rows that are not to be worked on for a while
 * @param events where events and counts go
 * @param health how it is
 * @param log where it logs
 */
record TransactionParts(
    WorkerOptions options,
    Source source,
    QueueRules rules,
    Hand<TransactionRow> hand,
    LocalBackoff failures,
    LocalBackoff passedOver,
    WorkerEvents events,
    HealthMonitor health,
    WorkerLog log) {

  static TransactionParts of(WorkerContext context, WorkerOptions options) {
    String queue = context.queue().name();
    WorkerLog log = new WorkerLog(queue);
    WorkerEvents events = new WorkerEvents(queue, context.events());
    return new TransactionParts(
        options,
        context.source(),
        new QueueRules(context.queue()),
        new Hand<>(options.threads(), 0),
        new LocalBackoff(context.queue().retry()),
        new LocalBackoff(context.queue().retry()),
        events,
        new HealthMonitor(events, log),
        log);
  }
}
