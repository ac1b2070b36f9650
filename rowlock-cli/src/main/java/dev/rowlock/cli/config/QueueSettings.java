package dev.rowlock.cli.config;

import dev.rowlock.Role;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The settings of one queue as they were written, in a file or as flags. Not thread-safe. */
public final class QueueSettings {
  private final Map<QueueKey, Value> values = new EnumMap<>(QueueKey.class);
  private final Map<Role, Value> columns = new EnumMap<>(Role.class);

  void put(QueueKey key, Value value) {
    if (value.items().stream().noneMatch(item -> item != null && item.contains("${"))) {
      key.kind.check(value);
    }
    values.put(key, value);
  }

  void put(Role role, Value column) {
    Kind.COLUMN.check(column);
    columns.put(role, column);
  }

  /** Takes a setting from a flag, which may be repeated where it is a list. */
  public void flag(QueueKey key, List<String> texts) {
    List<String> items =
        switch (key.kind) {
          case COLUMNS ->
              texts.stream().flatMap(t -> Names.split(t).stream()).map(Names::unquote).toList();
          case ORDER -> texts.stream().flatMap(t -> Names.split(t).stream()).toList();
          case VALUES ->
              Arrays.asList(texts.stream().map(QueueSettings::sqlNull).toArray(String[]::new));
          default -> texts;
        };
    Value value = new Value(items, new Origin(key.flag()));
    key.kind.check(value);
    values.put(key, value);
  }

  private static String sqlNull(String text) {
    return text.equalsIgnoreCase("null") ? null : text;
  }

  /** Takes {@code role=column} from a flag. */
  public void column(String assignment) {
    Origin origin = new Origin("--col");
    int equals = assignment.indexOf('=');
    if (equals < 1) {
      throw origin.refuse("'" + assignment + "'", "ROLE=COLUMN, for example attempts=retry_count");
    }
    String label = assignment.substring(0, equals);
    Role role = role(label).orElseThrow(() -> origin.refuse(unknownRole(label)));
    put(role, new Value(List.of(assignment.substring(equals + 1)), origin));
  }

  static Optional<Role> role(String label) {
    return Arrays.stream(Role.values()).filter(r -> r.label().equals(label)).findFirst();
  }

  static List<String> roles() {
    return Arrays.stream(Role.values()).map(Role::label).toList();
  }

  private static String unknownRole(String label) {
    return "unknown role '%s'%s allowed: %s"
        .formatted(label, meant(label, roles()), String.join(", ", roles()));
  }

  static String meant(String typed, List<String> allowed) {
    return Names.nearest(typed, allowed).map(n -> "; did you mean '" + n + "'?").orElse(";");
  }

  /** These settings with others laid over them, key by key. */
  public QueueSettings overlay(QueueSettings over) {
    QueueSettings both = new QueueSettings();
    both.values.putAll(values);
    both.values.putAll(over.values);
    both.columns.putAll(columns);
    both.columns.putAll(over.columns);
    return both;
  }

  /** Whether a setting was given. */
  public boolean has(QueueKey key) {
    return values.containsKey(key);
  }

  /** The table, as it was given. */
  public String table() {
    return values.get(QueueKey.TABLE).text();
  }

  /** A setting; a text that a file gives is checked here once its variables are filled in. */
  Optional<Value> get(QueueKey key, Variables variables) {
    Optional<Value> value = Optional.ofNullable(values.get(key)).map(v -> v.resolve(variables));
    value.ifPresent(key.kind::check);
    return value;
  }

  Map<Role, Value> columns() {
    return columns;
  }

  Map<QueueKey, Value> values() {
    return values;
  }
}
