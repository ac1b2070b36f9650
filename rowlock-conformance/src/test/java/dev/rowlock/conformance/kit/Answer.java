package dev.rowlock.conformance.kit;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What a {@link ScriptedServer} answers to one statement: counts, rows and errors in any order, as
 * the driver would find them, and what the statement did.
 */
public final class Answer {
  private final List<Part> parts = new ArrayList<>();
  private Optional<String> effect = Optional.empty();

  /** The values of a row, in order. */
  public static final class Row {
    private final List<Object> values;

    private Row(Object... values) {
      this.values = Arrays.asList(values);
    }

    /** The value at a place, from 0. */
    public Object get(int place) {
      return values.get(place);
    }

    int size() {
      return values.size();
    }
  }

  /** One result. */
  sealed interface Part {}

  /** An update count. */
  record Count(int rows) implements Part {}

  /** Rows, perhaps with an error behind the last one. */
  record Rows(List<Row> rows, SQLException error) implements Part {}

  /** Instead of a result. */
  record Failure(SQLException error) implements Part {}

  private Answer() {}

  /** Nothing yet. */
  public static Answer of() {
    return new Answer();
  }

  /** An update count: of the statement, or of one in a trigger. */
  public Answer count(int rows) {
    parts.add(new Count(rows));
    return this;
  }

  /** A result with these rows; none for an empty one. */
  public Answer rows(Row... rows) {
    parts.add(new Rows(List.of(rows), null));
    return this;
  }

  /** A result whose rows end in an error. */
  public Answer rowsAndThen(SQLException error, Row... rows) {
    parts.add(new Rows(List.of(rows), error));
    return this;
  }

  /**
   * An error in the place of the next result. The statement's work is undone, unless the error is a
   * lost connection: then what it does is done, and nobody hears of it.
   */
  public Answer error(SQLException error) {
    parts.add(new Failure(error));
    return this;
  }

  /** What the statement did, if its transaction commits. */
  public Answer does(String what) {
    effect = Optional.of(what);
    return this;
  }

  /** One row; values may be null. */
  public static Row row(Object... values) {
    return new Row(values);
  }

  List<Part> parts() {
    return parts;
  }

  Optional<String> effect() {
    return effect;
  }
}
