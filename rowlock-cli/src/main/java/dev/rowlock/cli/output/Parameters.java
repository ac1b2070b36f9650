package dev.rowlock.cli.output;

import dev.rowlock.Mapping;
import dev.rowlock.SqlListing;
import dev.rowlock.State;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Parameters of a listing whose values the configuration says. */
public final class Parameters {
  private Parameters() {}

  /**
   * {@code :ready = 'ready', :max_attempts = 5}: those that are used; nothing if there are none.
   */
  public static String text(SqlListing listing, Mapping mapping, int maxAttempts, Duration lease) {
    Map<String, String> values = new LinkedHashMap<>();
    mapping.state().ifPresent(state -> states(values, state));
    values.put("max_attempts", String.valueOf(maxAttempts));
    values.put("lease_ms", String.valueOf(lease.toMillis()));
    return values.entrySet().stream()
        .filter(value -> used(listing, value.getKey()))
        .map(value -> ":" + value.getKey() + " = " + value.getValue())
        .collect(Collectors.joining(", "));
  }

  private static void states(Map<String, String> values, State state) {
    List<String> ready = state.ready();
    for (int i = 0; i < ready.size(); i++) {
      values.put(i == 0 ? "ready" : "ready_" + i, literal(ready.get(i)));
    }
    state.processing().ifPresent(value -> values.put("processing", literal(value)));
    state.done().ifPresent(value -> values.put("done", literal(value)));
    state.failed().ifPresent(value -> values.put("failed", literal(value)));
    state.deadValue().ifPresent(value -> values.put("dead", literal(value)));
    values.put("retry", literal(state.retryValue()));
  }

  private static String literal(String value) {
    return value == null ? "NULL" : "'" + value.replace("'", "''") + "'";
  }

  private static boolean used(SqlListing listing, String name) {
    Pattern pattern = Pattern.compile("(?<!:):" + name + "\\b");
    return listing.statements().stream().anyMatch(s -> pattern.matcher(s.sql()).find());
  }
}
