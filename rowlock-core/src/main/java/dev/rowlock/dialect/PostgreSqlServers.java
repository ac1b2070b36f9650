package dev.rowlock.dialect;

import dev.rowlock.internal.jdbc.Jdbc;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Tells PostgreSQL, and what is built from it with the same row locks, from servers that only speak
 * its protocol. Whoever is known to differ is refused by name with the reason; whoever is not known
 * must show by harmless statements that it has what the claims are made of.
 */
record PostgreSqlServers(Connection connection) {

  private static final int OLDEST = 120000;

  /**
   * A server that is not PostgreSQL, whatever it says.
   *
   * @param mark what its {@code version()} contains and PostgreSQL's never does
   * @param name what people call it
   * @param reason what a queue cannot live with
   */
  private record Other(String mark, String name, String reason) {}

  // Sources and details: docs/databases/postgresql-compatible.md.
  private static final List<Other> OTHERS =
      List.of(
          new Other(
              "CockroachDB",
              "CockroachDB",
              "its SKIP LOCKED may lock all candidates of an ORDER BY, and pass over rows that nobody has locked"),
          new Other(
              "-YB-",
              "YugabyteDB",
              "its SKIP LOCKED may lock more rows than it returns, and flags of the server decide whether READ COMMITTED and advisory locks are real"),
          new Other("Redshift", "Amazon Redshift", "it has no indexes and does not enforce keys"),
          new Other("Greenplum", "Greenplum", "a row lock there may be a lock on the whole table"),
          new Other(
              "Cloudberry",
              "Apache Cloudberry",
              "a row lock there may be a lock on the whole table"),
          new Other("openGauss", "openGauss", "it has gone its own way since PostgreSQL 9.2"),
          new Other("GaussDB", "GaussDB", "it has gone its own way since PostgreSQL 9.2"),
          new Other(
              "Materialize",
              "Materialize",
              "its transactions either read or insert, and lock nothing"),
          new Other("QuestDB", "QuestDB", "it has no row locks"),
          new Other("CrateDB", "CrateDB", "it has no transactions"));

  // Every piece of syntax that claims, extensions and completions need, on no table at all: no
  // privilege is asked for, nothing is locked, and a read-only session may run it too.
  private static final String PROBE =
      """
      WITH next AS MATERIALIZED (
        SELECT q.id
        FROM (SELECT 1 AS id) AS q
        ORDER BY q.id
        LIMIT 1
        FOR NO KEY UPDATE OF q SKIP LOCKED
      )
      SELECT count(*)
      FROM next AS n
      JOIN unnest(CAST('{1}' AS text[])) WITH ORDINALITY AS u (id, rowlock_n)
        ON CAST(u.id AS integer) = n.id
      WHERE statement_timestamp() IS NOT NULL
      """;

  // A server may have the function and do nothing in it: then the lock is in no list. The key is
  // the session's own, so this waits for nobody; at the end of the statement's transaction it ends.
  private static final String ADVISORY =
      """
      WITH taken AS MATERIALIZED (
        SELECT pg_try_advisory_xact_lock(hashtextextended('rowlock probe', pg_backend_pid())) AS got
      )
      SELECT NOT t.got OR EXISTS (
        SELECT 1
        FROM pg_catalog.pg_locks AS l
        WHERE l.locktype = 'advisory' AND l.granted AND l.pid = pg_backend_pid() AND t.got)
      FROM taken AS t
      """;

  /** Empty if it can be used, else the reason and the fix. */
  Optional<String> refusal() throws SQLException {
    String version = Jdbc.first(connection, "SELECT version()", r -> r.getString(1)).orElse("");
    for (Other other : OTHERS) {
      if (version.contains(other.mark)) {
        return Optional.of(
            "%s speaks PostgreSQL's protocol, but %s; use PostgreSQL 12 or newer"
                .formatted(other.name, other.reason));
      }
    }
    if (!version.startsWith("PostgreSQL ")) {
      return Optional.of(
          "this server speaks PostgreSQL's protocol but calls itself '%s'; use PostgreSQL 12 or newer"
              .formatted(version));
    }
    int number = Jdbc.first(connection, "SHOW server_version_num", r -> r.getInt(1)).orElse(0);
    if (number < OLDEST) {
      return Optional.of("%s is too old; use PostgreSQL 12 or newer".formatted(version));
    }
    Optional<String> lacking = lacking();
    return lacking.map(
        l ->
            "this server calls itself '%s', but %s; use PostgreSQL 12 or newer"
                .formatted(version, l));
  }

  private Optional<String> lacking() throws SQLException {
    try {
      long rows = Jdbc.first(connection, PROBE, r -> r.getLong(1)).orElse(0L);
      if (rows != 1) {
        return Optional.of(
            "a SELECT … FOR NO KEY UPDATE SKIP LOCKED of one row returned " + rows + " rows");
      }
    } catch (SQLException e) {
      return Optional.of("it has no FOR NO KEY UPDATE SKIP LOCKED: " + unsupported(e));
    }
    try {
      return Jdbc.first(connection, ADVISORY, r -> r.getBoolean(1)).orElse(false)
          ? Optional.empty()
          : Optional.of("its advisory locks lock nothing");
    } catch (SQLException e) {
      return Optional.of("it has no advisory locks: " + unsupported(e));
    }
  }

  /** What the server said in one line; anything but "I cannot do that" is thrown on. */
  private static String unsupported(SQLException e) throws SQLException {
    String state = String.valueOf(e.getSQLState());
    boolean cannot =
        state.startsWith("42") && !state.equals("42501")
            || state.startsWith("0A")
            || state.startsWith("XX");
    if (!cannot) {
      throw e;
    }
    return String.valueOf(e.getMessage()).replaceAll("\\s+", " ").strip();
  }
}
