package dev.rowlock;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What tells one claim of a row from every other claim of it: the values that the claim left in the
 * mapped columns, as the database prints them. Immutable.
 */
public final class Fence {
  private static final Fence NONE = new Fence(Map.of());

  private final Map<Role, String> values;

  /**
   * Copies the values.
   *
   * @param values role to value; empty where the mapping has nothing to fence with
   */
  public Fence(Map<Role, String> values) {
    Map<Role, String> copy = new EnumMap<>(Role.class);
    copy.putAll(values);
    this.values = Collections.unmodifiableMap(copy);
  }

  /**
   * No fence at all.
   *
   * @return the empty fence
   */
  public static Fence none() {
    return NONE;
  }

  /**
   * The values by role.
   *
   * @return an unmodifiable map
   */
  public Map<Role, String> values() {
    return values;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Fence fence && values.equals(fence.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return values.isEmpty()
        ? "no fence"
        : values.entrySet().stream()
            .map(e -> e.getKey().label() + " " + e.getValue())
            .collect(Collectors.joining(", "));
  }
}
