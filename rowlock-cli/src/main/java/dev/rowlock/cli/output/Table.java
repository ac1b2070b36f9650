package dev.rowlock.cli.output;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** A table for people. Not thread-safe. */
public final class Table {
  private static final int WIDEST = 48;

  private final List<String> header;
  private final List<List<String>> rows = new ArrayList<>();
  private final boolean[] numbers;

  /** With column names. */
  public Table(String... header) {
    this(Arrays.asList(header));
  }

  /** With column names. */
  public Table(List<String> header) {
    this.header = header.stream().map(Table::cell).toList();
    numbers = new boolean[header.size()];
    Arrays.fill(numbers, true);
  }

  /** Adds a row; columns that hold numbers alone are set to the right. */
  public Table row(Object... values) {
    List<String> cells = new ArrayList<>();
    for (int i = 0; i < values.length; i++) {
      numbers[i] &= values[i] == null || values[i] instanceof Number;
      cells.add(cell(values[i]));
    }
    rows.add(cells);
    return this;
  }

  /** Prints it, indented by as many spaces. */
  public void print(PrintStream out, int indent) {
    int[] widths = new int[header.size()];
    for (List<String> row : all()) {
      for (int i = 0; i < row.size(); i++) {
        widths[i] = Math.max(widths[i], length(row.get(i)));
      }
    }
    for (List<String> row : all()) {
      StringBuilder line = new StringBuilder(" ".repeat(indent));
      for (int i = 0; i < row.size(); i++) {
        String padding = " ".repeat(widths[i] - length(row.get(i)));
        line.append(i == 0 ? "" : "  ");
        line.append(numbers[i] ? padding + row.get(i) : row.get(i) + padding);
      }
      out.println(line.toString().stripTrailing());
    }
  }

  private List<List<String>> all() {
    List<List<String>> all = new ArrayList<>();
    all.add(header);
    all.addAll(rows);
    return all;
  }

  private static int length(String text) {
    return text.codePointCount(0, text.length());
  }

  private static String cell(Object value) {
    String text = text(value);
    int end = text.offsetByCodePoints(0, Math.min(WIDEST, length(text)));
    return end < text.length() ? text.substring(0, end) + "…" : text;
  }

  /** A value as one line of text that does nothing to a terminal. */
  public static String text(Object value) {
    if (value == null) {
      return "∅";
    }
    String text =
        value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : value.toString();
    StringBuilder safe = new StringBuilder();
    text.chars()
        .forEach(
            c -> safe.append(Character.isISOControl(c) ? escape(c) : String.valueOf((char) c)));
    return safe.toString();
  }

  private static String escape(int c) {
    return switch (c) {
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      default -> "\\x%02x".formatted(c);
    };
  }
}
