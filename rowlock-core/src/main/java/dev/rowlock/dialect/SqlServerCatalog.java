package dev.rowlock.dialect;

import dev.rowlock.ConfigurationException;
import dev.rowlock.TableName;
import dev.rowlock.internal.jdbc.Jdbc;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Table;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads SQL Server's catalog views. Their names are written as they are documented and nothing is
 * changed to upper or lower case, so that databases with a case-sensitive or a Turkish collation
 * are read too; a table is found once by its name and then by its object_id.
 */
record SqlServerCatalog(SqlServer dialect, Connection connection) {

  // The exact name first, then without regard to case where the database distinguishes it; an
  // unqualified name is looked for as the server does, in the user's own schema and then in dbo.
  private static final String FIND =
      """
      SELECT o.object_id, s.name, o.name, RTRIM(o.type),
             COALESCE(t.is_memory_optimized, 0), COALESCE(t.temporal_type, 0), COALESCE(t.is_external, 0)
      FROM sys.objects AS o
      JOIN sys.schemas AS s ON s.schema_id = o.schema_id
      LEFT JOIN sys.tables AS t ON t.object_id = o.object_id
      WHERE o.type IN ('U', 'V', 'SN')
        AND o.name = ? COLLATE Latin1_General_CI_AS
        AND (s.name = ? COLLATE Latin1_General_CI_AS
          OR (CAST(? AS nvarchar(128)) IS NULL AND s.name IN (SCHEMA_NAME(), N'dbo')))
      """;

  // max_length counts bytes. The base type of an alias type is the one whose two ids are the same;
  // types that are made of CLR classes have no such base.
  private static final String COLUMNS =
      """
      SELECT c.name, COALESCE(b.name, u.name), c.max_length, c.precision, c.scale, c.is_nullable,
             CASE WHEN c.default_object_id <> 0 OR c.is_identity = 1 OR c.is_computed = 1
                    OR c.generated_always_type <> 0 OR b.name IN (N'timestamp', N'rowversion') THEN 1 ELSE 0 END,
             CASE WHEN c.is_identity = 1 OR c.is_computed = 1
                    OR c.generated_always_type <> 0 OR b.name IN (N'timestamp', N'rowversion') THEN 0 ELSE 1 END,
             CASE WHEN c.collation_name <> CAST(DATABASEPROPERTYEX(DB_NAME(), 'Collation') AS nvarchar(128))
                    OR c.collation_name LIKE N'%[_]UTF8' THEN c.collation_name ELSE N'' END
      FROM sys.columns AS c
      JOIN sys.types AS u ON u.user_type_id = c.user_type_id
      LEFT JOIN sys.types AS b ON b.user_type_id = c.system_type_id
      WHERE c.object_id = ? AND c.is_hidden = 0
      ORDER BY c.column_id
      """;

  private static final String INDEXES =
      """
      SELECT i.index_id, i.name, i.type, i.is_unique, i.has_filter, i.filter_definition, i.allow_row_locks,
             c.name, ic.is_descending_key
      FROM sys.indexes AS i
      LEFT JOIN sys.index_columns AS ic
        ON ic.object_id = i.object_id AND ic.index_id = i.index_id AND ic.key_ordinal > 0
      LEFT JOIN sys.columns AS c ON c.object_id = ic.object_id AND c.column_id = ic.column_id
      WHERE i.object_id = ? AND i.is_disabled = 0 AND i.is_hypothetical = 0
      ORDER BY CASE WHEN i.is_primary_key = 1 THEN 0 ELSE 1 END, i.index_id, ic.key_ordinal
      """;

  // 2 is an UPDATE, 3 a DELETE.
  private static final String INSTEAD_OF =
      """
      SELECT DISTINCT g.name
      FROM sys.triggers AS g
      JOIN sys.trigger_events AS e ON e.object_id = g.object_id
      WHERE g.parent_id = ? AND g.is_disabled = 0 AND g.is_instead_of_trigger = 1 AND e.type IN (2, 3)
      """;

