package dev.rowlock.cli.config;

import dev.rowlock.Mode;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.function.Predicate;

/** What a setting may hold. */
enum Kind {
  TABLE(false, "a table, or schema.table", text -> !text.isBlank()),
  COLUMN(false, "a column", text -> !text.isBlank()),
  COLUMNS(true, "a column, or a list of columns", text -> !text.isBlank()),
  ORDER(
      true,
      "a column or a list of columns, each with [asc|desc] [nulls first|last]",
      text -> !text.isBlank()),
  VALUE(false, "a value of the state column", text -> true),
  VALUES(true, "a value of the state column, or a list of values; null is SQL NULL", text -> true),
  SQL(false, "an SQL predicate", text -> !text.isBlank()),
  DURATION(false, Durations.ALLOWED, text -> Durations.parse(text).isPresent()),
  LEASE(false, Durations.ALLOWED + ", 1 ms or more", Kind::lease),
  COUNT(false, "a whole number, 1 or more", Kind::count),
  FACTOR(false, "a number, 1 or more", text -> number(text, 1, Double.MAX_VALUE)),
  SHARE(false, "a number from 0 to 1", text -> number(text, 0, 1)),
  MODE(false, "lease or transactional", text -> mode(text) != null),
  ON_DONE(false, "update, delete, or { archive: TABLE }", Kind::onDone),
  ZONE(false, "a time zone such as UTC or Europe/Paris", Kind::zone);

  final boolean list;
  final String allowed;
  private final Predicate<String> test;

  Kind(boolean list, String allowed, Predicate<String> test) {
    this.list = list;
    this.allowed = allowed;
    this.test = test;
  }

  /** Refuses a value that does not fit, and says what does. */
  void check(Value value) {
    for (String item : value.items()) {
      if (item == null && this != VALUES) {
        throw value.origin().refuse("null", allowed);
      }
      if (item != null && !test.test(item)) {
        throw value.origin().refuse("'" + item + "'", allowed);
      }
    }
  }

  static Mode mode(String text) {
    for (Mode mode : Mode.values()) {
      if (mode.label().equals(text)) {
        return mode;
      }
    }
    return null;
  }

  private static boolean onDone(String text) {
    boolean archive = text.startsWith("archive:") && !text.substring(8).isBlank();
    return archive || text.equals("update") || text.equals("delete");
  }

  private static boolean lease(String text) {
    return Durations.parse(text).filter(d -> d.toMillis() >= 1).isPresent();
  }

  private static boolean count(String text) {
    try {
      return Integer.parseInt(text) >= 1;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  private static boolean number(String text, double least, double most) {
    try {
      double number = Double.parseDouble(text);
      return number >= least && number <= most;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  private static boolean zone(String text) {
    try {
      ZoneId.of(text);
      return true;
    } catch (DateTimeException e) {
      return false;
    }
  }
}
