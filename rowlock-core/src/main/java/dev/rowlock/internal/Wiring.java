package dev.rowlock.internal;

import dev.rowlock.Mapping;
import dev.rowlock.Mode;
import dev.rowlock.Queue;
import dev.rowlock.QueueBuilder;
import dev.rowlock.Role;
import dev.rowlock.SqlListing;
import dev.rowlock.dialect.Dialects;
import dev.rowlock.internal.jdbc.Connector;
import dev.rowlock.internal.store.Listing;
import dev.rowlock.internal.store.QueueFactory;
import dev.rowlock.internal.worker.WorkerContext;
import dev.rowlock.internal.worker.Workers;
import java.util.List;

/** The only door from the public package to the internals. */
public final class Wiring {
  private Wiring() {}

  public static Queue queue(QueueBuilder builder) {
    return QueueFactory.build(
        builder,
        new Connector(Dialects::detect),
        (queue, source, events, wakeups, options, handler) ->
            Workers.start(new WorkerContext(queue, source, events, wakeups), options, handler));
  }

  public static SqlListing sql(String dialect, String name, Mapping mapping) {
    boolean marked =
        mapping.state().map(s -> s.processing().isPresent()).orElse(false)
            || (mapping.state().isEmpty()
                && (mapping.has(Role.CLAIMED_AT) || mapping.has(Role.LEASE_UNTIL)));
    Mode mode = marked ? Mode.LEASE : Mode.TRANSACTIONAL;
    return Listing.of(QueueFactory.unconnected(Dialects.named(dialect), mapping, mode));
  }

  public static List<String> dialects() {
    return Dialects.names();
  }
}
