package dev.rowlock.cli.database;

import dev.rowlock.ConfigurationException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Reads {@code postgres://user:password@host:port/database?sslmode=…}, as libpq does. */
final class PostgresUrl {
  private PostgresUrl() {}

  static PgSettings parse(String url) {
    String rest = url.substring(url.indexOf("://") + 3);
    PgSettings settings = new PgSettings();
    int question = rest.indexOf('?');
    String query = question < 0 ? "" : rest.substring(question + 1);
    rest = question < 0 ? rest : rest.substring(0, question);
    int slash = rest.indexOf('/');
    if (slash >= 0) {
      settings.put("dbname", decode(url, rest.substring(slash + 1)));
      rest = rest.substring(0, slash);
    }
    int at = rest.lastIndexOf('@');
    if (at >= 0) {
      user(url, settings, rest.substring(0, at));
      rest = rest.substring(at + 1);
    }
    hosts(url, settings, rest);
    query(url, settings, query);
    return settings;
  }

  private static void user(String url, PgSettings settings, String text) {
    int colon = text.indexOf(':');
    settings.put("user", decode(url, colon < 0 ? text : text.substring(0, colon)));
    if (colon >= 0) {
      settings.put("password", decode(url, text.substring(colon + 1)));
    }
  }

  /** Hosts and ports, separated by commas; an IPv6 address is in brackets. */
  private static void hosts(String url, PgSettings settings, String text) {
    StringBuilder hosts = new StringBuilder();
    StringBuilder ports = new StringBuilder();
    for (String one : text.split(",", -1)) {
      int colon = one.lastIndexOf(':');
      boolean port = colon > one.lastIndexOf(']');
      hosts.append(hosts.isEmpty() ? "" : ",");
      hosts.append(decode(url, port ? one.substring(0, colon) : one));
      ports.append(ports.isEmpty() && hosts.indexOf(",") < 0 ? "" : ",");
      ports.append(port ? one.substring(colon + 1) : "");
    }
    settings.put("host", hosts.toString());
    settings.put("port", ports.toString());
  }

  private static void query(String url, PgSettings settings, String query) {
    for (String pair : query.split("&")) {
      if (pair.isEmpty()) {
        continue;
      }
      int equals = pair.indexOf('=');
      if (equals < 0) {
        throw bad(url, "parameter '" + pair + "' has no value");
      }
      String name = decode(url, pair.substring(0, equals)).toLowerCase(Locale.ROOT);
      if (!PgSettings.known(name)) {
        throw bad(url, "parameter '%s' is not known%s".formatted(name, PgSettings.meant(name)));
      }
      settings.put(name, decode(url, pair.substring(equals + 1)));
    }
  }

  private static String decode(String url, String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw bad(url, "a % is not followed by two hexadecimal digits; write % itself as %25");
    }
  }

  private static ConfigurationException bad(String url, String reason) {
    return new ConfigurationException("%s: %s".formatted(Secrets.hide(url), reason));
  }
}
