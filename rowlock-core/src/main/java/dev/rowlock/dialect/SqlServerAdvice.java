package dev.rowlock.dialect;

import dev.rowlock.OnDone;
import dev.rowlock.Role;
import dev.rowlock.SqlListing;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Model;
import dev.rowlock.spi.Sql;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * DDL for SQL Server. Never a filtered index: a parameter does not match its filter, and every
 * program that writes the table with QUOTED_IDENTIFIER OFF would fail (error 1934, C-093).
 */
record SqlServerAdvice(SqlServer dialect, Model model) {

  private static final int LONGEST_NAME = 120;

  List<SqlListing.Statement> all() {
    List<SqlListing.Statement> all = new ArrayList<>();
    index().ifPresent(all::add);
    groupIndex().ifPresent(all::add);
    for (SqlListing.Statement s :
        new Advice(model, "datetime2(3)", "nvarchar(4000)", "bigint").all()) {
      if (s.name().startsWith("column")) {
        all.add(
            new SqlListing.Statement(
                s.name(), s.comment(), s.sql().replaceFirst(" ADD COLUMN ", " ADD ")));
      }
    }
    return all;
  }

  private Optional<SqlListing.Statement> index() {
    List<Column> columns = new ArrayList<>();
    model.state().ifPresent(columns::add);
    if (model.state().isEmpty() && model.mapping().onDone() instanceof OnDone.Update) {
      model.role(Role.DONE_AT).ifPresent(columns::add);
    }
    int lead = columns.size();
    model.order().forEach(o -> columns.add(o.column()));
    boolean nullsInTheWay = model.order().stream().anyMatch(SqlServerClaims::nullsElsewhere);
    boolean there = lead > 0 && !nullsInTheWay ? served() : starts(columns);
    if (there) {
      return Optional.empty();
    }
    String list =
        columns.subList(0, lead).stream().map(c -> c.quoted() + ", ").collect(Collectors.joining())
            + model.order().stream()
                .map(o -> o.column().quoted() + (o.by().descending() ? " DESC" : ""))
                .collect(Collectors.joining(", "));
    return Optional.of(
        statement(
            "index for claims",
            "a claim then reads, and locks, the first rows of a range, however many rows are done",
            "claim",
            list));
  }

  /** Without it, a locked row of any other group would keep a group's rows from being claimed. */
  private Optional<SqlListing.Statement> groupIndex() {
    return model
        .role(Role.GROUP)
        .filter(g -> !starts(List.of(g)))
        .map(
            g ->
                statement(
                    "index for groups",
                    "a claim looks at the other rows of its group, and then at no others",
                    "group",
                    g.quoted()));
  }

  private boolean served() {
    return !model.table().indexes().isEmpty() && SqlServerClaims.served(model);
  }

  private boolean starts(List<Column> columns) {
    List<String> names = columns.stream().map(Column::name).toList();
    return model.table().indexes().stream()
        .anyMatch(
            i ->
                i.predicate().isEmpty()
                    && i.columns().size() >= names.size()
                    && i.columns().subList(0, names.size()).equals(names));
  }

  private SqlListing.Statement statement(
      String name, String comment, String purpose, String columns) {
    String full = "rowlock_" + model.table().name() + "_" + purpose;
    String index = full.length() <= LONGEST_NAME ? full : full.substring(0, LONGEST_NAME);
    Sql sql =
        Sql.of(
            "CREATE INDEX {index} ON {table} ({columns})",
            Map.of(
                "index",
                dialect.quote(index),
                "table",
                model.table().quoted(),
                "columns",
                columns));
    return new SqlListing.Statement(name, comment, sql.named());
  }
}
