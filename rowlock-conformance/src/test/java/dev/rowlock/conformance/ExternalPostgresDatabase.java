package dev.rowlock.conformance;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The PostgreSQL, or a server that is compatible with it, that {@code ROWLOCK_TEST_POSTGRES_URL}
 * names. Tests work in schemas of their own, {@code rowlock_test_…}, which they drop; nothing else
 * on the server is touched, unless it is allowed: {@code ROWLOCK_TEST_POSTGRES_ROLES=true} for
 * login roles, {@code w_rowlock_test_…}, which are dropped too.
 */
final class ExternalPostgresDatabase extends PostgresDatabase {
  /** What its variables are called by. */
  static final String NAME = "POSTGRES";

  private final ExternalServer server;
  private final Map<Facility, String> lacking = new EnumMap<>(Facility.class);

  /** Held while the class that first asks is initialized: one for each JVM. */
  private static final class Shared {
    static final ExternalPostgresDatabase DATABASE =
        new ExternalPostgresDatabase(ExternalServer.named(NAME));
  }

  private ExternalPostgresDatabase(ExternalServer server) {
    super("rowlock_test_" + UUID.randomUUID().toString().substring(0, 8) + "_");
    this.server = server;
  }

  /** The server, which may not answer. */
  static ExternalPostgresDatabase shared() {
    return Shared.DATABASE;
  }

  /** Connects and looks at what the server has; fails clearly if it cannot be reached. */
  void reach() {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      roles(statement);
      network(statement);
      planner(statement);
    } catch (SQLException e) {
      throw new IllegalStateException(server + " names a server that does not answer", e);
    }
  }

  private void roles(Statement statement) throws SQLException {
    boolean may =
        bool(
            statement,
            "select rolsuper or rolcreaterole from pg_roles where rolname = current_user");
    if (!server.setting("ROLES").orElse("").equals("true")) {
      lacking.put(
          Facility.LOGIN_ROLES,
          ExternalServer.variable(NAME, "ROLES")
              + " is not true, so no role is made on a server that is not ours");
    } else if (!may) {
      lacking.put(Facility.LOGIN_ROLES, "the user may not create roles");
    }
  }

  private void network(Statement statement) throws SQLException {
    boolean encrypted =
        bool(
            statement,
            "select coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false)");
    if (encrypted) {
      lacking.put(Facility.PROXY, "the connection is encrypted");
    }
    PGSimpleDataSource source = dataSource(null);
    if (source.getPassword() != null && !source.getPassword().isEmpty()) {
      lacking.put(Facility.LOGIN_WITHOUT_PASSWORD, "a password is given");
    }
  }

  private void planner(Statement statement) throws SQLException {
    if (!bool(
        statement,
        "select version() ~ '^PostgreSQL [0-9]+([.][0-9]+|devel|beta[0-9]+|rc[0-9]+)[ ,]'")) {
      lacking.put(Facility.POSTGRESQL_PLANNER, "it has a planner of its own");
    }
  }

  private static boolean bool(Statement statement, String sql) throws SQLException {
    try (ResultSet result = statement.executeQuery(sql)) {
      return result.next() && result.getBoolean(1);
    }
  }

  @Override
  public Optional<String> lacks(Facility facility) {
    return super.lacks(facility).or(() -> Optional.ofNullable(lacking.get(facility)));
  }

  @Override
  PGSimpleDataSource dataSource(String schema) {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setURL(server.url());
    server.user().ifPresent(dataSource::setUser);
    server.password().ifPresent(dataSource::setPassword);
    if (schema != null) {
      dataSource.setCurrentSchema(schema);
    }
    return dataSource;
  }
}
