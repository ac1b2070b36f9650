package dev.rowlock.internal.worker;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Rows whose outcome is to be written: at once, or not before a time. At most {@link #MAX_DELAYED}
 * are held back; of more, the one that is due first is let through. Thread-safe.
 */
final class Outbox {
  static final int MAX_DELAYED = 1000;

  private record Delayed(long due, long number, LeaseRow row) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition more = lock.newCondition();
  private final ArrayDeque<LeaseRow> ready = new ArrayDeque<>();
  private final TreeSet<Delayed> delayed =
      new TreeSet<>(
          (a, b) -> a.due != b.due ? Long.signum(a.due - b.due) : Long.compare(a.number, b.number));
  private long numbers;
  private boolean hurried;
  private boolean closed;

  void put(LeaseRow row) {
    lock.lock();
    try {
      ready.add(row);
      more.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Puts a row in that is not to be written before a time by {@link System#nanoTime()}. */
  void putAt(LeaseRow row, long due) {
    lock.lock();
    try {
      delayed.add(new Delayed(due, numbers++, row));
      if (delayed.size() > MAX_DELAYED) {
        ready.add(delayed.pollFirst().row);
      }
      more.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Lets a row through that was held back. */
  void hurry(LeaseRow row) {
    lock.lock();
    try {
      if (delayed.removeIf(d -> d.row == row)) {
        ready.add(row);
        more.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Holds nothing back any more. */
  void hurry() {
    lock.lock();
    try {
      hurried = true;
      more.signal();
    } finally {
      lock.unlock();
    }
  }

  boolean hurried() {
    lock.lock();
    try {
      return hurried;
    } finally {
      lock.unlock();
    }
  }

  /** Puts rows back in front that could not be written. */
  void putBack(List<LeaseRow> rows) {
    lock.lock();
    try {
      for (int i = rows.size() - 1; i >= 0; i--) {
        ready.addFirst(rows.get(i));
      }
    } finally {
      lock.unlock();
    }
  }

  boolean isEmpty() {
    lock.lock();
    try {
      return ready.isEmpty() && delayed.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for rows; empty if none came in time. */
  List<LeaseRow> take(int most, long nanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long end = System.nanoTime() + nanos;
      while (!letDueThrough()) {
        long left =
            Math.min(end, delayed.isEmpty() ? end : delayed.first().due) - System.nanoTime();
        if (closed || end - System.nanoTime() <= 0) {
          return List.of();
        }
        more.awaitNanos(left);
      }
      List<LeaseRow> taken = new ArrayList<>(Math.min(most, ready.size()));
      while (taken.size() < most && !ready.isEmpty()) {
        taken.add(ready.poll());
      }
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** Ends all waits, now and later. */
  void close() {
    lock.lock();
    try {
      closed = true;
      more.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private boolean letDueThrough() {
    long now = System.nanoTime();
    while (!delayed.isEmpty() && (hurried || delayed.first().due - now <= 0)) {
      ready.add(delayed.pollFirst().row);
    }
    return !ready.isEmpty();
  }
}
