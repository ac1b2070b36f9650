package dev.rowlock.internal.store;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Carries in-process hints from enqueuing code to the workers of the same queue object. A hint is
 * never needed for correctness: polling finds the rows too.
 */
public final class Wakeups {

  /** A worker's end of it. */
  public interface Waker {
    /** Rows were committed: look now. */
    void committed();

    /** Rows were inserted in a transaction that may commit soon: look more often for a while. */
    void pending();
  }

  private final List<Waker> wakers = new CopyOnWriteArrayList<>();

  public void add(Waker waker) {
    wakers.add(waker);
  }

  public void remove(Waker waker) {
    wakers.remove(waker);
  }

  public void committed() {
    wakers.forEach(Waker::committed);
  }

  public void pending() {
    wakers.forEach(Waker::pending);
  }
}