  private static final String POLICIES =
      """
      SELECT DISTINCT p.name
      FROM sys.security_policies AS p
      JOIN sys.security_predicates AS r ON r.object_id = p.object_id
      WHERE r.target_object_id = ? AND p.is_enabled = 1
      """;

  private static final int COLUMNSTORE = 5;

  private record Found(
      int id,
      String schema,
      String name,
      String type,
      boolean inMemory,
      int temporal,
      boolean external) {}

  private record Part(
      int id,
      String name,
      int type,
      boolean unique,
      boolean filtered,
      String filter,
      boolean rowLocks,
      String column,
      boolean descending) {}

  Optional<Table> table(TableName wanted) throws SQLException {
    Optional<Found> found = find(wanted);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    Found t = found.get();
    Map<String, Column> columns = new LinkedHashMap<>();
    for (Column c : Jdbc.query(connection, COLUMNS, this::column, t.id)) {
      columns.put(c.name(), c);
    }
    List<Part> parts = Jdbc.query(connection, INDEXES, SqlServerCatalog::part, t.id);
    List<List<String>> unique = new ArrayList<>();
    List<Table.Index> indexes = new ArrayList<>();
    indexes(parts, unique, indexes);
    return Optional.of(
        new Table(
            dialect.quote(t.schema) + "." + dialect.quote(t.name),
            t.name,
            columns,
            unique,
            indexes,
            problems(t, parts),
            notes(t, parts)));
  }

  private Optional<Found> find(TableName wanted) throws SQLException {
    String schema = wanted.schema().orElse(null);
    List<Found> all =
        Jdbc.query(
            connection,
            FIND,
            r ->
                new Found(
                    r.getInt(1),
                    r.getString(2),
                    r.getString(3),
                    r.getString(4),
                    r.getBoolean(5),
                    r.getInt(6),
                    r.getBoolean(7)),
            wanted.table(),
            schema,
            schema);
    String home =
        schema != null
            ? schema
            : Jdbc.first(connection, "SELECT SCHEMA_NAME()", r -> r.getString(1)).orElse("dbo");
    List<Found> best = new ArrayList<>(all);
    best.sort(
        (a, b) ->
            Integer.compare(distance(a, home, wanted.table()), distance(b, home, wanted.table())));
    if (best.size() > 1
        && distance(best.get(0), home, wanted.table())
            == distance(best.get(1), home, wanted.table())) {
      throw new ConfigurationException(
          "table '%s' is ambiguous: it could be %s.%s or %s.%s; write the exact name"
              .formatted(
                  wanted,
                  best.get(0).schema,
                  best.get(0).name,
                  best.get(1).schema,
                  best.get(1).name));
    }
    return best.stream().findFirst();
  }

  private static int distance(Found found, String schema, String name) {
    return (found.schema.equals(schema) ? 0 : 2) + (found.name.equals(name) ? 0 : 1);
  }

  private Column column(ResultSet r) throws SQLException {
    String name = r.getString(1);
    String type = String.valueOf(r.getString(2));
    int length = r.getInt(3);
    return new Column(
        name,
        dialect.quote(name),
        SqlServerTypes.kind(type),
        SqlServerTypes.declared(type, length, r.getInt(4), r.getInt(5), r.getString(9)),
        SqlServerTypes.size(type, length),
        r.getBoolean(6),
        r.getBoolean(7),
        r.getBoolean(8));
  }

  private static Part part(ResultSet r) throws SQLException {
    return new Part(
        r.getInt(1),
        r.getString(2),
        r.getInt(3),
        r.getBoolean(4),
        r.getBoolean(5),
        r.getString(6),
        r.getBoolean(7),
        r.getString(8),
        r.getBoolean(9));
  }

