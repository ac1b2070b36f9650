package dev.rowlock.internal.worker;

import dev.rowlock.WorkerOptions;

/**
 * The threads that run handlers: always as many as asked for, without those given up. Thread-safe.
 */
final class Runners {
  /** What a thread repeats. */
  @FunctionalInterface
  interface Body {
    /** Takes and runs one row; false if this thread is to end. */
    boolean runOne() throws Exception;
  }

  private final String prefix;
  private final int wanted;
  private final boolean virtual;
  private final Body body;
  private final WorkerLog log;
  private int alive;
  private int made;

  Runners(String prefix, WorkerOptions options, Body body, WorkerLog log) {
    this.prefix = prefix;
    this.wanted = options.threads();
    this.virtual = options.virtualThreads();
    this.body = body;
    this.log = log;
  }

  /** Starts what is missing; may be called again if a thread could not be started. */
  synchronized void fill() {
    while (alive < wanted) {
      Threads.handler(virtual, prefix + "-" + (made + 1), this::run).start();
      made++;
      alive++;
    }
  }

  /** A thread was given up. */
  synchronized void replaceOne() {
    alive--;
    fill();
  }

  private void run() {
    boolean more = true;
    while (more) {
      try {
        more = body.runOne();
      } catch (InterruptedException e) {
        // An interrupt that came between two rows: whoever sent it meant a row that is over.
      } catch (Throwable t) {
        survive(t);
      }
    }
  }

  private void survive(Throwable thrown) {
    try {
      log.error("a handler thread goes on after " + FailureText.of(thrown), thrown);
      Thread.sleep(100);
    } catch (Throwable t) {
      // Nothing more can be done; the loop goes on.
    }
  }
}
