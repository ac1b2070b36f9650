package dev.rowlock;

import java.util.List;
import java.util.Objects;

/**
 * Expired rows that one recovery found.
 *
 * @param ready rows that can be claimed again
 * @param dead rows that had used up their attempts and are dead letters now
 */
public record Recovery(List<Key> ready, List<Key> dead) {

  /**
   * Copies the lists.
   *
   * @param ready see above
   * @param dead see above
   */
  public Recovery {
    ready = List.copyOf(Objects.requireNonNull(ready, "ready"));
    dead = List.copyOf(Objects.requireNonNull(dead, "dead"));
  }

  /**
   * How many rows were recovered.
   *
   * @return ready and dead together
   */
  public int size() {
    return ready.size() + dead.size();
  }
}
