package dev.rowlock.cli.config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A setting as it was written.
 *
 * @param items one text, or several for a list; a null item means SQL NULL
 * @param origin where it was written
 */
public record Value(List<String> items, Origin origin) {

  /** Copies the items; they may be null. */
  public Value {
    items = Collections.unmodifiableList(new ArrayList<>(items));
  }

  /** The one text of a setting that is no list. */
  String text() {
    return items.get(0);
  }

  /** The same setting with the variables of the environment filled in. */
  Value resolve(Variables variables) {
    return new Value(
        items.stream().map(item -> item == null ? null : variables.fill(item, origin)).toList(),
        origin);
  }
}
