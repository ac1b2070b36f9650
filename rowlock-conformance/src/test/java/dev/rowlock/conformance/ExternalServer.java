package dev.rowlock.conformance;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/**
 * A server that is not started by the tests: {@code ROWLOCK_TEST_<NAME>_URL} names it, {@code
 * ROWLOCK_TEST_<NAME>_USER} and {@code ROWLOCK_TEST_<NAME>_PASSWORD} where the URL does not. A test
 * class for it is enabled only while the first of them is set.
 *
 * @param name the part of the variables' names that is the server's own: {@code POSTGRES}
 * @param url a JDBC URL
 * @param user empty if the URL says it, or none is needed
 * @param password the same
 */
public record ExternalServer(
    String name, String url, Optional<String> user, Optional<String> password) {

  private static final int LOGIN_SECONDS = 15;

  /** The server that the variables of this process name. */
  public static ExternalServer named(String name) {
    return named(name, System.getenv());
  }

  static ExternalServer named(String name, Map<String, String> environment) {
    String url = environment.getOrDefault(variable(name, "URL"), "");
    if (!url.startsWith("jdbc:")) {
      throw new IllegalStateException(
          "%s is '%s'; a JDBC URL is needed, jdbc:…://host:port/…"
              .formatted(variable(name, "URL"), url.replaceAll("//.*@", "//***@")));
    }
    return new ExternalServer(
        name, url, value(environment, name, "USER"), value(environment, name, "PASSWORD"));
  }

  /** Another variable of this server: {@code ROWLOCK_TEST_<NAME>_<WHAT>}. */
  public Optional<String> setting(String what) {
    return value(System.getenv(), name, what);
  }

  /** The name of a server's variable. */
  public static String variable(String name, String what) {
    return "ROWLOCK_TEST_" + name + "_" + what;
  }

  private static Optional<String> value(Map<String, String> environment, String name, String what) {
    return Optional.ofNullable(environment.get(variable(name, what))).filter(v -> !v.isEmpty());
  }

  /** A connection, or a failure that says which variables to look at. */
  public Connection connect() {
    Properties properties = new Properties();
    user.ifPresent(u -> properties.setProperty("user", u));
    password.ifPresent(p -> properties.setProperty("password", p));
    DriverManager.setLoginTimeout(LOGIN_SECONDS);
    try {
      return DriverManager.getConnection(url, properties);
    } catch (SQLException e) {
      throw new IllegalStateException(
          "the server that %s names cannot be used: %s; is it running, and are %s and %s right?"
              .formatted(
                  variable(name, "URL"),
                  e.getMessage(),
                  variable(name, "USER"),
                  variable(name, "PASSWORD")),
          e);
    } finally {
      DriverManager.setLoginTimeout(0);
    }
  }

  /** Without the password, and without a URL that may hold one. */
  @Override
  public String toString() {
    return variable(name, "URL");
  }
}
