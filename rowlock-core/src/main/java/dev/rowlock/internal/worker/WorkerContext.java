package dev.rowlock.internal.worker;

import dev.rowlock.Queue;
import dev.rowlock.internal.jdbc.Source;
import dev.rowlock.internal.store.Events;
import dev.rowlock.internal.store.Wakeups;

/**
 * What a worker needs of its queue besides the public operations.
 *
 * @param queue the queue's operations
 * @param source where the queue's connections come from
 * @param events where events go
 * @param wakeups where hints come from
 */
public record WorkerContext(Queue queue, Source source, Events events, Wakeups wakeups) {}
