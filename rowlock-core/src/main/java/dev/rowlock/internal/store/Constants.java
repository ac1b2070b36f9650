package dev.rowlock.internal.store;

import dev.rowlock.Role;
import dev.rowlock.State;
import dev.rowlock.internal.jdbc.Values;
import dev.rowlock.spi.Column;
import java.util.List;

/** The parameter values that are the same for every row of a queue. */
final class Constants {
  private Constants() {}

  static Values of(Core core) {
    Values values = new Values();
    values.number("lease_ms", core.lease().toMillis());
    values.number("max_attempts", core.retry().maxAttempts());
    core.model().role(Role.WORKER).ifPresent(c -> values.put("worker", core.instance(), c));
    core.model()
        .role(Role.ERROR)
        .ifPresent(
            c ->
                values.put(
                    "expired_error",
                    ErrorText.safe(
                        "lease expired and the attempts are used up: the worker died or lost its database",
                        c,
                        core.dialect()),
                    c));
    core.model()
        .mapping()
        .state()
        .ifPresent(s -> states(values, s, core.model().state().orElseThrow()));
    return values;
  }

  private static void states(Values values, State state, Column column) {
    List<String> ready = state.ready();
    for (int i = 0; i < ready.size(); i++) {
      values.put("ready" + (i == 0 ? "" : "_" + i), value(ready.get(i), column), column);
    }
    state.processing().ifPresent(v -> values.put("processing", value(v, column), column));
    state.done().ifPresent(v -> values.put("done", value(v, column), column));
    state.failed().ifPresent(v -> values.put("failed", value(v, column), column));
    state.deadValue().ifPresent(v -> values.put("dead", value(v, column), column));
    values.put("retry", value(state.retryValue(), column), column);
  }

  /** A configured state value as the column's type has it. */
  static Object value(String text, Column column) {
    return text == null ? null : column.kind().parse(column.name(), text);
  }
}
