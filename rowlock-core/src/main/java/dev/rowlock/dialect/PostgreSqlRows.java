package dev.rowlock.dialect;

import dev.rowlock.spi.Assignments;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Kind;
import dev.rowlock.spi.Model;
import dev.rowlock.spi.Predicates;
import dev.rowlock.spi.Write;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;

/** Fragments of fenced writes: values as parameters for one row, as columns of arrays for many. */
record PostgreSqlRows(PostgreSql dialect, Model model) {

  private static final Column BIGINT =
      new Column("", "", Kind.INTEGER, "bigint", 0, true, false, true);

  Map<String, String> oneFragments(Write write) {
    BiFunction<String, Column, String> parameter = (name, c) -> typed(":" + name, name, c);
    return fragments(write, parameter);
  }

  Map<String, String> manyFragments(Write write) {
    Set<String> names = new LinkedHashSet<>();
    Map<String, String> f = fragments(write, element(names));
    arrays(f, names);
    return f;
  }

  Map<String, String> extendFragments() {
    Set<String> names = new LinkedHashSet<>();
    BiFunction<String, Column, String> element = element(names);
    Map<String, String> f = model.fragments();
    f.put("current", new Predicates(model).current("t", element));
    f.put("set", Assignments.sql(new Assignments(model, "t", element).extend()));
    arrays(f, names);
    return f;
  }

  private BiFunction<String, Column, String> element(Set<String> names) {
    return (name, c) -> {
      names.add(name);
      Column target = c == Column.NUMBER ? BIGINT : c;
      return typed("g." + dialect.quote(name), name, target);
    };
  }

  /** An error goes into a json column as a JSON string, whatever its text. */
  private String typed(String expression, String name, Column column) {
    boolean json = name.equals("error") && column.kind() == Kind.JSON;
    return json
        ? "CAST(to_jsonb(CAST(" + expression + " AS text)) AS " + column.type() + ")"
        : dialect.typed(expression, column);
  }

  private static void arrays(Map<String, String> f, Set<String> names) {
    List<String> arrays = new ArrayList<>();
    List<String> quoted = new ArrayList<>();
    for (String name : names) {
      arrays.add("CAST(:" + name + " AS text[])");
      quoted.add("\"" + name + "\"");
    }
    f.put("arrays", String.join(", ", arrays));
    f.put("names", String.join(", ", quoted));
  }

  private Map<String, String> fragments(Write write, BiFunction<String, Column, String> reference) {
    Map<String, String> f = model.fragments();
    f.put("current", new Predicates(model).current("t", reference));
    Map<Column, String> set = new Assignments(model, "t", reference).write(write);
    f.put("set", Assignments.sql(set));
    if (model.archive().isPresent()) {
      StandardDialect.archive(model, f, set);
    }
    return f;
  }
}
