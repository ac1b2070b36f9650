package dev.rowlock.internal.worker;

import dev.rowlock.Key;
import dev.rowlock.internal.worker.Row.Stage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The rows that a worker holds, and claims that are under way. Rows enter by {@link #add}, move
 * through their {@link Stage stages} and leave by {@link #gone}; all under one lock. Thread-safe.
 *
 * @param <R> the kind of row
 */
final class Hand<R extends Row> {
  private final int threads;
  private final int batch;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition demand = lock.newCondition();
  private final Condition supply = lock.newCondition();
  private final Condition fewer = lock.newCondition();
  private final Condition ending = lock.newCondition();
  private final Set<R> rows = new LinkedHashSet<>();
  private final Set<R> running = new LinkedHashSet<>();
  private final ArrayDeque<R> waiting = new ArrayDeque<>();
  private int parked;
  private int reserved;
  private int claiming;
  private long arrivals;
  private boolean closed;

  Hand(int threads, int batch) {
    this.threads = threads;
    this.batch = batch;
  }

  /**
   * Waits until a claim is worth while and reserves room for it: for half a batch at least, so that
   * claims stay large, or for any row at all while a handler thread would be idle. Rows that are
   * being written leave room for the next claim, so that claiming and completing overlap; but not
   * for many, in case the database takes claims and no outcomes.
   *
   * @return how many rows to claim; 0 after {@link #close()}
   */
  int awaitDemand() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!closed) {
        int room = threads + batch - running.size() - waiting.size() - reserved;
        int free = Math.min(room, threads + 3 * batch - (rows.size() - parked) - reserved);
        boolean idle = running.size() + waiting.size() + reserved < threads;
        if (free >= (idle ? 1 : (batch + 1) / 2)) {
          int wanted = Math.min(batch, free);
          reserve(wanted);
          return wanted;
        }
        demand.await();
      }
      return 0;
    } finally {
      lock.unlock();
    }
  }

  /** Announces a claim without regard to capacity; false after {@link #close()}. */
  boolean reserve() {
    lock.lock();
    try {
      if (!closed) {
        reserve(0);
      }
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  private void reserve(int wanted) {
    reserved += wanted;
    claiming++;
  }

  /** The claim is over; its rows have been added. */
  void unreserve(int wanted) {
    lock.lock();
    try {
      reserved -= wanted;
      claiming--;
      changed();
    } finally {
      lock.unlock();
    }
  }

  /** Takes a row in; false if a row that was to wait for a thread came after {@link #close()}. */
  boolean add(R row, Stage stage) {
    lock.lock();
    try {
      boolean late = closed && stage == Stage.WAITING;
      arrivals++;
      rows.add(row);
      enter(row, late ? Stage.WRITING : stage);
      return !late;
    } finally {
      lock.unlock();
    }
  }

  /** The next row to run, in claim order; null when there will be none. */
  R next() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (waiting.isEmpty()) {
        if (closed) {
          return null;
        }
        supply.await();
      }
      R row = waiting.poll();
      enter(row, Stage.RUNNING);
      return row;
    } finally {
      lock.unlock();
    }
  }

  /** Moves a row on; false if it has gone in the meantime. */
  boolean move(R row, Stage stage) {
    lock.lock();
    try {
      if (row.stage == Stage.GONE) {
        return false;
      }
      leave(row);
      enter(row, stage);
      changed();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Lets a row go. */
  void gone(R row) {
    lock.lock();
    try {
      if (row.stage != Stage.GONE) {
        leave(row);
        rows.remove(row);
        row.stage = Stage.GONE;
        changed();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Where the row is. */
  Stage stage(R row) {
    lock.lock();
    try {
      return row.stage;
    } finally {
      lock.unlock();
    }
  }

  /** Lets a row go if its handler has not started. */
  boolean dropWaiting(R row) {
    lock.lock();
    try {
      if (row.stage != Stage.WAITING) {
        return false;
      }
      gone(row);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Takes no more rows; those that waited are the caller's to give back. */
  List<R> close() {
    lock.lock();
    try {
      closed = true;
      List<R> unstarted = List.copyOf(waiting);
      unstarted.forEach(row -> move(row, Stage.WRITING));
      demand.signalAll();
      supply.signalAll();
      ending.signalAll();
      return unstarted;
    } finally {
      lock.unlock();
    }
  }

  boolean closed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  List<R> rows() {
    return copy(rows);
  }

  List<R> running() {
    return copy(running);
  }

  int size() {
    lock.lock();
    try {
      return rows.size();
    } finally {
      lock.unlock();
    }
  }

  List<Key> keys() {
    return rows().stream().map(row -> row.claim().key()).toList();
  }

  /** How many rows have ever come in: tells whether any came between two looks. */
  long arrivals() {
    lock.lock();
    try {
      return arrivals;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until no row is held and no claim is under way; whether that came before the deadline.
   */
  boolean awaitNothing(long deadline) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!rows.isEmpty() || claiming > 0) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        fewer.awaitNanos(left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Waits a time, or until {@link #close()}. */
  void awaitClosed(long nanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = nanos;
      while (!closed && left > 0) {
        left = ending.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  private List<R> copy(Collection<R> source) {
    lock.lock();
    try {
      return new ArrayList<>(source);
    } finally {
      lock.unlock();
    }
  }

  private void enter(R row, Stage stage) {
    row.stage = stage;
    switch (stage) {
      case WAITING -> {
        waiting.add(row);
        supply.signal();
      }
      case RUNNING -> running.add(row);
      case PARKED -> parked++;
      case WRITING, GONE -> {}
    }
  }

  private void leave(R row) {
    switch (row.stage) {
      case WAITING -> waiting.remove(row);
      case RUNNING -> running.remove(row);
      case PARKED -> parked--;
      case WRITING, GONE -> {}
    }
  }

  private void changed() {
    demand.signalAll();
    if (claiming == 0 && rows.isEmpty()) {
      fewer.signalAll();
    }
  }
}
