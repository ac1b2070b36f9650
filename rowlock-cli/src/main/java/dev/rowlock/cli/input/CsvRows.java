package dev.rowlock.cli.input;

import dev.rowlock.ConfigurationException;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.MappingIterator;
import tools.jackson.dataformat.csv.CsvMapper;
import tools.jackson.dataformat.csv.CsvReadFeature;

/** CSV with a header. An empty cell is SQL NULL and {@code ""} is the empty text. */
final class CsvRows extends RowSource {
  private final String name;
  private final MappingIterator<List<String>> rows;
  private List<String> header;
  private long line = 1;

  CsvRows(String name, BufferedReader reader) {
    super(reader);
    this.name = name;
    rows =
        CsvMapper.builder()
            .enable(CsvReadFeature.WRAP_AS_ARRAY)
            .enable(CsvReadFeature.SKIP_EMPTY_LINES)
            .enable(CsvReadFeature.EMPTY_UNQUOTED_STRING_AS_NULL)
            .build()
            .readerForListOf(String.class)
            .readValues(reader);
  }

  @Override
  Optional<Row> read() throws IOException {
    if (header == null) {
      header = nextLine().orElse(List.of());
      checkHeader();
    }
    return nextLine().map(this::row);
  }

  private Optional<List<String>> nextLine() {
    line = Math.max(1, rows.currentLocation().getLineNr());
    try {
      return rows.hasNextValue() ? Optional.of(rows.nextValue()) : Optional.empty();
    } catch (JacksonException e) {
      throw new ConfigurationException(
          "%s:%d: is not CSV: %s"
              .formatted(name, line, e.getOriginalMessage().replaceAll("\\s+", " ")),
          e);
    }
  }

  private void checkHeader() {
    HashSet<String> seen = new HashSet<>();
    for (String column : header) {
      if (column == null || column.isBlank() || !seen.add(column)) {
        throw new ConfigurationException(
            "%s:1: the header has %s; allowed: each column's name once"
                .formatted(
                    name,
                    column == null || column.isBlank()
                        ? "an empty name"
                        : "'" + column + "' twice"));
      }
    }
  }

  private Row row(List<String> cells) {
    if (cells.size() != header.size()) {
      throw new ConfigurationException(
          "%s:%d: %d cells, but the header has %d"
              .formatted(name, line, cells.size(), header.size()));
    }
    Map<String, Object> values = new LinkedHashMap<>();
    for (int i = 0; i < header.size(); i++) {
      values.put(header.get(i), cells.get(i));
    }
    return new Row(name, line, true, values);
  }

  @Override
  String name() {
    return name;
  }
}