  /** Indexes with a b-tree. In one that is not unique, equal entries lie by the clustered key. */
  private static void indexes(
      List<Part> parts, List<List<String>> unique, List<Table.Index> indexes) {
    Map<Integer, List<Part>> byId = new LinkedHashMap<>();
    parts.stream()
        .filter(p -> (p.type == 1 || p.type == 2) && p.column != null)
        .forEach(p -> byId.computeIfAbsent(p.id, id -> new ArrayList<>()).add(p));
    List<Part> clustered =
        byId.values().stream().filter(i -> i.get(0).type == 1).findFirst().orElse(List.of());
    for (List<Part> index : byId.values()) {
      Part first = index.get(0);
      Set<String> columns = new LinkedHashSet<>();
      Set<String> descending = new LinkedHashSet<>();
      List<Part> all = new ArrayList<>(index);
      if (!first.unique) {
        all.addAll(clustered);
      }
      for (Part part : all) {
        if (columns.add(part.column) && part.descending) {
          descending.add(part.column);
        }
      }
      if (first.unique && !first.filtered) {
        unique.add(List.copyOf(columns));
      }
      Optional<String> filter =
          first.filtered ? Optional.of(String.valueOf(first.filter)) : Optional.empty();
      indexes.add(new Table.Index(first.name, List.copyOf(columns), filter, descending));
    }
  }

  private List<String> problems(Found t, List<Part> parts) throws SQLException {
    List<String> all = new ArrayList<>();
    if (t.type.equals("SN")) {
      all.add("it is a synonym; name the table that it stands for");
    } else if (t.type.equals("V")) {
      all.add(
          "it is a view, whose rows are not sure to be locked one by one; use the table under it");
    }
    if (t.inMemory) {
      all.add(
          "it is memory-optimized, and such tables know neither READPAST nor UPDLOCK; use a table on disk");
    }
    if (t.external) {
      all.add(
          "it is an external table, whose rows cannot be locked here; use the table on its own server");
    }
    if (t.temporal == 1) {
      all.add("it is the history of a temporal table and cannot be updated; use the table itself");
    }
    if (parts.stream().anyMatch(p -> p.type == COLUMNSTORE)) {
      all.add(
          "its clustered index is a columnstore, which does not lock row by row; use a table whose clustered index is a b-tree");
    }
    parts.stream()
        .filter(p -> !p.rowLocks && p.type < COLUMNSTORE)
        .findFirst()
        .ifPresent(
            p ->
                all.add(
                    "its index %1$s has ALLOW_ROW_LOCKS = OFF, so that one claim locks the rows beside its own (C-089); ALTER INDEX %1$s ON %2$s.%3$s SET (ALLOW_ROW_LOCKS = ON)"
                        .formatted(bracketed(p.name), bracketed(t.schema), bracketed(t.name))));
    List<String> instead = Jdbc.query(connection, INSTEAD_OF, r -> r.getString(1), t.id);
    if (!instead.isEmpty()) {
      all.add(
          "its trigger %s is INSTEAD OF UPDATE or DELETE, after which the server reports rows as written that were not; make it an AFTER trigger"
              .formatted(bracketed(instead.get(0))));
    }
    return all;
  }

  private static String bracketed(String name) {
    return "[" + String.valueOf(name).replace("]", "]]") + "]";
  }

  private List<String> notes(Found t, List<Part> parts) {
    List<String> all = new ArrayList<>();
    if (t.temporal == 2) {
      all.add(
          "it is system-versioned: every claim, extension and completion adds a row to its history");
    }
    if (parts.stream().anyMatch(p -> p.type > COLUMNSTORE)) {
      all.add(
          "it has a columnstore index (or one of another kind than b-tree), which every claim and completion has to maintain");
    }
    for (String policy : policies(t.id)) {
      all.add(
          "security policy %s applies to it: rows that it hides from this user are never claimed"
              .formatted(bracketed(policy)));
    }
    return all;
  }

  /** A server that has no row-level security has no such views either. */
  private List<String> policies(int id) {
    try {
      return Jdbc.query(connection, POLICIES, r -> r.getString(1), id);
    } catch (SQLException e) {
      return List.of();
    }
  }
}
