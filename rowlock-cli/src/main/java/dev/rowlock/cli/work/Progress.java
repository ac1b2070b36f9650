package dev.rowlock.cli.work;

import dev.rowlock.Queue;
import dev.rowlock.RowlockException;
import dev.rowlock.Worker;
import dev.rowlock.cli.config.Durations;
import dev.rowlock.cli.output.Words;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/**
 * One line on a terminal that is written over again and again: done, failed, left, rate and the
 * time that is left. Rows are counted seldom enough to cost the database little.
 */
public final class Progress implements AutoCloseable {
  private static final long TICK_MILLIS = 500;

  /** Before that a rate says little. */
  private static final long RATE_AFTER_NANOS = 3_000_000_000L;

  private static final double WEIGHT = 0.2;

  private final Queue queue;
  private final Worker worker;
  private final PrintStream err;
  private final Thread thread;
  private volatile boolean closed;
  private long left = -1;
  private long doneWhenCounted;
  private long nextCount;
  private double rate = -1;

  private Progress(Queue queue, Worker worker, PrintStream err) {
    this.queue = queue;
    this.worker = worker;
    this.err = err;
    thread = new Thread(this::run, "rowlock-progress");
    thread.setDaemon(true);
  }

  /** Starts to write. */
  public static Progress start(Queue queue, Worker worker, PrintStream err) {
    Progress progress = new Progress(queue, worker, err);
    progress.thread.start();
    return progress;
  }

  private void run() {
    long before = finished();
    long then = System.nanoTime();
    long known = then + RATE_AFTER_NANOS;
    try {
      while (!closed) {
        Thread.sleep(TICK_MILLIS);
        long now = System.nanoTime();
        long finished = finished();
        double current = (finished - before) * 1e9 / (now - then);
        rate = rate < 0 ? current : rate + WEIGHT * (current - rate);
        before = finished;
        then = now;
        count(finished);
        err.print(
            "\r"
                + line(queue.name(), worker.counts(), left(finished), rate, now >= known)
                + "\033[K");
        err.flush();
      }
    } catch (InterruptedException e) {
      // Closed.
    }
    err.print("\r\033[K");
    err.flush();
  }

  private void count(long finished) {
    if (System.nanoTime() < nextCount) {
      return;
    }
    long start = System.nanoTime();
    try {
      left = queue.stats().left();
      doneWhenCounted = finished;
    } catch (RowlockException e) {
      left = -1;
    }
    long took = System.nanoTime() - start;
    nextCount = System.nanoTime() + Math.max(2_000_000_000L, 20 * took);
  }

  private long left(long finished) {
    return left < 0 ? -1 : Math.max(0, left - (finished - doneWhenCounted));
  }

  private long finished() {
    Worker.Counts counts = worker.counts();
    return counts.completed() + counts.dead();
  }

  /** The line; whether the rate is known well enough to say when it will be over. */
  static String line(String queue, Worker.Counts counts, long left, double rate, boolean known) {
    StringBuilder line = new StringBuilder(queue);
    line.append("  ").append(Words.count(counts.completed())).append(" done");
    line.append("  ")
        .append(Words.count(counts.retried() + counts.dead()))
        .append(" failed attempts");
    if (left >= 0) {
      line.append("  ").append(Words.count(left)).append(" left");
    }
    line.append("  ").append(String.format(Locale.ROOT, "%.1f/s", Math.max(0, rate)));
    if (known && left > 0 && rate > 0.01) {
      line.append("  ETA ").append(Durations.show(Duration.ofSeconds(Math.round(left / rate))));
    }
    return line.toString();
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      thread.join(1000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
