package dev.rowlock.cli.work;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/**
 * Reads what a command prints, on a thread of its own, and keeps a bounded part of it. What a
 * process in the background prints after the command has ended is not waited for.
 */
final class Pump {
  private final InputStream from;
  private final int most;
  private final boolean tail;
  private final Runnable tooMuch;
  private final PrintStream passOn;
  private final Thread thread;
  private byte[] kept = new byte[1024];
  private int size;
  private boolean overflowed;

  private Pump(InputStream from, int most, boolean tail, Runnable tooMuch, PrintStream passOn) {
    this.from = from;
    this.most = most;
    this.tail = tail;
    this.tooMuch = tooMuch;
    this.passOn = passOn;
    thread = new Thread(this::run, "rowlock-exec-out");
    thread.setDaemon(true);
    thread.start();
  }

  /** Keeps the beginning; calls back once when there is more. */
  static Pump head(InputStream from, int most, Runnable tooMuch) {
    return new Pump(from, most, false, tooMuch, null);
  }

  /** Keeps the end, and passes everything on. */
  static Pump tail(InputStream from, int most, PrintStream passOn) {
    return new Pump(from, most, true, () -> {}, passOn);
  }

  private void run() {
    byte[] buffer = new byte[8192];
    try {
      for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
        if (passOn != null) {
          passOn.write(buffer, 0, n);
          passOn.flush();
        }
        if (!keep(buffer, n)) {
          tooMuch.run();
        }
      }
    } catch (IOException e) {
      // The stream was closed: what has been read is what there is.
    }
  }

  /** False once, when the bound is passed. */
  private synchronized boolean keep(byte[] buffer, int n) {
    if (!tail && size + n > most) {
      boolean first = !overflowed;
      overflowed = true;
      return !first;
    }
    if (size + n > kept.length) {
      kept = Arrays.copyOf(kept, Math.max(size + n, kept.length * 2));
    }
    System.arraycopy(buffer, 0, kept, size, n);
    size += n;
    if (tail && size > most) {
      System.arraycopy(kept, size - most, kept, 0, most);
      size = most;
    }
    return true;
  }

  /** Waits for the end of the stream, but no longer than a moment. */
  void await(Duration moment) throws InterruptedException {
    thread.join(moment.toMillis());
  }

  /** Lets go of a stream that does not end. */
  void abandon() {
    if (thread.isAlive()) {
      thread.interrupt();
    }
  }

  synchronized boolean overflowed() {
    return overflowed;
  }

  /** What was kept, as UTF-8; bytes that are none become replacement characters. */
  synchronized String text() {
    int start = 0;
    while (tail && size == most && start < 4 && start < size && (kept[start] & 0xC0) == 0x80) {
      start++;
    }
    return new String(kept, start, size - start, StandardCharsets.UTF_8);
  }
}
