package dev.rowlock.internal.store;

import dev.rowlock.Applied;
import dev.rowlock.Capability;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.Role;
import dev.rowlock.State;
import dev.rowlock.internal.jdbc.Values;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Write;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Decides what a {@link Change} means for its row: which kind of write, with which values. Pure; no
 * database.
 */
final class Writes {
  private final Core core;
  private final Values constants;
  private final ClaimReader reader;

  /** One row's part of a write. */
  record Prepared(Change change, Write write, Applied.Status status, Values values) {}

  Writes(Core core, Values constants, ClaimReader reader) {
    this.core = core;
    this.constants = constants;
    this.reader = reader;
  }

  Prepared prepare(Change change) {
    core.requireOwn(change.claim());
    Values values = reader.putClaim(constants.copy(), change.claim());
    if (change instanceof Change.Complete complete) {
      return complete(complete, values);
    } else if (change instanceof Change.Fail fail) {
      return fail(fail, values);
    } else if (change instanceof Change.Dead dead) {
      return dead(dead, values);
    } else if (change instanceof Change.Snooze snooze) {
      core.require(Capability.DELAY, "snooze");
      if (lastAttemptIsSpent(snooze.claim())) {
        return spent(snooze, values);
      }
      backTo(snooze.claim(), values).number("delay_ms", snooze.delay().toMillis());
      return new Prepared(snooze, Write.of(Write.Kind.SNOOZE), Applied.Status.SNOOZED, values);
    } else if (change instanceof Change.Release release) {
      if (lastAttemptIsSpent(release.claim())) {
        return spent(release, values);
      }
      backTo(release.claim(), values);
      return new Prepared(release, Write.of(Write.Kind.RELEASE), Applied.Status.RELEASED, values);
    }
    core.require(Capability.EXPIRY, "extend");
    values.number("by_ms", ((Change.Extend) change).by().toMillis());
    return new Prepared(change, null, Applied.Status.EXTENDED, values);
  }

  private Prepared complete(Change.Complete change, Values values) {
    Map<Column, Object> results = new LinkedHashMap<>();
    change.results().forEach((name, value) -> results.put(writeColumn(name), value));
    results.forEach(
        (column, value) ->
            values.put(
                core.model().parameter("set", column),
                Fields.bindable(value, column, core.model().mapping().timeZone()),
                column));
    // One order of columns, so that rows with the same results share a statement.
    List<Column> columns = core.model().write().stream().filter(results::containsKey).toList();
    return new Prepared(
        change, new Write(Write.Kind.COMPLETE, columns), Applied.Status.COMPLETED, values);
  }

  private Column writeColumn(String name) {
    List<Column> columns = core.model().write();
    return columns.stream()
        .filter(c -> c.name().equals(name))
        .findFirst()
        .or(() -> columns.stream().filter(c -> c.name().equalsIgnoreCase(name)).findFirst())
        .orElseThrow(
            () ->
                new ConfigurationException(
                    "queue '%s': '%s' is not a write column; allowed: %s; add it to write"
                        .formatted(
                            core.name(), name, columns.stream().map(Column::name).toList())));
  }

  private Prepared fail(Change.Fail fail, Values values) {
    error(fail.error(), values);
    if (usedUp(fail)) {
      return new Prepared(fail, Write.of(Write.Kind.DEAD), Applied.Status.DEAD, values);
    }
    int attempt = Math.max(1, fail.claim().attempt().orElse(1));
    Duration delay =
        fail.delay()
            .orElseGet(() -> core.retry().delay(attempt, ThreadLocalRandom.current().nextDouble()));
    values.number("delay_ms", delay.toMillis());
    return new Prepared(fail, Write.of(Write.Kind.RETRY), Applied.Status.RETRYING, values);
  }

  /**
   * Without a count of attempts, a failed state that cannot be claimed is the last stop at once.
   */
  private boolean usedUp(Change.Fail fail) {
    if (!core.model().has(Role.ATTEMPTS)) {
      Optional<State> state = core.model().mapping().state();
      return fail.delay().isEmpty() && state.map(State::failedIsTerminal).orElse(false);
    }
    int limit = fail.claim().maxAttempts().orElse(core.retry().maxAttempts());
    return fail.claim().attempt().orElse(0) >= limit;
  }

  private Prepared dead(Change.Dead dead, Values values) {
    if (!core.model().has(Role.ATTEMPTS)) {
      core.require(Capability.DEAD_LETTER, "a dead letter");
    }
    error(dead.error(), values);
    return new Prepared(dead, Write.of(Write.Kind.DEAD), Applied.Status.DEAD, values);
  }

  /**
   * Attempts that are the fence are never lowered, so a row that is given back at its last attempt
   * could never be claimed again: better a dead letter than a row that nobody can reach.
   */
  private boolean lastAttemptIsSpent(Claim claim) {
    boolean onlyFence = core.model().has(Role.ATTEMPTS) && !core.model().has(Role.TOKEN);
    int limit = claim.maxAttempts().orElse(core.retry().maxAttempts());
    return onlyFence && claim.attempt().orElse(0) >= limit;
  }

  private Prepared spent(Change change, Values values) {
    error(
        "given back at its last attempt, which cannot be given back where attempts are the fence; map token",
        values);
    return new Prepared(change, Write.of(Write.Kind.DEAD), Applied.Status.DEAD, values);
  }

  private void error(String text, Values values) {
    core.model()
        .role(Role.ERROR)
        .ifPresent(c -> values.put("error", ErrorText.safe(text, c, core.dialect()), c));
  }

  private Values backTo(Claim claim, Values values) {
    core.model()
        .state()
        .ifPresent(
            c -> values.put("back_to", Constants.value(claim.readyValue().orElse(null), c), c));
    return values;
  }

  /** Rows that can share statements, in the order of their first member. */
  static List<List<Integer>> groups(List<Prepared> all) {
    Map<Object, List<Integer>> groups = new LinkedHashMap<>();
    for (int i = 0; i < all.size(); i++) {
      Write write = all.get(i).write;
      groups.computeIfAbsent(write == null ? "extend" : write, w -> new ArrayList<>()).add(i);
    }
    return List.copyOf(groups.values());
  }
}
