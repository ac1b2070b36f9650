package dev.rowlock.internal.store;

import dev.rowlock.ConfigurationException;
import dev.rowlock.Key;
import dev.rowlock.QueueStats;
import dev.rowlock.Role;
import dev.rowlock.RowState;
import dev.rowlock.RowView;
import dev.rowlock.internal.jdbc.Session;
import dev.rowlock.internal.jdbc.Values;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.InsertPlan;
import dev.rowlock.spi.Kind;
import dev.rowlock.spi.Model;
import dev.rowlock.spi.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** Inserts rows, counts them and looks at them. */
final class Rows {
  private final Core core;
  private final Model model;
  private final Values constants;
  private final ClaimReader reader;

  Rows(Core core, Values constants, ClaimReader reader) {
    this.core = core;
    this.model = core.model();
    this.constants = constants;
    this.reader = reader;
  }

  List<Key> enqueue(List<? extends Map<String, ?>> rows) {
    List<Map<Column, Object>> resolved = rows.stream().map(this::resolve).toList();
    List<Key> keys = core.sessions().transaction("enqueue", s -> insert(s, resolved));
    core.wakeups().committed();
    core.events().emit(l -> l.enqueued(core.name(), keys));
    return keys;
  }

  List<Key> enqueue(Connection connection, List<? extends Map<String, ?>> rows) {
    List<Map<Column, Object>> resolved = rows.stream().map(this::resolve).toList();
    List<Key> keys = core.sessions().within(connection, "enqueue", s -> insert(s, resolved));
    core.wakeups().pending();
    core.events().emit(l -> l.enqueued(core.name(), keys));
    return keys;
  }

  private Map<Column, Object> resolve(Map<String, ?> row) {
    Map<Column, Object> values = new LinkedHashMap<>();
    row.forEach(
        (name, value) -> {
          List<Column> found = model.table().find(name);
          if (found.size() != 1) {
            throw new ConfigurationException(
                "queue '%s': table %s has no column '%s'; its columns are: %s"
                    .formatted(
                        core.name(),
                        model.mapping().table(),
                        name,
                        String.join(", ", model.table().columns().keySet())));
          }
          Column column = found.get(0);
          values.put(column, Fields.bindable(value, column, model.mapping().timeZone()));
        });
    defaults(values);
    return values;
  }

  /** What a new row needs to be claimable and the database would not fill in itself. */
  private void defaults(Map<Column, Object> values) {
    model
        .state()
        .ifPresent(
            c -> {
              String ready = model.mapping().state().orElseThrow().ready().get(0);
              values.putIfAbsent(c, Constants.value(ready, c));
            });
    for (Role role : List.of(Role.ATTEMPTS, Role.TOKEN)) {
      model
          .role(role)
          .filter(c -> !c.nullable() && !c.hasDefault())
          .ifPresent(c -> values.putIfAbsent(c, 0L));
    }
  }

  private List<Key> insert(Session session, List<Map<Column, Object>> rows) throws SQLException {
    List<Key> keys = new ArrayList<>();
    Map<List<Column>, InsertPlan> plans = new LinkedHashMap<>();
    for (Map<Column, Object> row : rows) {
      List<Column> columns = List.copyOf(row.keySet());
      InsertPlan plan = plans.computeIfAbsent(columns, c -> core.dialect().insert(model, c));
      Values values = constants.copy();
      for (int i = 0; i < columns.size(); i++) {
        values.put("v" + i, row.get(columns.get(i)), columns.get(i));
      }
      keys.add(insertOne(session, plan, values, row));
    }
    return keys;
  }

  /** A key that the caller gave needs no reading back. */
  private Key insertOne(Session session, InsertPlan plan, Values values, Map<Column, Object> row)
      throws SQLException {
    Map<String, Object> given = new LinkedHashMap<>();
    for (Column column : model.key()) {
      Object value = row.get(column);
      if (value == null) {
        return inserted(session, plan, values);
      }
      given.put(
          column.name(),
          value instanceof byte[] ? value : column.kind().parse(column.name(), value.toString()));
    }
    if (plan instanceof InsertPlan.Returning) {
      session.query(plan.sql(), values, r -> 1);
    } else {
      session.update(plan.sql(), values);
    }
    return new Key(given);
  }

