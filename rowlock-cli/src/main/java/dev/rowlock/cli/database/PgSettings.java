package dev.rowlock.cli.database;

import dev.rowlock.ConfigurationException;
import dev.rowlock.cli.config.Names;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * PostgreSQL connection settings under libpq's names, and their translation for the JDBC driver.
 */
final class PgSettings {
  /** libpq's name to the driver's; those that the driver has not are checked and left out. */
  private static final Map<String, String> DRIVER = new TreeMap<>();

  static {
    DRIVER.put("sslmode", "sslmode");
    DRIVER.put("sslrootcert", "sslrootcert");
    DRIVER.put("sslcert", "sslcert");
    DRIVER.put("sslkey", "sslkey");
    DRIVER.put("sslpassword", "sslpassword");
    DRIVER.put("sslnegotiation", "sslNegotiation");
    DRIVER.put("channel_binding", "channelBinding");
    DRIVER.put("require_auth", "requireAuth");
    DRIVER.put("gssencmode", "gssEncMode");
    DRIVER.put("options", "options");
    DRIVER.put("connect_timeout", "connectTimeout");
    DRIVER.put("application_name", "ApplicationName");
    DRIVER.put("target_session_attrs", "targetServerType");
    DRIVER.put("load_balance_hosts", "loadBalanceHosts");
  }

  private static final Map<String, String> TARGETS =
      Map.of(
          "any", "any",
          "read-write", "primary",
          "primary", "primary",
          "read-only", "secondary",
          "standby", "secondary",
          "prefer-standby", "preferSecondary");

  private final Map<String, String> values = new LinkedHashMap<>();

  void put(String name, String value) {
    if (!value.isEmpty()) {
      values.put(name, value);
    }
  }

  /** Takes settings for what is not set here. */
  void defaults(PgSettings other) {
    other.values.forEach(values::putIfAbsent);
  }

  boolean has(String name) {
    return values.containsKey(name);
  }

  static boolean known(String name) {
    return DRIVER.containsKey(name)
        || java.util.List.of("host", "hostaddr", "port", "dbname", "user", "password")
            .contains(name);
  }

  static String meant(String name) {
    return Names.didYouMean(name, DRIVER.keySet());
  }

  Target target(Optional<String> user, Optional<String> password) {
    String name =
        user.or(() -> get("user")).orElseGet(() -> System.getProperty("user.name", "postgres"));
    String database = get("dbname").orElse(name);
    Map<String, String> properties = new LinkedHashMap<>();
    values.forEach(
        (key, value) -> {
          if (DRIVER.containsKey(key)) {
            properties.put(DRIVER.get(key), translate(key, value));
          }
        });
    properties.put("user", name);
    password.or(() -> get("password")).ifPresent(p -> properties.put("password", p));
    String hosts = hosts();
    String url = "jdbc:postgresql://%s/%s".formatted(hosts, encode(database));
    return new Target(url, properties, "postgres://%s@%s/%s".formatted(name, hosts, database));
  }

  private String hosts() {
    String[] hosts = get("hostaddr").or(() -> get("host")).orElse("localhost").split(",", -1);
    String[] ports = get("port").orElse("5432").split(",", -1);
    if (ports.length != 1 && ports.length != hosts.length) {
      throw new ConfigurationException(
          "%d ports for %d hosts; give one port, or one for each host"
              .formatted(ports.length, hosts.length));
    }
    return java.util.stream.IntStream.range(0, hosts.length)
        .mapToObj(i -> host(hosts[i]) + ":" + port(ports[ports.length == 1 ? 0 : i]))
        .collect(Collectors.joining(","));
  }

  private static String host(String host) {
    if (host.startsWith("/") || host.startsWith("@")) {
      throw new ConfigurationException(
          "the host '%s' is a Unix socket; Rowlock connects over TCP: set PGHOST=localhost, or give --url"
              .formatted(host));
    }
    boolean bareIpv6 = host.contains(":") && !host.startsWith("[");
    return host.isEmpty() ? "localhost" : bareIpv6 ? "[" + host + "]" : host;
  }

  private static String port(String port) {
    String text = port.isEmpty() ? "5432" : port.strip();
    if (!text.matches("\\d{1,5}") || Integer.parseInt(text) < 1 || Integer.parseInt(text) > 65535) {
      throw new ConfigurationException("port '%s'; allowed: 1 to 65535".formatted(port));
    }
    return text;
  }

  private static String translate(String name, String value) {
    if (!name.equals("target_session_attrs")) {
      return value;
    }
    return Optional.ofNullable(TARGETS.get(value))
        .orElseThrow(
            () ->
                new ConfigurationException(
                    "target_session_attrs '%s'; allowed: %s"
                        .formatted(value, String.join(", ", new TreeMap<>(TARGETS).keySet()))));
  }

  private Optional<String> get(String name) {
    return Optional.ofNullable(values.get(name));
  }

  private static String encode(String database) {
    return java.net.URLEncoder.encode(database, java.nio.charset.StandardCharsets.UTF_8)
        .replace("+", "%20");
  }
}
