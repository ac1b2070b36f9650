package dev.rowlock.internal.store;

import dev.rowlock.Listener;
import java.util.List;
import java.util.function.Consumer;

/** The one place where listeners are called: what they throw never reaches the queue's work. */
public final class Events {
  private static final System.Logger LOG = System.getLogger("dev.rowlock");

  private final List<Listener> listeners;

  public Events(List<Listener> listeners) {
    this.listeners = List.copyOf(listeners);
  }

  /** A view that also tells one more listener, for a worker's own counters. */
  public Events and(Listener listener) {
    List<Listener> more = new java.util.ArrayList<>(listeners);
    more.add(listener);
    return new Events(more);
  }

  public void emit(Consumer<Listener> event) {
    for (Listener listener : listeners) {
      try {
        event.accept(listener);
      } catch (RuntimeException | LinkageError | AssertionError e) {
        LOG.log(System.Logger.Level.WARNING, "a listener failed: " + e, e);
      }
    }
  }
}
