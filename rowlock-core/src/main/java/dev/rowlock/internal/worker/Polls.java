package dev.rowlock.internal.worker;

import dev.rowlock.WorkerOptions;
import dev.rowlock.internal.store.Wakeups;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * When to look for work again after nothing was found: at growing, jittered intervals, or at once
 * on a wake-up. Of several threads that found nothing, one polls for all; when it finds something
 * it invites the next. Thread-safe.
 *
 * <p>A wake-up that comes during a claim is not lost: a claimer takes a {@link #ticket()} first and
 * shows it when it waits.
 */
final class Polls implements Wakeups.Waker {
  /** A wake-up may come just before its commit is visible, so it is followed up once (C-077). */
  private static final long ECHO = Nanos.ofMillis(50);

  private static final long PENDING_POLL = Nanos.ofMillis(250);
  private static final long PENDING_FOR = Nanos.ofMillis(30_000);

  private final long shortest;
  private final long longest;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private long wakes;
  private long interval;
  private boolean echo;
  private boolean pending;
  private long pendingUntil;
  private boolean someonePolls;
  private int followers;
  private int invitations;
  private boolean closed;

  Polls(WorkerOptions options) {
    shortest = Nanos.of(options.minPoll());
    longest = Nanos.of(options.maxPoll());
    interval = shortest;
  }

  @Override
  public void committed() {
    wake();
  }

  @Override
  public void pending() {
    lock.lock();
    try {
      pending = true;
      pendingUntil = System.nanoTime() + PENDING_FOR;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  void wake() {
    lock.lock();
    try {
      wakes++;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Ends all waits, now and later. */
  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** To be taken before a claim. */
  long ticket() {
    lock.lock();
    try {
      return wakes;
    } finally {
      lock.unlock();
    }
  }

  /** A claim brought rows. */
  void found() {
    lock.lock();
    try {
      interval = shortest;
      echo = false;
      pending = false;
      if (followers > invitations) {
        invitations++;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits after an empty claim. */
  void afterEmpty(long ticket) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      if (wakes != ticket) {
        echo = true;
      } else if (follow()) {
        poll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits a given time; a wake-up ends it early. */
  void pause(long ticket, long nanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = nanos;
      while (left > 0 && wakes == ticket && !closed) {
        left = changed.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits while another thread polls. True if this thread is to poll now, false if to claim. */
  private boolean follow() throws InterruptedException {
    followers++;
    try {
      while (someonePolls && !closed) {
        if (invitations > 0) {
          invitations--;
          return false;
        }
        changed.await();
      }
      return !closed;
    } finally {
      followers--;
      invitations = Math.min(invitations, followers);
    }
  }

  private void poll() throws InterruptedException {
    long ticket = wakes;
    long start = System.nanoTime();
    long wait = nextWait();
    someonePolls = true;
    try {
      while (wakes == ticket && !closed) {
        long left =
            start + (pendingNow() ? Math.min(wait, PENDING_POLL) : wait) - System.nanoTime();
        if (left <= 0) {
          return;
        }
        changed.awaitNanos(left);
      }
      echo = true;
    } finally {
      someonePolls = false;
      changed.signalAll();
    }
  }

  private long nextWait() {
    if (echo) {
      echo = false;
      return Math.min(ECHO, longest);
    }
    long wait = Nanos.jittered(interval);
    interval = Math.min(longest, interval + interval / 2 + 1);
    return wait;
  }

  private boolean pendingNow() {
    pending = pending && System.nanoTime() - pendingUntil < 0;
    return pending;
  }
}
