package dev.rowlock.cli.database;

import dev.rowlock.ConfigurationException;
import dev.rowlock.cli.config.Names;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/**
 * Reads {@code sqlserver://user:password@host:port/database?property=value}; properties are the
 * driver's, and {@code host\instance} names an instance.
 */
final class SqlServerUrl {
  private static final String PREFIX = "sqlserver://";
  private static final int MOST_PORTS = 65_535;

  private final String url;
  private final Map<String, String> properties = new LinkedHashMap<>();
  private String server;
  private String database = "";

  private SqlServerUrl(String url) {
    this.url = url;
  }

  static boolean is(String url) {
    return url.startsWith(PREFIX);
  }

  static Target target(String url, Optional<String> user, Optional<String> password) {
    SqlServerUrl parsed = new SqlServerUrl(url);
    parsed.read(url.substring(PREFIX.length()));
    user.ifPresent(u -> parsed.properties.put("user", u));
    password.ifPresent(p -> parsed.properties.put("password", p));
    return parsed.target();
  }

  private void read(String text) {
    String rest = text;
    int question = rest.indexOf('?');
    String query = question < 0 ? "" : rest.substring(question + 1);
    rest = question < 0 ? rest : rest.substring(0, question);
    int slash = rest.indexOf('/');
    if (slash >= 0) {
      database = decode(rest.substring(slash + 1));
      rest = rest.substring(0, slash);
    }
    int at = rest.lastIndexOf('@');
    if (at >= 0) {
      user(rest.substring(0, at));
      rest = rest.substring(at + 1);
    }
    server = server(rest);
    query(query);
  }

  private void user(String text) {
    int colon = text.indexOf(':');
    properties.put("user", decode(colon < 0 ? text : text.substring(0, colon)));
    if (colon >= 0) {
      properties.put("password", decode(text.substring(colon + 1)));
    }
  }

  /** Goes into the driver's URL as it is, so nothing that could begin a property. */
  private String server(String text) {
    int colon = text.lastIndexOf(':');
    boolean port = colon > text.lastIndexOf(']');
    String host = decode(port ? text.substring(0, colon) : text);
    if (!host.matches("[^;{}=/:\\s]*|\\[[0-9A-Fa-f:.]+]")) {
      throw bad("host '%s'; allowed: a name, an address, or host\\instance".formatted(host));
    }
    String name = host.isEmpty() ? "localhost" : host;
    return port ? name + ":" + port(text.substring(colon + 1)) : name;
  }

  private String port(String text) {
    boolean right = text.matches("\\d{1,5}");
    if (!right || Integer.parseInt(text) < 1 || Integer.parseInt(text) > MOST_PORTS) {
      throw bad("port '%s'; allowed: 1 to 65535".formatted(text));
    }
    return text;
  }

  private void query(String query) {
    for (String pair : query.split("&")) {
      if (pair.isEmpty()) {
        continue;
      }
      int equals = pair.indexOf('=');
      if (equals < 0) {
        throw bad("property '%s' has no value".formatted(pair));
      }
      String typed = decode(pair.substring(0, equals));
      properties.put(known(typed), decode(pair.substring(equals + 1)));
    }
  }

  /** The driver itself takes any name, and does nothing about one that it does not know. */
  private String known(String typed) {
    Set<String> names = names();
    return names.stream()
        .filter(typed::equalsIgnoreCase)
        .findFirst()
        .orElseThrow(
            () ->
                bad(
                    "property '%s' is not known to the driver%s"
                        .formatted(typed, Names.didYouMean(typed, names))));
  }

  private static Set<String> names() {
    try {
      Set<String> names = new TreeSet<>();
      String url = "jdbc:" + PREFIX;
      for (DriverPropertyInfo info :
          DriverManager.getDriver(url).getPropertyInfo(url, new Properties())) {
        names.add(info.name);
      }
      return names;
    } catch (SQLException e) {
      throw new IllegalStateException("the SQL Server driver is missing", e);
    }
  }

  private Target target() {
    if (!database.isEmpty()) {
      properties.put("databaseName", database);
    }
    String user = properties.getOrDefault("user", "");
    return new Target(
        "jdbc:" + PREFIX + server,
        properties,
        "%s%s%s/%s".formatted(PREFIX, user.isEmpty() ? "" : user + "@", server, database));
  }

  private String decode(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw bad("a % is not followed by two hexadecimal digits; write % itself as %25");
    }
  }

  private ConfigurationException bad(String reason) {
    return new ConfigurationException("%s: %s".formatted(Secrets.hide(url), reason));
  }
}
