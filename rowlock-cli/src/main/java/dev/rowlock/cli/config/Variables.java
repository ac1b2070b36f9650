package dev.rowlock.cli.config;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Fills in {@code ${NAME}} and {@code ${NAME:-default}}; {@code $${} stands for a literal {@code ${}.
 *
 * @param environment the variables
 */
public record Variables(Map<String, String> environment) {
  private static final Pattern REFERENCE =
      Pattern.compile("\\$\\$\\{|\\$\\{(?:([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\\})?");

  String fill(String text, Origin origin) {
    if (!text.contains("${")) {
      return text;
    }
    Matcher matcher = REFERENCE.matcher(text);
    StringBuilder filled = new StringBuilder();
    while (matcher.find()) {
      matcher.appendReplacement(filled, Matcher.quoteReplacement(one(matcher, text, origin)));
    }
    return matcher.appendTail(filled).toString();
  }

  private String one(Matcher matcher, String text, Origin origin) {
    if (matcher.group().startsWith("$$")) {
      return "${";
    }
    String name = matcher.group(1);
    if (name == null) {
      throw origin.refuse(
          "'" + text + "'", "${NAME} or ${NAME:-default}; write $${ where ${ itself is meant");
    }
    String value = environment.get(name);
    String fallback = matcher.group(2);
    if (fallback != null) {
      return value == null || value.isEmpty() ? fallback : value;
    }
    if (value == null) {
      throw origin.refuse(
          "environment variable %s is not set; set it, or give a default: ${%s:-default}"
              .formatted(name, name));
    }
    return value;
  }
}
