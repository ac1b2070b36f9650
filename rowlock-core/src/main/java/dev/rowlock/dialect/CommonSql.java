package dev.rowlock.dialect;

import dev.rowlock.Fault;
import dev.rowlock.Role;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Model;
import dev.rowlock.spi.Predicates;
import dev.rowlock.spi.Table;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Fragments that are the same on every database. */
final class CommonSql {
  private CommonSql() {}

  static String keyEquals(Model model, String alias) {
    return model.key().stream()
        .map(c -> c.of(alias) + " = " + model.dialect().typed(":" + model.parameter("key", c), c))
        .collect(Collectors.joining(" AND "));
  }

  /**
   * The claim order; {@code sayNulls} tells where the place of NULL is not what the database does
   * anyway.
   */
  static String order(Model model, String alias, Predicate<Model.OrderItem> sayNulls) {
    return model.order().stream()
        .map(
            item ->
                item.column().of(alias)
                    + (item.by().descending() ? " DESC" : "")
                    + (item.column().nullable() && sayNulls.test(item)
                        ? item.by().nullsFirst() ? " NULLS FIRST" : " NULLS LAST"
                        : ""))
        .collect(Collectors.joining(", "));
  }

  static Map<String, String> insertFragments(Model model, List<Column> columns) {
    Map<String, String> f = model.fragments();
    f.put("columns", columns.stream().map(Column::quoted).collect(Collectors.joining(", ")));
    StringBuilder values = new StringBuilder();
    for (int i = 0; i < columns.size(); i++) {
      values.append(i == 0 ? "" : ", ").append(model.dialect().typed(":v" + i, columns.get(i)));
    }
    f.put("values", values.toString());
    return f;
  }

  static Map<String, String> statsFragments(
      Model model, Function<Column, String> due, UnaryOperator<String> age) {
    Map<String, String> f = model.fragments();
    f.put("state", new Predicates(model).rowState("q"));
    f.put("due", model.role(Role.RUN_AT).map(due).orElse("NULL"));
    f.put("age", model.has(Role.RUN_AT) ? age.apply("rowlock_due") : "NULL");
    return f;
  }

  static Map<String, String> lookFragments(Model model) {
    Map<String, String> f = model.fragments();
    f.put("state", new Predicates(model).rowState("q"));
    for (String alias : List.of("q", "s")) {
      f.put(
          alias + ".columns",
          model.everything().stream()
              .map(c -> shown(model, alias, c))
              .collect(Collectors.joining(", ")));
    }
    f.put("key=", keyEquals(model, "q"));
    return f;
  }

  /** The archived row has the values that a completed row would have. */
  static void archiveFragments(Model model, Map<String, String> f, Map<Column, String> set) {
    Table archive = model.archive().orElseThrow();
    Map<String, String> columns = new LinkedHashMap<>();
    for (Column c : model.table().columns().values()) {
      Column target = archive.columns().get(c.name());
      if (target != null && target.writable()) {
        columns.put(c.quoted(), set.getOrDefault(c, c.of("t")) + " AS " + c.quoted());
      }
    }
    f.put("archive", archive.quoted());
    f.put("archive.columns", String.join(", ", columns.keySet()));
    f.put("archive.select", String.join(", ", columns.values()));
  }

  /** Times are shown as the database prints them. */
  private static String shown(Model model, String alias, Column column) {
    return switch (column.kind()) {
      case INSTANT, LOCAL_TIMESTAMP, DATE, TIME, OTHER, JSON ->
          model.dialect().text(column.of(alias), column) + " AS " + column.quoted();
      default -> column.of(alias);
    };
  }

  /** Sorts what the standard's SQLSTATE classes and JDBC's exception types say. */
  static Fault classify(SQLException e) {
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    if (state.startsWith("08")
        || e instanceof SQLRecoverableException
        || e instanceof SQLNonTransientConnectionException
        || e instanceof SQLTransientConnectionException) {
      return Fault.CONNECTION;
    }
    if (e instanceof SQLTimeoutException) {
      return Fault.TIMEOUT;
    }
    return switch (state.length() < 2 ? "" : state.substring(0, 2)) {
      case "40" -> Fault.SERIALIZATION;
      case "22", "21" -> Fault.DATA;
      case "23", "44" -> Fault.CONSTRAINT;
      case "28" -> Fault.PRIVILEGE;
      default -> Fault.OTHER;
    };
  }
}
