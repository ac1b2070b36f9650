package dev.rowlock.internal;

import dev.rowlock.Mapping;
import dev.rowlock.Queue;
import dev.rowlock.QueueBuilder;
import dev.rowlock.SqlListing;

/** The only door from the public package to the internals. */
public final class Wiring {
  private Wiring() {}

  public static Queue queue(QueueBuilder builder) {
    throw new IllegalStateException("being built: " + builder.name());
  }

  public static SqlListing sql(String dialect, String name, Mapping mapping) {
    throw new IllegalStateException("being built: " + dialect + name + mapping);
  }
}
