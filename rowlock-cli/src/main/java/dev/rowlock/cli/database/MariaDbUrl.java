package dev.rowlock.cli.database;

import dev.rowlock.ConfigurationException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads {@code mariadb://user:password@host:port/database?options}, {@code mysql://…} and the JDBC
 * URLs of both. The one driver that is shipped takes them all.
 */
final class MariaDbUrl {
  private static final Pattern JDBC = Pattern.compile("jdbc:(mariadb|mysql):.*", Pattern.DOTALL);
  private static final Pattern PLAIN =
      Pattern.compile("(?:mariadb|mysql)://(?:(?<login>[^/?]*)@)?(?<rest>.*)", Pattern.DOTALL);

  private MariaDbUrl() {}

  /** Whether it is such a URL. */
  static boolean is(String url) {
    return JDBC.matcher(url).matches()
        || url.startsWith("mariadb://")
        || url.startsWith("mysql://");
  }

  static Target target(String url, Optional<String> user, Optional<String> password) {
    Map<String, String> properties = new LinkedHashMap<>();
    String jdbc = url.replaceFirst("^jdbc:mysql:", "jdbc:mariadb:");
    if (!url.startsWith("jdbc:")) {
      Matcher plain = PLAIN.matcher(url);
      plain.matches();
      jdbc = "jdbc:mariadb://" + plain.group("rest");
      login(url, plain.group("login"), properties);
    }
    user.ifPresent(u -> properties.put("user", u));
    password.ifPresent(p -> properties.put("password", p));
    return new Target(jdbc, properties, Secrets.hide(url));
  }

  private static void login(String url, String login, Map<String, String> properties) {
    if (login == null) {
      return;
    }
    int colon = login.indexOf(':');
    properties.put("user", decode(url, colon < 0 ? login : login.substring(0, colon)));
    if (colon >= 0) {
      properties.put("password", decode(url, login.substring(colon + 1)));
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
