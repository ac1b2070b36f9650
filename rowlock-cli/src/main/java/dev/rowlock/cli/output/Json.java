package dev.rowlock.cli.output;

import dev.rowlock.ConfigurationException;
import dev.rowlock.Key;
import java.math.BigDecimal;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Between rows and JSON. */
public final class Json {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private Json() {}

  /** An empty object. */
  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** An object of a key's columns. */
  public static ObjectNode key(Key key) {
    return columns(key.values());
  }

  /** An object of columns. */
  public static ObjectNode columns(Map<String, Object> columns) {
    ObjectNode object = object();
    columns.forEach((name, value) -> object.set(name, value(value)));
    return object;
  }

  /** A value of a row: numbers are numbers, binary is hexadecimal text, the rest is text. */
  public static JsonNode value(Object value) {
    JsonNodeFactory make = JsonNodeFactory.instance;
    if (value == null) {
      return make.nullNode();
    } else if (value instanceof JsonNode node) {
      return node;
    } else if (value instanceof Boolean flag) {
      return make.booleanNode(flag);
    } else if (value instanceof Long || value instanceof Integer || value instanceof Short) {
      return make.numberNode(((Number) value).longValue());
    } else if (value instanceof BigDecimal number) {
      return make.numberNode(number);
    } else if (value instanceof Number number) {
      double d = number.doubleValue();
      return Double.isFinite(d)
          ? make.numberNode(new BigDecimal(number.toString()))
          : make.stringNode(number.toString());
    } else if (value instanceof byte[] bytes) {
      return make.stringNode(HexFormat.of().formatHex(bytes));
    }
    return make.stringNode(value.toString());
  }

  /** A document in one line. */
  public static String line(JsonNode node) {
    return MAPPER.writeValueAsString(node);
  }

  /** A text as JSON; empty if it is none. */
  public static Optional<JsonNode> parse(String text) {
    try {
      return Optional.of(MAPPER.readTree(text));
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }

  /**
   * The columns and values of a JSON object.
   *
   * @param text the object
   * @param place what a message about it begins with
   */
  public static Map<String, Object> row(String text, String place) {
    try {
      if (MAPPER.readTree(text) instanceof ObjectNode object) {
        return sqlValues(object);
      }
      throw new ConfigurationException(
          "%s: found %s; allowed: a JSON object {\"column\": value, …}"
              .formatted(place, shorten(text)));
    } catch (JacksonException e) {
      throw new ConfigurationException(
          "%s: is not JSON: %s in %s".formatted(place, reason(e), shorten(text)), e);
    }
  }

  /** What the parser says, without what only its makers understand, and where. */
  private static String reason(JacksonException e) {
    String said =
        String.valueOf(e.getOriginalMessage())
            .replaceAll("\\s+", " ")
            .replaceAll(": was expecting .*|: expected a valid value .*", "")
            .replaceAll(
                " ?\\((start marker|code|for|through|within|from) [^()]*(\\([^()]*\\))?[^()]*\\)",
                "")
            .replaceAll("\\[Source: .*", "")
            .strip();
    TokenStreamLocation at = e.getLocation();
    return at == null || at.getLineNr() < 1
        ? said
        : "%s at line %d, column %d".formatted(said, at.getLineNr(), at.getColumnNr());
  }

  private static String shorten(String text) {
    String line = text.strip().replaceAll("\\s+", " ");
    return line.length() > 40 ? line.substring(0, 40) + "…" : line.isEmpty() ? "nothing" : line;
  }

  /** Values for SQL: objects and lists are sent as JSON text. */
  private static Map<String, Object> sqlValues(ObjectNode object) {
    Map<String, Object> row = new LinkedHashMap<>();
    object.properties().forEach(entry -> row.put(entry.getKey(), sqlValue(entry.getValue())));
    return row;
  }

  private static Object sqlValue(JsonNode node) {
    if (node.isNull()) {
      return null;
    } else if (node.isString()) {
      return node.stringValue();
    } else if (node.isBoolean()) {
      return node.booleanValue();
    } else if (node.isIntegralNumber()) {
      return node.canConvertToLong() ? (Object) node.longValue() : node.decimalValue();
    } else if (node.isNumber()) {
      return node.decimalValue();
    }
    return line(node);
  }
}
