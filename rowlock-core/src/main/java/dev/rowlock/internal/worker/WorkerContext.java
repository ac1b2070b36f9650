package dev.rowlock.internal.worker;

import dev.rowlock.Queue;
import dev.rowlock.internal.store.Events;
import dev.rowlock.internal.store.Wakeups;
import javax.sql.DataSource;

/**
 * What a worker needs of its queue besides the public operations.
 *
 * @param queue the queue's operations
 * @param dataSource the queue's data source
 * @param events where events go
 * @param wakeups where hints come from
 */
public record WorkerContext(Queue queue, DataSource dataSource, Events events, Wakeups wakeups) {}
