package dev.rowlock.dialect;

import dev.rowlock.Role;
import dev.rowlock.State;
import dev.rowlock.internal.jdbc.Jdbc;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Kind;
import dev.rowlock.spi.Model;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What is refused on MariaDB and MySQL although the table and the mapping are fine. */
record MySqlObjections(MySqlFamily dialect, Model model) {

  Optional<String> first(Connection connection) throws SQLException {
    Optional<String> found = Stream.concat(onUpdate(), enumValues()).findFirst();
    if (found.isPresent()) {
      return found;
    }
    found = zone(connection);
    if (found.isEmpty()) {
      found = settings(connection);
    }
    return found.isPresent() ? found : groups(connection);
  }

  /** Columns that Rowlock writes, compares or sorts by. */
  private Set<Column> mapped() {
    Set<Column> all = new LinkedHashSet<>(model.key());
    model.state().ifPresent(all::add);
    for (Role role : Role.values()) {
      model.role(role).ifPresent(all::add);
    }
    model.order().forEach(o -> all.add(o.column()));
    return all;
  }

  /** An old server gives the first TIMESTAMP of a table this by itself. */
  private Stream<String> onUpdate() {
    return mapped().stream()
        .filter(c -> c.type().contains(MySqlCatalog.ON_UPDATE))
        .map(
            c ->
                "column '%s' is set to now by every update (ON UPDATE CURRENT_TIMESTAMP), so a claim or a heartbeat would change it; ALTER TABLE %s MODIFY %s with the same type and an explicit DEFAULT, without ON UPDATE"
                    .formatted(c.name(), model.table().name(), c.name()));
  }

  /** Without a strict mode an unknown value becomes the empty string, in no state at all. */
  private Stream<String> enumValues() {
    Column column = model.state().orElse(null);
    State state = model.mapping().state().orElse(null);
    if (column == null || !column.type().startsWith("enum(")) {
      return Stream.empty();
    }
    List<String> members = MySqlCatalog.members(column.type());
    return Stream.concat(
            state.ready().stream().filter(Objects::nonNull),
            Stream.of(state.processing(), state.done(), state.failed(), state.dead())
                .flatMap(Optional::stream))
        .filter(v -> members.stream().noneMatch(m -> m.equalsIgnoreCase(v)))
        .map(
            v ->
                "state value '%s' is not one of column '%s': %s; add it to the enum"
                    .formatted(v, column.name(), String.join(", ", members)));
  }

  private Optional<String> zone(Connection connection) throws SQLException {
    String zone = MySqlFamily.zone(model);
    boolean local = mapped().stream().anyMatch(c -> c.kind() == Kind.LOCAL_TIMESTAMP);
    if (!local || zone.startsWith("+") || zone.startsWith("-")) {
      return Optional.empty();
    }
    boolean known =
        Jdbc.first(
                connection,
                "SELECT CONVERT_TZ(UTC_TIMESTAMP(), '+00:00', ?) IS NOT NULL",
                r -> r.getBoolean(1),
                zone)
            .orElse(false);
    return known
        ? Optional.empty()
        : Optional.of(
            "the server does not know the mapped time zone %s; load its zone tables (mariadb-tzinfo-to-sql or mysql_tzinfo_to_sql /usr/share/zoneinfo | mysql mysql), or keep the columns in UTC or in TIMESTAMP"
                .formatted(zone));
  }

  /** MySQL before 8.0.17 takes no time zone for one statement, and a proxy may drop hints. */
  private Optional<String> settings(Connection connection) throws SQLException {
    // Those that are only read too: their text is of the zone in which it was made.
    List<String> points =
        model.everything().stream()
            .filter(c -> c.kind() == Kind.INSTANT)
            .map(Column::name)
            .toList();
    if (points.isEmpty()) {
      return Optional.empty();
    }
    // Of a dialect that cannot pin it this would be the session's own, which may be right today.
    boolean pinned =
        dialect.pinsZone()
            && Jdbc.first(
                    connection, dialect.pinned("SELECT @@SESSION.time_zone"), r -> r.getString(1))
                .equals(Optional.of("+00:00"));
    return pinned
        ? Optional.empty()
        : Optional.of(
            "this server takes no settings for one statement (they came with MySQL 8.0.17), so TIMESTAMP columns (%s) would be ambiguous in a session with summer time; use DATETIME(6) columns, which are kept in UTC"
                .formatted(points.stream().collect(Collectors.joining(", "))));
  }

  private Optional<String> groups(Connection connection) throws SQLException {
    return model.has(Role.GROUP) && MySqlFamily.logsStatements(connection)
        ? Optional.of(
            "%s is mapped, but this session logs statements (binlog_format = STATEMENT) and so runs at REPEATABLE READ, where a claim does not see what others have committed meanwhile; set binlog_format to ROW or MIXED"
                .formatted(Role.GROUP.label().toLowerCase(Locale.ROOT)))
        : Optional.empty();
  }
}
