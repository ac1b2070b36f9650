package dev.rowlock.internal.store;

import dev.rowlock.Capability;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.RetryPolicy;
import dev.rowlock.internal.jdbc.Sessions;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Dialect;
import dev.rowlock.spi.Model;
import java.time.Duration;
import java.util.List;

/**
 * What all operations of one queue share; frozen when the queue is built.
 *
 * @param name the queue's name
 * @param model the resolved mapping
 * @param lease how long a claim lasts
 * @param retry the retry policy
 * @param instance what is written to the worker column
 * @param sessions where transactions run
 * @param events where events go
 * @param wakeups where hints go
 */
record Core(
    String name,
    Model model,
    Duration lease,
    RetryPolicy retry,
    String instance,
    Sessions sessions,
    Events events,
    Wakeups wakeups) {

  Dialect dialect() {
    return model.dialect();
  }

  void require(Capability capability, String operation) {
    if (!model.mapping().capabilities().contains(capability)) {
      throw new ConfigurationException(
          "queue '%s': %s needs a column that table %s does not map; %s"
              .formatted(name, operation, model.mapping().table(), capability.remedy()));
    }
  }

  /** A claim of another table could fit a row here by chance. */
  Claim requireOwn(Claim claim) {
    List<String> key = List.copyOf(claim.key().values().keySet());
    if (!claim.table().equals(model.table().quoted())
        || !key.equals(model.key().stream().map(Column::name).toList())) {
      throw new ConfigurationException(
          "queue '%s' works on table %s, but the claim is of %s (key %s); use the queue that it was claimed from"
              .formatted(name, model.table().quoted(), claim.table(), key));
    }
    return claim;
  }

  static int positive(String what, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(what + " is " + value + "; allowed: 1 or more");
    }
    return value;
  }
}
