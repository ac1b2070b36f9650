package dev.rowlock.internal.worker;

import dev.rowlock.Queue;

/**
 * Waits until nothing is left. A claim that found nothing proves nothing, since rows may be locked
 * (C-012): only a count without locks does, and only while this worker holds nothing itself.
 */
final class EmptyWait {
  private static final long SHORTEST = Nanos.ofMillis(100);
  private static final long LONGEST = Nanos.ofMillis(500);
  private static final long SLICE = Nanos.ofMillis(200);

  private final Queue queue;
  private final Hand<?> hand;
  private final WorkerLog log;

  EmptyWait(Queue queue, Hand<?> hand, WorkerLog log) {
    this.queue = queue;
    this.hand = hand;
    this.log = log;
  }

  boolean await(long deadline) throws InterruptedException {
    long pause = SHORTEST;
    while (!hand.closed()) {
      if (hand.awaitNothing(earlier(deadline, SLICE)) && nothingLeft()) {
        return true;
      }
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      hand.awaitClosed(Math.min(left, Nanos.jittered(pause)));
      pause = Math.min(LONGEST, pause * 2);
    }
    return false;
  }

  private boolean nothingLeft() throws InterruptedException {
    long before = hand.arrivals();
    boolean drained;
    try {
      drained = queue.drained();
    } catch (RuntimeException e) {
      log.warn(
          "stats", () -> "whether anything is left could not be read: " + FailureText.plain(e));
      return false;
    }
    // Where nothing says when a row was claimed, our own rows are not counted as left: none may
    // have
    // come in meanwhile, nor be about to.
    return drained
        && hand.awaitNothing(System.nanoTime() + SLICE)
        && hand.arrivals() == before
        && !hand.closed();
  }

  private static long earlier(long deadline, long nanos) {
    long now = System.nanoTime();
    return now + Math.min(deadline - now, nanos);
  }
}
