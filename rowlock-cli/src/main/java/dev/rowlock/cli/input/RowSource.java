package dev.rowlock.cli.input;

import dev.rowlock.ConfigurationException;
import dev.rowlock.cli.Shell;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Rows of a file, one after the other. Not thread-safe. */
public abstract class RowSource implements AutoCloseable {
  /**
   * One row.
   *
   * @param source the file's name
   * @param line its line, counted from 1
   * @param header whether the names of its columns are in line 1
   * @param values column to value
   */
  public record Row(String source, long line, boolean header, Map<String, Object> values) {}

  private final Reader reader;

  RowSource(Reader reader) {
    this.reader = reader;
  }

  /** The next row; empty at the end. */
  public final Optional<Row> next() throws IOException {
    try {
      return read();
    } catch (CharacterCodingException e) {
      throw new ConfigurationException(name() + ": is not UTF-8 text", e);
    }
  }

  abstract Optional<Row> read() throws IOException;

  abstract String name();

  @Override
  public final void close() throws IOException {
    reader.close();
  }

  /**
   * Opens a file, or standard input for {@code -}.
   *
   * @param format {@code csv} or {@code jsonl}; by default told by the name or the first character
   */
  public static RowSource open(Shell shell, String path, Optional<String> format)
      throws IOException {
    boolean input = path.equals("-");
    String name = input ? "standard input" : path;
    String kind = format.orElseGet(() -> byName(path));
    if (!kind.isEmpty() && !kind.equals("csv") && !kind.equals("jsonl")) {
      throw new ConfigurationException("--format: found '%s'; allowed: jsonl, csv".formatted(kind));
    }
    InputStream stream = input ? shell.in() : file(shell.directory().resolve(path), path);
    BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(
                stream,
                StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(java.nio.charset.CodingErrorAction.REPORT)));
    skipByteOrderMark(reader);
    boolean csv = kind.isEmpty() ? !startsWithBrace(reader) : kind.equals("csv");
    return csv ? new CsvRows(name, reader) : new JsonRows(name, reader);
  }

  private static String byName(String path) {
    return path.endsWith(".csv") ? "csv" : path.matches(".*\\.(jsonl|ndjson|json)") ? "jsonl" : "";
  }

  private static InputStream file(Path path, String shown) throws IOException {
    if (!Files.isReadable(path) || Files.isDirectory(path)) {
      throw new ConfigurationException(shown + ": there is no such file, or it cannot be read");
    }
    return Files.newInputStream(path);
  }

  private static void skipByteOrderMark(BufferedReader reader) throws IOException {
    reader.mark(1);
    if (reader.read() != '\uFEFF') {
      reader.reset();
    }
  }

  private static boolean startsWithBrace(BufferedReader reader) throws IOException {
    reader.mark(1);
    int first = reader.read();
    reader.reset();
    return first == '{' || first < 0;
  }
}
