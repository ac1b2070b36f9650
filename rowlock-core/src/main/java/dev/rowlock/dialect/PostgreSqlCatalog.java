package dev.rowlock.dialect;

import dev.rowlock.ConfigurationException;
import dev.rowlock.TableName;
import dev.rowlock.internal.jdbc.Jdbc;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Kind;
import dev.rowlock.spi.Sql;
import dev.rowlock.spi.Table;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads PostgreSQL's catalog. Everything is found by the table's oid, so no search path matters
 * later.
 */
record PostgreSqlCatalog(PostgreSql dialect, Connection connection) {

  // Exact name first, then without regard to case; an unqualified name is looked up as the search
  // path would, so the first schema on it wins. Names in the catalog compare in the collation "C",
  // whose lower() changes ASCII alone; a parameter's lower() follows the database: É would differ.
  private static final String FIND =
      """
      SELECT c.oid, n.nspname, c.relname, c.relkind,
             c.relrowsecurity AND NOT pg_has_role(c.relowner, 'USAGE')
               AND NOT (SELECT rolbypassrls OR rolsuper FROM pg_roles WHERE rolname = current_user),
             EXISTS (SELECT 1 FROM pg_trigger g WHERE g.tgrelid = c.oid AND NOT g.tgisinternal
                       AND g.tgtype & 2 = 2 AND g.tgtype & 16 = 16),
             EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid
                       AND (p.polroles = '{0}' OR EXISTS (SELECT 1 FROM unnest(p.polroles) AS r (id)
                             WHERE pg_has_role(r.id, 'USAGE'))))
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'v', 'f', 'm')
        AND CASE WHEN CAST(? AS text) IS NULL THEN n.nspname = ANY (current_schemas(false))
                 ELSE n.nspname = ? OR lower(n.nspname COLLATE "default") = lower(?) END
        AND lower(c.relname COLLATE "default") = lower(?)
      ORDER BY n.nspname IS DISTINCT FROM CAST(? AS text),
               array_position(current_schemas(false), n.nspname), c.relname <> ?, c.relname
      """;

  // A cast must never cut a value, so types are given without their length: -1 says that there is
  // none, where NULL would leave char and bit, which are of length 1. Timestamps keep their
  // precision: the clock must be rounded as they are. Domains are cast to what they are made of.
  // Types of other schemas are qualified.
  private static final String COLUMNS =
      """
      SELECT a.attname, b.typname, b.typtype, b.typcategory,
             CASE WHEN b.typname IN ('timestamp', 'timestamptz') THEN format_type(b.oid, m.mod)
                  WHEN bn.nspname = 'pg_catalog' THEN format_type(b.oid, -1)
                  ELSE quote_ident(bn.nspname) || '.' || quote_ident(b.typname) END,
             CASE WHEN b.typname IN ('varchar', 'bpchar') AND m.mod > 4 THEN m.mod - 4 ELSE 0 END,
             a.attnotnull OR t.typnotnull, a.atthasdef OR a.attidentity <> '' OR t.typdefault IS NOT NULL,
             a.attgenerated = '' AND a.attidentity <> 'a'
      FROM pg_attribute a
      JOIN pg_type t ON t.oid = a.atttypid
      JOIN LATERAL (
        SELECT CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END AS base,
               CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END AS mod) m ON true
      JOIN pg_type b ON b.oid = m.base
      JOIN pg_namespace bn ON bn.oid = b.typnamespace
      WHERE a.attrelid = CAST(? AS oid) AND a.attnum > 0 AND NOT a.attisdropped
      ORDER BY a.attnum
      """;

  private static final String INDEXES =
      """
      SELECT i.relname, x.indisunique AND x.indpred IS NULL AND x.indimmediate AND x.indexprs IS NULL,
             pg_get_expr(x.indpred, x.indrelid),
             ARRAY(SELECT COALESCE(a.attname, pg_get_indexdef(x.indexrelid, k.n::int, true))
                   FROM unnest(x.indkey) WITH ORDINALITY AS k (attnum, n)
                   LEFT JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.attnum AND k.attnum > 0
                   WHERE k.n <= x.indnkeyatts ORDER BY k.n)
      FROM pg_index x
      JOIN pg_class i ON i.oid = x.indexrelid
      JOIN pg_am m ON m.oid = i.relam AND m.amname = 'btree'
      WHERE x.indrelid = CAST(? AS oid) AND x.indisvalid
      ORDER BY x.indisprimary DESC, i.relname
      """;

  private record Found(
      long oid,
      String schema,
      String name,
      String kind,
      boolean rowSecurity,
      boolean trigger,
      boolean policy) {}

  Optional<Table> table(TableName wanted) throws SQLException {
    Optional<Found> found = find(wanted);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    Found t = found.get();
    Map<String, Column> columns = new LinkedHashMap<>();
    for (Column c : Jdbc.query(connection, COLUMNS, this::column, t.oid)) {
      columns.put(c.name(), c);
    }
    List<List<String>> unique = new ArrayList<>();
    List<Table.Index> indexes = new ArrayList<>();
    Jdbc.query(connection, INDEXES, r -> index(r, unique, indexes), t.oid);
    if (t.kind.equals("v")) {
      underlyingKeys(t, columns, unique);
    }
    return Optional.of(
        new Table(
            dialect.quote(t.schema) + "." + dialect.quote(t.name),
            t.name,
            columns,
            unique,
            indexes,
            problems(t),
            notes(t)));
  }

