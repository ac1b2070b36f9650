package dev.rowlock.dialect;

import dev.rowlock.Mode;
import dev.rowlock.OnDone;
import dev.rowlock.Role;
import dev.rowlock.SqlListing;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Model;
import dev.rowlock.spi.Sql;
import dev.rowlock.spi.Table;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.zip.CRC32;

/**
 * What DDL a mapping should have. The lease and worker columns stay out of every index, so that a
 * heartbeat changes no index; expired rows are found among the rows in processing, which are few.
 *
 * @param model the queue
 * @param timestamp the database's type for points in time
 * @param text its type for text
 * @param number its type for counters
 * @param nullsInIndex whether an index can say where NULL stands
 */
record Advice(Model model, String timestamp, String text, String number, boolean nullsInIndex) {

  private static final int LONGEST_NAME = 60;

  Advice(Model model, String timestamp, String text, String number) {
    this(model, timestamp, text, number, true);
  }

  List<SqlListing.Statement> all() {
    List<SqlListing.Statement> all = new ArrayList<>();
    index(all);
    if (model.mode() == Mode.LEASE) {
      column(
          all,
          Role.TOKEN,
          "claim_no",
          number + " DEFAULT 0 NOT NULL",
          "a fencing token, so that a late write of a worker that lost its row is always refused");
      if (!model.has(Role.CLAIMED_AT)) {
        column(
            all,
            Role.LEASE_UNTIL,
            "locked_until",
            timestamp + " NULL",
            "when a claim ends, so that rows of crashed workers are recovered by themselves");
      }
    }
    column(
        all,
        Role.ATTEMPTS,
        "attempts",
        "integer DEFAULT 0 NOT NULL",
        "counts attempts, so that a row that always fails becomes a dead letter");
    column(all, Role.ERROR, "last_error", text + " NULL", "the text of the last failure");
    column(
        all,
        Role.RUN_AT,
        "run_after",
        timestamp + " NULL",
        "lets failed rows wait before they are tried again");
    return all;
  }

  /**
   * A part of an index.
   *
   * @param name as the catalog has it: a column, or an expression's text
   * @param sql as it stands in CREATE INDEX
   */
  record Part(String name, String sql) {}

  private static List<Part> parts(Model.OrderItem item, Model model, String direction) {
    List<Part> own = ((StandardDialect) model.dialect()).indexed(item);
    Column column = item.column();
    return own.isEmpty() ? List.of(new Part(column.name(), column.quoted() + direction)) : own;
  }

  /** The columns that the claim index must begin with. */
  static List<String> claimIndex(Model model) {
    Set<String> columns = new LinkedHashSet<>();
    model.state().map(Column::name).ifPresent(columns::add);
    model.order().forEach(o -> parts(o, model, "").forEach(p -> columns.add(p.name())));
    return List.copyOf(columns);
  }

  /** Whether there is a whole index on the state, if there is one, and the order. */
  static boolean indexed(Model model) {
    List<String> wanted = claimIndex(model);
    return model.table().indexes().stream()
        .anyMatch(i -> i.predicate().isEmpty() && starts(i.columns(), wanted));
  }

  /**
   * Whether an index serves the claim: state and order columns in front, or a partial one on them.
   */
  static boolean served(Model model) {
    List<String> wanted = claimIndex(model);
    List<String> withoutState = wanted.subList(model.state().isPresent() ? 1 : 0, wanted.size());
    return model.table().indexes().stream()
        .anyMatch(
            i ->
                starts(i.columns(), wanted)
                        && (model.state().isPresent()
                            || i.predicate().isPresent()
                            || deletes(model))
                    || starts(i.columns(), behindDoneAt(model, wanted))
                    || (i.predicate().isPresent() && starts(i.columns(), withoutState)));
  }

  /** Without a state, and without partial indexes, unfinished rows are found by their NULL. */
  private static List<String> behindDoneAt(Model model, List<String> wanted) {
    List<String> all = new ArrayList<>();
    if (model.state().isEmpty()) {
      model.role(Role.DONE_AT).map(Column::name).ifPresent(all::add);
    }
    all.addAll(wanted);
    return all;
  }

  private static boolean deletes(Model model) {
    return !(model.mapping().onDone() instanceof OnDone.Update);
  }

  private static boolean starts(List<String> columns, List<String> wanted) {
    return columns.size() >= wanted.size() && columns.subList(0, wanted.size()).equals(wanted);
  }

  private void index(List<SqlListing.Statement> all) {
    if (served(model)) {
      return;
    }
    StandardDialect dialect = (StandardDialect) model.dialect();
    String columns =
        (model.state().isPresent() ? model.state().get().quoted() + ", " : "")
            + model.order().stream()
                .flatMap(o -> parts(o, model, direction(o)).stream())
                .map(Part::sql)
                .collect(Collectors.joining(", "));
    String partial =
        model.state().isPresent() || deletes(model) || !dialect.name().equals("postgresql")
            ? ""
            : model.role(Role.DONE_AT).map(c -> "\nWHERE " + c.quoted() + " IS NULL").orElse("");
    String lead =
        partial.isEmpty() && model.state().isEmpty() && !deletes(model)
            ? model.role(Role.DONE_AT).map(c -> c.quoted() + ", ").orElse("")
            : "";
    String sql =
        "CREATE INDEX %s (%s%s)%s"
            .formatted(dialect.indexOn(model, name("claim")), lead, columns, partial);
    all.add(
        statement(
            "index for claims",
            "a claim then reads the first rows of a range, however many rows are done",
            sql));
  }

  private String direction(Model.OrderItem item) {
    String direction = item.by().descending() ? " DESC" : "";
    boolean nulls =
        nullsInIndex
            && item.column().nullable()
            && item.by().descending() != item.by().nullsFirst();
    return direction + (nulls ? item.by().nullsFirst() ? " NULLS FIRST" : " NULLS LAST" : "");
  }

  private void column(
      List<SqlListing.Statement> all, Role role, String name, String type, String reason) {
    if (model.has(role)) {
      return;
    }
    Table table = model.table();
    if (!table.find(name).isEmpty()) {
      return;
    }
    all.add(
        statement(
            "column for " + role.label(),
            reason + "; then map " + role.label() + ": " + name,
            "ALTER TABLE %s ADD COLUMN %s %s".formatted(table.quoted(), name, type)));
  }

  private static SqlListing.Statement statement(String name, String comment, String sql) {
    Sql plain = Sql.of(sql, Map.of());
    return new SqlListing.Statement(name, comment, plain.named());
  }

  /**
   * Databases cut long names silently, and two long names could become one: a check sum keeps them
   * apart.
   */
  private String name(String purpose) {
    String full = "rowlock_" + model.table().name() + "_" + purpose;
    if (full.getBytes(StandardCharsets.UTF_8).length <= LONGEST_NAME) {
      return full;
    }
    CRC32 sum = new CRC32();
    sum.update(full.getBytes(StandardCharsets.UTF_8));
    return "rowlock_%s_%08x".formatted(purpose, sum.getValue());
  }
}
