package dev.rowlock.cli.input;

import dev.rowlock.cli.output.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.Optional;

/** JSON lines: an object of column and value in each; empty lines are passed over. */
final class JsonRows extends RowSource {
  private final String name;
  private final BufferedReader reader;
  private long line;

  JsonRows(String name, BufferedReader reader) {
    super(reader);
    this.name = name;
    this.reader = reader;
  }

  @Override
  Optional<Row> read() throws IOException {
    for (String text = reader.readLine(); text != null; text = reader.readLine()) {
      line++;
      if (!text.isBlank()) {
        return Optional.of(new Row(name, line, false, Json.row(text, name + ":" + line)));
      }
    }
    return Optional.empty();
  }

  @Override
  String name() {
    return name;
  }
}
