package dev.rowlock.internal.worker;

import dev.rowlock.Key;
import dev.rowlock.RetryPolicy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Failures of rows as far as this worker has seen them, where the table has no column that counts
 * them or none that makes them wait. Remembers the last {@link #MAX} rows. Thread-safe.
 */
final class LocalBackoff {
  static final int MAX = 1000;

  private record Entry(int failures, long notBefore) {}

  private final RetryPolicy policy;
  private final Map<Key, Entry> entries =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Entry> eldest) {
          return size() > MAX;
        }
      };

  LocalBackoff(RetryPolicy policy) {
    this.policy = policy;
  }

  /** Counts a failure; the delay is the given one or the policy's. */
  synchronized Duration failed(Key key, Optional<Duration> wanted) {
    Entry before = entries.remove(key);
    int failures = before == null ? 1 : before.failures + 1;
    Duration delay = wanted.orElseGet(() -> policy.delay(failures, Nanos.random()));
    entries.put(key, new Entry(failures, System.nanoTime() + Nanos.of(delay)));
    return delay;
  }

  synchronized void succeeded(Key key) {
    entries.remove(key);
  }

  /** The rows that are to wait now. */
  synchronized Set<Key> waiting() {
    long now = System.nanoTime();
    return entries.entrySet().stream()
        .filter(e -> e.getValue().notBefore - now > 0)
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }
}
