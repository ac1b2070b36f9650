package dev.rowlock.cli.command;

import dev.rowlock.ConfigurationException;
import dev.rowlock.cli.output.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** Values for columns. */
final class ColumnFlags {
  @Option(
      names = "--set",
      paramLabel = "COL=VALUE",
      description = "A column's new value; COL= is the empty text.")
  private List<String> texts;

  @Option(names = "--set-null", paramLabel = "COL", description = "A column to set to SQL NULL.")
  private List<String> nulls;

  @Option(
      names = "--set-json",
      paramLabel = "OBJECT",
      description = "Columns and values as a JSON object; lists and objects are sent as JSON text.")
  private List<String> objects;

  boolean given() {
    return texts != null || nulls != null || objects != null;
  }

  Map<String, Object> values() {
    Map<String, Object> values = new LinkedHashMap<>();
    if (objects != null) {
      for (String object : objects) {
        Json.row(object, "--set-json").forEach((column, value) -> put(values, column, value));
      }
    }
    if (texts != null) {
      texts.forEach(text -> text(values, text));
    }
    if (nulls != null) {
      nulls.forEach(column -> put(values, column, null));
    }
    return values;
  }

  private static void text(Map<String, Object> values, String text) {
    int equals = text.indexOf('=');
    if (equals < 1) {
      throw new ConfigurationException(
          "--set: found '%s'; allowed: COLUMN=VALUE (for SQL NULL: --set-null COLUMN)"
              .formatted(text));
    }
    put(values, text.substring(0, equals), text.substring(equals + 1));
  }

  private static void put(Map<String, Object> values, String column, Object value) {
    if (values.containsKey(column)) {
      throw new ConfigurationException("column '%s' is set twice".formatted(column));
    }
    values.put(column, value);
  }
}