  private Key inserted(Session session, InsertPlan plan, Values values) throws SQLException {
    if (plan instanceof InsertPlan.Returning) {
      return session.query(plan.sql(), values, reader::readKey).stream()
          .findFirst()
          .orElseThrow(() -> new SQLException(Session.NO_KEY));
    }
    if (plan instanceof InsertPlan.ThenRead two) {
      session.update(two.sql(), values);
      return session.query(two.key(), values, reader::readKey).stream()
          .findFirst()
          .orElseThrow(() -> new SQLException(Session.NO_KEY));
    }
    String[] names = model.key().stream().map(Column::name).toArray(String[]::new);
    return session.insert(plan.sql(), values, names, reader::readKey);
  }

  QueueStats stats() {
    return core.sessions().statement("stats", this::stats);
  }

  QueueStats stats(Session session) throws SQLException {
    Map<RowState, Long> counts = new EnumMap<>(RowState.class);
    double[] oldest = {Double.NaN};
    session.query(
        core.dialect().stats(model),
        constants,
        r -> {
          RowState state = state(r);
          double age = r.getDouble(3);
          if (state == RowState.READY && !r.wasNull()) {
            oldest[0] = Math.max(0, age);
          }
          return counts.put(state, r.getLong(2));
        });
    return new QueueStats(
        core.name(),
        counts,
        Double.isNaN(oldest[0]) ? OptionalDouble.empty() : OptionalDouble.of(oldest[0]));
  }

  boolean drained() {
    for (Sql probe : core.dialect().left(model)) {
      if (!core.sessions().statement("drained", s -> s.query(probe, constants, r -> 1)).isEmpty()) {
        return false;
      }
    }
    return true;
  }

  List<RowView> list(RowState state, int limit) {
    Values values =
        constants
            .copy()
            .number("limit", Core.positive("limit", limit))
            .put("row_state", state.label(), Column.unknown("", ""));
    return core.sessions()
        .statement("list", s -> s.query(core.dialect().list(model, state), values, this::view));
  }

  Optional<RowView> show(Key key) {
    return core.sessions().statement("show", s -> show(s, key));
  }

  Optional<RowView> show(Session session, Key key) throws SQLException {
    Values values = reader.putKey(constants.copy(), key);
    return session.query(core.dialect().show(model), values, this::view).stream().findFirst();
  }

  private static RowState state(ResultSet row) throws SQLException {
    return RowState.valueOf(row.getString(1).strip().toUpperCase(Locale.ROOT));
  }

  private RowView view(ResultSet row) throws SQLException {
    Map<String, Object> columns = new LinkedHashMap<>();
    Map<String, Object> key = new LinkedHashMap<>();
    int index = 2;
    for (Column column : model.everything()) {
      Object value =
          switch (column.kind()) {
            case INSTANT, LOCAL_TIMESTAMP, DATE, TIME, OTHER, JSON -> row.getString(index);
            default -> model.dialect().read(row, index, column);
          };
      columns.put(column.name(), value);
      if (model.key().contains(column)) {
        key.put(column.name(), Fields.readKey(model.dialect(), row, index, column));
      }
      index++;
    }
    return new RowView(new Key(key), state(row), columns);
  }

  List<Key> resetUnfenced(List<Key> keys) {
    Sql sql = core.dialect().reset(model);
    List<Key> done =
        core.sessions()
            .transaction(
                "reset",
                s -> {
                  List<Key> reset = new ArrayList<>();
                  for (Key key : keys) {
                    if (s.update(sql, reader.putKey(constants.copy(), key)) == 1) {
                      reset.add(key);
                    }
                  }
                  return reset;
                });
    core.wakeups().committed();
    return done;
  }

  Key key(String... texts) {
    List<Column> columns = model.key();
    if (texts.length != columns.size()) {
      throw new ConfigurationException(
          "queue '%s': the key has %d column(s) (%s), but %d value(s) were given"
              .formatted(
                  core.name(),
                  columns.size(),
                  String.join(", ", columns.stream().map(Column::name).toList()),
                  texts.length));
    }
    Map<String, Object> values = new LinkedHashMap<>();
    for (int i = 0; i < texts.length; i++) {
      Column column = columns.get(i);
      Kind kind = column.kind();
      values.put(column.name(), kind.parse(column.name(), texts[i]));
    }
    return new Key(values);
  }
}
