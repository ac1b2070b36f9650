package dev.rowlock.cli.database;

import dev.rowlock.ConfigurationException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Finds out which database is meant. The first place that names one wins: flags, the {@code
 * ROWLOCK_*} variables, the configuration file, the {@code PG*} variables, else the embedded
 * database. User and password come from the same place or one before it, never from one after it.
 */
public final class Targets {
  /** Folder of the embedded database. */
  public static final String EMBEDDED = ".rowlock";

  /** Several processes may use it at once; names are lower case, as in PostgreSQL. */
  private static final String EMBEDDED_OPTIONS =
      ";AUTO_SERVER=TRUE;DATABASE_TO_LOWER=TRUE;TRACE_LEVEL_FILE=0";

  private final Map<String, String> environment;
  private final Path directory;

  /** For an environment and a current directory. */
  public Targets(Map<String, String> environment, Path directory) {
    this.environment = environment;
    this.directory = directory;
  }

  /**
   * Decides.
   *
   * @param flags what the command line says
   * @param file what the configuration file says; asked only if nothing before it names a database
   */
  public Target find(Credentials flags, Supplier<Credentials> file) {
    return find(flags, file, false);
  }

  /**
   * Decides.
   *
   * @param flags what the command line says
   * @param file what the configuration file says; asked only if nothing before it names a database
   * @param create whether the embedded database need not be there yet
   */
  public Target find(Credentials flags, Supplier<Credentials> file, boolean create) {
    Credentials own =
        new Credentials(
            variable("ROWLOCK_URL"), variable("ROWLOCK_USER"), variable("ROWLOCK_PASSWORD"));
    Optional<String> user = flags.user().or(own::user);
    Optional<String> password = flags.password().or(own::password);
    Optional<String> url = flags.url().or(own::url);
    if (url.isEmpty()) {
      Credentials configured = file.get();
      url = configured.url();
      user = user.or(configured::user);
      password = password.or(configured::password);
    }
    if (url.isPresent()) {
      return fromUrl(url.get(), user, password);
    }
    PgEnvironment pg = new PgEnvironment(environment);
    return pg.present() ? pg.target(user, password) : embedded(user, password, create);
  }

  private Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
  }

  private Target fromUrl(String url, Optional<String> user, Optional<String> password) {
    if (url.startsWith("postgres://") || url.startsWith("postgresql://")) {
      return new PgEnvironment(environment).complete(PostgresUrl.parse(url), user, password);
    }
    if (SqlServerUrl.is(url)) {
      return SqlServerUrl.target(url, user, password);
    }
    if (MariaDbUrl.is(url)) {
      return MariaDbUrl.target(url, user, password);
    }
    if (SqliteUrl.is(url)) {
      return jdbc(SqliteUrl.jdbc(url), Optional.empty(), Optional.empty());
    }
    Product product =
        Product.of(url)
            .orElseThrow(
                () ->
                    new ConfigurationException(
                        "'%s' is no database that Rowlock knows; allowed: %s"
                            .formatted(Secrets.hide(url), Product.allowed())));
    return switch (product) {
      case POSTGRESQL -> jdbcPostgres(url, user, password);
      case SQLSERVER, MARIADB -> jdbc(url, user, password);
      case SQLITE -> jdbc(url, Optional.empty(), Optional.empty());
      case H2 -> {
        boolean inUrl = url.toLowerCase(java.util.Locale.ROOT).contains(";user=");
        yield jdbc(url, user.or(() -> inUrl ? Optional.empty() : Optional.of("sa")), password);
      }
    };
  }

  private static Target jdbc(String url, Optional<String> user, Optional<String> password) {
    Map<String, String> properties = new LinkedHashMap<>();
    user.ifPresent(u -> properties.put("user", u));
    password.ifPresent(p -> properties.put("password", p));
    return new Target(url, properties, Secrets.hide(url));
  }

  private Target jdbcPostgres(String url, Optional<String> user, Optional<String> password) {
    Map<String, String> properties = new LinkedHashMap<>();
    boolean userInUrl = url.matches(".*[?&]user=.*");
    boolean passwordInUrl = url.matches(".*[?&]password=.*");
    Optional<String> name =
        user.or(() -> userInUrl ? Optional.empty() : variable("PGUSER").or(this::osUser));
    name.ifPresent(u -> properties.put("user", u));
    password
        .or(() -> passwordInUrl ? Optional.empty() : variable("PGPASSWORD"))
        .ifPresent(p -> properties.put("password", p));
    return new Target(url, properties, Secrets.hide(url));
  }

  private Optional<String> osUser() {
    return Optional.ofNullable(System.getProperty("user.name"));
  }

  private Target embedded(Optional<String> user, Optional<String> password, boolean create) {
    Path file = directory.resolve(EMBEDDED).resolve("rowlock").toAbsolutePath().normalize();
    if (!create && !Files.exists(file.resolveSibling("rowlock.mv.db"))) {
      throw new ConfigurationException(
          "no database is named, and there is none in ./%s/; give --url, ROWLOCK_URL, database: in the configuration, or the PG* variables; or make one: rowlock sql --run FILE"
              .formatted(EMBEDDED));
    }
    if (file.toString().contains(";")) {
      throw new ConfigurationException(
          "the embedded database cannot be in a folder with a semicolon: %s; give --url"
              .formatted(file.getParent()));
    }
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("user", user.orElse("sa"));
    password.ifPresent(p -> properties.put("password", p));
    return new Target(
        "jdbc:h2:file:" + file.toString().replace('\\', '/') + EMBEDDED_OPTIONS,
        properties,
        "the embedded database in ./" + EMBEDDED);
  }
}
