package dev.rowlock.bench;

import java.util.HashMap;
import java.util.Map;

/** Arguments of the form {@code name=value}. */
final class Options {
  private final Map<String, String> values = new HashMap<>();

  Options(String[] args) {
    for (String arg : args) {
      int equals = arg.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException("'" + arg + "'; allowed: name=value");
      }
      values.put(arg.substring(0, equals), arg.substring(equals + 1));
    }
  }

  String text(String name) {
    return values.get(name);
  }

  int number(String name, int otherwise) {
    return values.containsKey(name) ? Integer.parseInt(values.get(name)) : otherwise;
  }
}
