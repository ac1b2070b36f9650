package dev.rowlock.internal.worker;

import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** The worker's log lines; a warning of one topic comes at most once a minute. Thread-safe. */
final class WorkerLog {
  static final String NAME = "dev.rowlock.worker";

  private static final System.Logger LOG = System.getLogger(NAME);
  private static final long MINUTE = Nanos.ofMillis(60_000);

  private static final class Topic {
    private long last;
    private long leftOut;
    private boolean used;
  }

  private final String prefix;
  private final Map<String, Topic> topics = new ConcurrentHashMap<>();

  WorkerLog(String queue) {
    prefix = "queue '" + queue + "': ";
  }

  /** Whether the warning was written. */
  boolean warn(String topic, Supplier<String> text) {
    Topic state = topics.computeIfAbsent(topic, t -> new Topic());
    long leftOut;
    synchronized (state) {
      long now = System.nanoTime();
      if (state.used && now - state.last < MINUTE) {
        state.leftOut++;
        return false;
      }
      leftOut = state.leftOut;
      state.used = true;
      state.last = now;
      state.leftOut = 0;
    }
    String more = leftOut == 0 ? "" : " (and " + leftOut + " more like this before)";
    LOG.log(Level.WARNING, () -> prefix + text.get() + more);
    return true;
  }

  void info(Supplier<String> text) {
    LOG.log(Level.INFO, () -> prefix + text.get());
  }

  void debug(Supplier<String> text) {
    LOG.log(Level.DEBUG, () -> prefix + text.get());
  }

  void debug(Supplier<String> text, Throwable thrown) {
    LOG.log(Level.DEBUG, () -> prefix + text.get(), thrown);
  }

  /** For what should never happen; not throttled. */
  void error(String text, Throwable thrown) {
    LOG.log(Level.ERROR, prefix + text, thrown);
  }
}
