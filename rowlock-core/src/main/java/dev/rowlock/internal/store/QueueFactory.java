package dev.rowlock.internal.store;

import dev.rowlock.ConfigurationException;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.Handler;
import dev.rowlock.Mapping;
import dev.rowlock.OnDone;
import dev.rowlock.Queue;
import dev.rowlock.QueueBuilder;
import dev.rowlock.TableName;
import dev.rowlock.Worker;
import dev.rowlock.WorkerOptions;
import dev.rowlock.internal.jdbc.Connector;
import dev.rowlock.internal.jdbc.Jdbc;
import dev.rowlock.internal.jdbc.Sessions;
import dev.rowlock.internal.jdbc.Source;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Dialect;
import dev.rowlock.spi.Model;
import dev.rowlock.spi.Sql;
import dev.rowlock.spi.Table;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Builds a queue: looks at the database once, then everything is frozen. */
public final class QueueFactory {

  /** Starts workers; the layer above gives it. */
  @FunctionalInterface
  public interface WorkerStarter {
    Worker start(
        Queue queue,
        Source source,
        Events events,
        Wakeups wakeups,
        WorkerOptions options,
        Handler handler);
  }

  private QueueFactory() {}

  public static Queue build(QueueBuilder b, Connector connector, WorkerStarter starter) {
    names(b.mapping());
    Model model =
        connector.with(
            b.name(),
            b.dataSource(),
            (connection, dialect) -> {
              Table table =
                  dialect
                      .inspect(connection, b.mapping().table())
                      .orElseThrow(() -> noTable(b.name(), b.mapping().table()));
              Optional<Table> archive = Optional.empty();
              if (b.mapping().onDone() instanceof OnDone.Archive to) {
                archive = dialect.inspect(connection, to.table());
              }
              Model found = new Model(b.mapping(), b.mode(), table, archive, dialect);
              dialect.objection(connection, found).ifPresent(reason -> objected(b, reason));
              tryPredicate(b, connection, found);
              return found;
            });
    Events events = new Events(b.listeners());
    Source source = new Source(b.dataSource(), model.dialect());
    Sessions sessions =
        new Sessions(
            b.name(),
            source,
            b.lease(),
            (operation, fault, attempt) ->
                events.emit(l -> l.retried(b.name(), operation, fault, attempt)));
    Core core =
        new Core(
            b.name(),
            model,
            b.lease(),
            b.retry(),
            Instance.name(b.workerName(), model.role(dev.rowlock.Role.WORKER)),
            sessions,
            events,
            new Wakeups());
    try {
      return new StoreQueue(core, source, starter);
    } catch (NumberFormatException e) {
      throw new ConfigurationException("queue '%s': %s".formatted(b.name(), e.getMessage()), e);
    }
  }

  /** A mistake in the extra predicate is told as such, not as a statement that nobody wrote. */
  private static void tryPredicate(QueueBuilder b, Connection connection, Model model) {
    if (model.mapping().where().isEmpty()) {
      return;
    }
    String where = model.mapping().where().get();
    Sql probe =
        Sql.of(
            "SELECT 1 FROM {table} q WHERE ({where}\n) AND 1 = 0",
            Map.of("table", model.table().quoted(), "where", Sql.raw(where)));
    try {
      Jdbc.query(connection, probe.jdbc(), r -> 1);
    } catch (SQLException e) {
      throw new ConfigurationException(
          "queue '%s': where: \"%s\" cannot be used: %s"
              .formatted(
                  b.name(), where, String.valueOf(e.getMessage()).lines().findFirst().orElse("")),
          e);
    }
  }

  private static void objected(QueueBuilder b, String reason) {
    throw new ConfigurationException(
        "queue '%s': table %s: %s".formatted(b.name(), b.mapping().table(), reason));
  }

  private static ConfigurationException noTable(String queue, TableName table) {
    return new ConfigurationException(
        "queue '%s': there is no table %s (or this user may not see it); create it, or name it as schema.table"
            .formatted(queue, table));
  }

  private static void names(Mapping mapping) {
    Set<String> all = new TreeSet<>(mapping.key());
    all.addAll(mapping.columns().values());
    all.addAll(mapping.read());
    all.addAll(mapping.write());
    mapping.state().ifPresent(s -> all.add(s.column()));
    mapping.order().forEach(o -> all.add(o.column()));
    for (String name : all) {
      if (name.toLowerCase(Locale.ROOT).startsWith("rowlock_")) {
        throw new ConfigurationException(
            "column '%s': names that begin with rowlock_ are Rowlock's own in its statements; rename the column"
                .formatted(name));
      }
    }
    all.add(mapping.table().table());
    for (String name : all) {
      if (Sql.reserved(name)) {
        throw new ConfigurationException(
            "name '%s' holds NUL or a private-use character and is refused".formatted(name));
      }
    }
  }

  /** A model of a table that nobody has looked at: every column exists and takes everything. */
  public static Model unconnected(Dialect dialect, Mapping mapping, dev.rowlock.Mode mode) {
    names(mapping);
    Map<String, Column> columns = new LinkedHashMap<>();
    List.of(List.copyOf(mapping.columns().values()), mapping.read(), mapping.write())
        .forEach(names -> names.forEach(n -> unknown(columns, dialect, n)));
    mapping.state().ifPresent(s -> unknown(columns, dialect, s.column()));
    mapping.order().forEach(o -> unknown(columns, dialect, o.column()));
    mapping.key().forEach(n -> columns.put(n, Column.unknownKey(n, dialect.quote(n))));
    Optional<Table> archive =
        mapping.onDone() instanceof OnDone.Archive to
            ? Optional.of(table(dialect, to.table(), columns))
            : Optional.empty();
    return new Model(mapping, mode, table(dialect, mapping.table(), columns), archive, dialect);
  }

  private static void unknown(Map<String, Column> columns, Dialect dialect, String name) {
    columns.put(name, Column.unknown(name, dialect.quote(name)));
  }

  private static Table table(Dialect dialect, TableName name, Map<String, Column> columns) {
    String quoted =
        name.schema().map(s -> dialect.quote(s) + ".").orElse("") + dialect.quote(name.table());
    return new Table(quoted, name.table(), columns, List.of(), List.of(), List.of(), List.of());
  }

  static DatabaseException readOnly(String queue, String reason) {
    return new DatabaseException(
        "queue '%s': connected to a read-only server (%s); connect to the primary"
            .formatted(queue, reason),
        Fault.READ_ONLY,
        null);
  }
}