  private Optional<Found> find(TableName wanted) throws SQLException {
    String schema = wanted.schema().orElse(null);
    String name = wanted.table();
    List<Found> all =
        Jdbc.query(
            connection,
            FIND,
            r ->
                new Found(
                    r.getLong(1),
                    r.getString(2),
                    r.getString(3),
                    r.getString(4),
                    r.getBoolean(5),
                    r.getBoolean(6),
                    r.getBoolean(7)),
            schema,
            schema,
            schema,
            name,
            schema,
            name);
    if (all.size() > 1
        && !all.get(0).name.equals(name)
        && all.get(0).schema.equals(all.get(1).schema)) {
      throw new ConfigurationException(
          "table '%s' is ambiguous: it could be \"%s\" or \"%s\"; write the exact name"
              .formatted(wanted, all.get(0).name, all.get(1).name));
    }
    return all.stream().findFirst();
  }

  private Column column(ResultSet r) throws SQLException {
    String name = r.getString(1);
    Kind kind = kind(r.getString(2), r.getString(3), r.getString(4));
    return new Column(
        name,
        dialect.quote(name),
        kind,
        Sql.raw(r.getString(5)),
        r.getInt(6),
        !r.getBoolean(7),
        r.getBoolean(8),
        r.getBoolean(9));
  }

  private static Kind kind(String type, String typtype, String category) {
    if (typtype.equals("e") || category.equals("A")) {
      return Kind.OTHER;
    }
    return switch (type) {
      case "int2", "int4", "int8" -> Kind.INTEGER;
      case "numeric" -> Kind.DECIMAL;
      case "float4", "float8" -> Kind.FLOAT;
      case "bool" -> Kind.BOOLEAN;
      case "text", "varchar", "citext", "name" -> Kind.TEXT;
      case "bpchar" -> Kind.CHAR;
      case "uuid" -> Kind.UUID;
      case "bytea" -> Kind.BINARY;
      case "timestamptz" -> Kind.INSTANT;
      case "timestamp" -> Kind.LOCAL_TIMESTAMP;
      case "date" -> Kind.DATE;
      case "time", "timetz" -> Kind.TIME;
      case "json", "jsonb" -> Kind.JSON;
      default -> Kind.OTHER;
    };
  }

  private static Void index(ResultSet r, List<List<String>> unique, List<Table.Index> indexes)
      throws SQLException {
    List<String> columns = Arrays.asList((String[]) r.getArray(4).getArray());
    if (r.getBoolean(2)) {
      unique.add(columns);
    }
    indexes.add(new Table.Index(r.getString(1), columns, Optional.ofNullable(r.getString(3))));
    return null;
  }

  /** A simple view has the keys of its table as far as it shows their columns. */
  private void underlyingKeys(Found view, Map<String, Column> columns, List<List<String>> unique)
      throws SQLException {
    List<Long> tables =
        Jdbc.query(
            connection,
            """
            SELECT DISTINCT d.refobjid FROM pg_rewrite w
            JOIN pg_depend d ON d.objid = w.oid AND d.classid = CAST('pg_rewrite' AS regclass)
            JOIN pg_class c ON c.oid = d.refobjid AND c.relkind IN ('r', 'p')
            WHERE w.ev_class = CAST(? AS oid) AND d.refclassid = CAST('pg_class' AS regclass)
            """,
            r -> r.getLong(1),
            view.oid);
    if (tables.size() != 1) {
      return;
    }
    List<Table.Index> ignored = new ArrayList<>();
    Jdbc.query(connection, INDEXES, r -> index(r, unique, ignored), tables.get(0));
    for (List<String> key : unique) {
      for (String name : key) {
        // A view's columns never count as NOT NULL, even where the table's do.
        columns.computeIfPresent(
            name,
            (n, c) ->
                new Column(
                    n,
                    c.quoted(),
                    c.kind(),
                    c.type(),
                    c.size(),
                    false,
                    c.hasDefault(),
                    c.writable()));
      }
    }
  }

  private List<String> problems(Found t) throws SQLException {
    List<String> all = new ArrayList<>();
    if (t.kind.equals("f")) {
      all.add(
          "it is a foreign table, whose rows cannot be locked here; use the table on its own server");
    }
    if (t.kind.equals("m")) {
      all.add("it is a materialized view and cannot be updated; use the table under it");
    }
    if (t.rowSecurity && !t.policy) {
      all.add(
          "row security is on and no policy lets this user see rows, so the queue would look empty for ever; create a policy for it, or GRANT it a role with BYPASSRLS");
    }
    if (t.kind.equals("v")) {
      boolean updatable =
          Jdbc.first(
                  connection,
                  "SELECT pg_relation_is_updatable(CAST(CAST(? AS oid) AS regclass), false) & 4 = 4",
                  r -> r.getBoolean(1),
                  t.oid)
              .orElse(false);
      if (!updatable) {
        all.add(
            "it is a view that cannot be updated or locked (DISTINCT, GROUP BY, join or INSTEAD OF trigger); use the table under it");
      }
    }
    return all;
  }

  private static List<String> notes(Found t) {
    List<String> all = new ArrayList<>();
    if (t.rowSecurity) {
      all.add(
          "row security applies to this user: rows that its policies hide are never claimed; give the user a policy, or BYPASSRLS");
    }
    if (t.trigger) {
      all.add(
          "a BEFORE UPDATE trigger may keep rows from being claimed: if it returns NULL the row stays as it is");
    }
    return all;
  }
}
