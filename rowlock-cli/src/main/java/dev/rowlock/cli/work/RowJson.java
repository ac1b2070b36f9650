package dev.rowlock.cli.work;

import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.Mapping;
import dev.rowlock.Outcome;
import dev.rowlock.cli.output.Json;
import dev.rowlock.cli.output.JsonColumns;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a handler outside this process is given and gives back. Thread-safe. */
public final class RowJson {
  private final Mapping mapping;
  private final JsonColumns documents;

  /** For a mapping. */
  public RowJson(Mapping mapping, JsonColumns documents) {
    this.mapping = mapping;
    this.documents = documents;
  }

  /** The row's key and read columns as one JSON object in one line. */
  String input(Claim claim) {
    Map<String, Object> all = new LinkedHashMap<>(claim.key().values());
    all.putAll(documents.row(claim));
    return Json.line(Json.columns(all));
  }

  /** The key as one text: the value itself, or a JSON object if the key has several columns. */
  static String key(Claim claim) {
    Map<String, Object> values = claim.key().values();
    return values.size() == 1
        ? Json.value(values.values().iterator().next()).asString()
        : Json.line(Json.key(claim.key()));
  }

  /**
   * What the handler's answer says: no text means no results; anything but a JSON object of write
   * columns is a failed attempt.
   *
   * @param answer what it printed or sent
   * @param who the subject of a message, for example "the command printed"
   */
  Outcome done(String answer, String who) {
    if (answer.isBlank()) {
      return Outcome.done();
    }
    Map<String, Object> results;
    try {
      results = Json.row(answer, who);
    } catch (ConfigurationException e) {
      return Outcome.retry(e.getMessage());
    }
    for (String column : results.keySet()) {
      if (mapping.write().stream().noneMatch(column::equalsIgnoreCase)) {
        return Outcome.retry(unknown(column, who));
      }
    }
    return Outcome.done(results);
  }

  private String unknown(String column, String who) {
    List<String> write = mapping.write();
    return "%s: column '%s' is no write column; allowed: %s"
        .formatted(
            who, column, write.isEmpty() ? "none (map write columns)" : String.join(", ", write));
  }
}
