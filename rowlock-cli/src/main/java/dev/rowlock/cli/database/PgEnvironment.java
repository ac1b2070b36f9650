package dev.rowlock.cli.database;

import dev.rowlock.ConfigurationException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The {@code PG*} variables that {@code psql} reads. */
final class PgEnvironment {
  /** Each of these says that PostgreSQL is meant. */
  private static final List<String> NAMING =
      List.of("PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGSERVICE");

  private static final Map<String, String> SETTINGS =
      Map.ofEntries(
          Map.entry("PGHOST", "host"),
          Map.entry("PGHOSTADDR", "hostaddr"),
          Map.entry("PGPORT", "port"),
          Map.entry("PGDATABASE", "dbname"),
          Map.entry("PGUSER", "user"),
          Map.entry("PGPASSWORD", "password"),
          Map.entry("PGSSLMODE", "sslmode"),
          Map.entry("PGSSLROOTCERT", "sslrootcert"),
          Map.entry("PGSSLCERT", "sslcert"),
          Map.entry("PGSSLKEY", "sslkey"),
          Map.entry("PGSSLNEGOTIATION", "sslnegotiation"),
          Map.entry("PGCHANNELBINDING", "channel_binding"),
          Map.entry("PGREQUIREAUTH", "require_auth"),
          Map.entry("PGGSSENCMODE", "gssencmode"),
          Map.entry("PGOPTIONS", "options"),
          Map.entry("PGCONNECT_TIMEOUT", "connect_timeout"),
          Map.entry("PGAPPNAME", "application_name"),
          Map.entry("PGTARGETSESSIONATTRS", "target_session_attrs"),
          Map.entry("PGLOADBALANCEHOSTS", "load_balance_hosts"));

  private final Map<String, String> environment;

  PgEnvironment(Map<String, String> environment) {
    this.environment = environment;
  }

  boolean present() {
    return NAMING.stream().anyMatch(name -> !environment.getOrDefault(name, "").isEmpty());
  }

  Target target(Optional<String> user, Optional<String> password) {
    String service = environment.getOrDefault("PGSERVICE", "");
    if (!service.isEmpty()) {
      throw new ConfigurationException(
          "PGSERVICE is '%s'; Rowlock reads no service file: unset it and set PGHOST, PGDATABASE and PGUSER, or give --url"
              .formatted(service));
    }
    return complete(new PgSettings(), user, password);
  }

  /** Fills what a URL leaves open from the environment, as {@code psql} does. */
  Target complete(PgSettings settings, Optional<String> user, Optional<String> password) {
    PgSettings variables = new PgSettings();
    SETTINGS.forEach(
        (name, setting) -> {
          boolean otherHost = settings.has("host") && setting.startsWith("host");
          boolean otherPort = settings.has("host") && setting.equals("port");
          if (!otherHost && !otherPort) {
            variables.put(setting, environment.getOrDefault(name, ""));
          }
        });
    settings.defaults(variables);
    return settings.target(user, password);
  }
}
