package dev.rowlock.cli.output;

import dev.rowlock.RowView;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** Rows to look at. */
public final class Rows {
  private Rows() {}

  /** A row as JSON. */
  public static ObjectNode json(RowView row) {
    ObjectNode object = Json.object();
    object.set("key", Json.key(row.key()));
    object.put("state", row.state().label());
    object.set("columns", Json.columns(row.columns()));
    return object;
  }

  /** Rows of one queue below each other: the state in Rowlock's words, then every mapped column. */
  public static Table table(List<RowView> rows) {
    List<String> header = new ArrayList<>(List.of("(state)"));
    header.addAll(rows.get(0).columns().keySet());
    Table table = new Table(header);
    for (RowView row : rows) {
      List<Object> cells = new ArrayList<>(List.of(row.state().label()));
      cells.addAll(row.columns().values());
      table.row(cells.toArray());
    }
    return table;
  }

  /** One row, a line for each column. */
  public static Card card(RowView row) {
    return new Card(row);
  }

  /** One row, a line for each column. */
  public record Card(RowView row) {
    /** Prints it. */
    public void print(java.io.PrintStream out, int indent) {
      int width = row.columns().keySet().stream().mapToInt(String::length).max().orElse(0);
      width = Math.max(width, "(state)".length());
      line(out, indent, width, "(state)", row.state().label());
      for (var column : row.columns().entrySet()) {
        line(out, indent, width, column.getKey(), column.getValue());
      }
    }

    private static void line(
        java.io.PrintStream out, int indent, int width, String name, Object value) {
      String padded = name + " ".repeat(width - name.length());
      out.println(" ".repeat(indent) + padded + "  " + Table.text(value));
    }
  }
}
