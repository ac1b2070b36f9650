package dev.rowlock.dialect;

import dev.rowlock.Mapping;
import dev.rowlock.Mode;
import dev.rowlock.OnDone;
import dev.rowlock.Role;
import dev.rowlock.State;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Model;
import dev.rowlock.spi.Table;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Tables as the catalog would describe them, and the queues on them: the matrix of the tests. */
final class SqlServerTables {
  private SqlServerTables() {}

  /** A table under construction. */
  static final class Spec {
    private final String schema;
    private final String name;
    private final Map<String, Column> columns = new LinkedHashMap<>();
    private final List<Table.Index> indexes = new ArrayList<>();
    private final Mapping.Builder mapping;
    private Mode mode = Mode.LEASE;
    private Table archive;

    Spec(String schema, String name) {
      this.schema = schema;
      this.name = name;
      this.mapping = Mapping.table(quoted(schema) + "." + quoted(name));
    }

    private static String quoted(String name) {
      return '"' + name.replace("\"", "\"\"") + '"';
    }

    /** A column: {@code bigint}, {@code nvarchar(20)}, {@code datetime2(3)}; null, not null… */
    Spec column(String column, String type) {
      String base = type.replaceAll("[( ].*", "");
      String size = type.matches(".*\\(.*\\).*") ? type.replaceAll(".*\\((.*)\\).*", "$1") : "0";
      boolean max = size.equals("max");
      String[] sizes = max ? new String[] {"-1"} : size.split(", *");
      int first = Integer.parseInt(sizes[0]);
      int length = max ? -1 : base.startsWith("n") ? 2 * first : first;
      int scale = sizes.length > 1 ? Integer.parseInt(sizes[1]) : first;
      String collation =
          type.contains(" collate ") ? type.replaceAll(".* collate ([^ ]+).*", "$1") : "";
      boolean generated = type.contains("identity") || type.contains(" as ");
      columns.put(
          column,
          new Column(
              column,
              new SqlServer().quote(column),
              SqlServerTypes.kind(base),
              SqlServerTypes.declared(base, length, first, scale, collation),
              SqlServerTypes.size(base, length),
              !type.contains("not null"),
              type.contains("default") || generated,
              !generated));
      return this;
    }

    Spec index(String index, String... parts) {
      List<String> names = new ArrayList<>();
      List<String> descending = new ArrayList<>();
      for (String part : parts) {
        String column = part.replaceFirst(" desc$", "");
        names.add(column);
        if (!column.equals(part)) {
          descending.add(column);
        }
      }
      indexes.add(
          new Table.Index(index, names, Optional.empty(), java.util.Set.copyOf(descending)));
      return this;
    }

    Spec map(Consumer<Mapping.Builder> more) {
      more.accept(mapping);
      return this;
    }

    Spec role(Role role, String column, String type) {
      mapping.column(role, column);
      return column(column, type);
    }

    Spec transactional() {
      mode = Mode.TRANSACTIONAL;
      return this;
    }

    Spec archive(Table table) {
      archive = table;
      return this;
    }

    Table table() {
      SqlServer dialect = new SqlServer();
      return new Table(
          dialect.quote(schema) + "." + dialect.quote(name),
          name,
          columns,
          indexes.isEmpty() ? List.of() : List.of(indexes.get(0).columns()),
          indexes,
          List.of(),
          List.of());
    }

    Model model() {
      return new Model(
          mapping.build(), mode, table(), Optional.ofNullable(archive), new SqlServer());
    }
  }

  /** The table of the guide, with its index and nothing more. */
  static Spec guide() {
    return new Spec("dbo", "Table_Queue")
        .column("Id", "bigint not null identity")
        .column("Status", "nvarchar(20) not null default")
        .role(Role.CLAIMED_AT, "ProcessingStartedAt", "datetime2(3) null")
        .role(Role.ATTEMPTS, "RetryCount", "int not null default")
        .index("PK_Queue", "Id")
        .index("IX_Queue_Status_Id", "Status", "Id")
        .map(
            m ->
                m.key("Id")
                    .state(
                        new State(
                            "Status",
                            List.of("Pending", "Failed"),
                            Optional.of("Processing"),
                            Optional.of("Success"),
                            Optional.of("Failed"),
                            Optional.empty())));
  }

  /** The same with a fencing token. */
  static Spec fenced() {
    return guide().role(Role.TOKEN, "ClaimNo", "bigint not null default");
  }

  private static Spec jobs(String keyType) {
    return new Spec("dbo", "jobs")
        .column("id", keyType + " not null")
        .column("state", "varchar(20) not null")
        .role(Role.TOKEN, "claim_no", "bigint not null default")
        .role(Role.LEASE_UNTIL, "lease_until", "datetime2(3) null")
        .index("pk", "id")
        .index("ix", "state", "id")
        .map(
            m ->
                m.key("id")
                    .state(State.of("state", "ready", "processing", "done").withDead("dead")));
  }

  private static Spec full() {
    return new Spec("app", "article_claim_demo")
        .column("id", "bigint not null identity")
        .column("state", "nvarchar(20) not null default")
        .column("title", "nvarchar(400)")
        .column("rendered_title", "nvarchar(max)")
        .column("pages", "int")
        .role(Role.TOKEN, "claim_no", "bigint not null default")
        .role(Role.ATTEMPTS, "retry_count", "int not null default")
        .role(Role.MAX_ATTEMPTS, "max_tries", "int null")
        .role(Role.CLAIMED_AT, "processing_started_at", "datetime2(7) null")
        .role(Role.LEASE_UNTIL, "locked_until", "datetime2(7) null")
        .role(Role.WORKER, "locked_by", "nvarchar(100) null")
        .role(Role.RUN_AT, "run_after", "datetime2(7) not null default")
        .role(Role.PRIORITY, "prio", "int not null default")
        .role(Role.ERROR, "last_error", "nvarchar(2000) null")
        .role(Role.DONE_AT, "done_at", "datetime2(7) null")
        .role(Role.DEAD_AT, "dead_at", "datetime2(7) null")
        .index("pk", "id")
        .index("ix_claim", "state", "prio", "run_after", "id")
        .map(
            m ->
                m.key("id")
                    .state(State.of("state", "ready", "processing", "done").withDead("dead"))
                    .read("title")
                    .write("rendered_title", "pages"));
  }

  /** Every mapping by its name, which is the golden file's. */
  static Map<String, Model> all() {
    Map<String, Model> all = new LinkedHashMap<>();
    all.put("guide", guide().model());
    all.put("guide-fenced", fenced().model());
    all.put("full", full().model());
    all.put("full-no-index", withoutIndex(full()).model());
    all.put("minimal", minimal().model());
    all.put("group", full().role(Role.GROUP, "author", "nvarchar(60) null").model());
    all.put("transactional", full().transactional().model());
    all.put("outbox", outbox().model());
    all.put("markers", markers().model());
    all.put("visibility-timeout", visibility().model());
    all.put("delete-on-done", jobs("bigint").map(m -> m.onDone(OnDone.delete())).model());
    all.put("archive", archive().model());
    all.put(
        "where",
        jobs("bigint")
            .column("lang", "varchar(5)")
            .map(m -> m.where("lang = 'ru' -- only"))
            .model());
    all.put("key-composite", composite().model());
    for (String type :
        List.of(
            "varchar(36)",
            "nvarchar(36)",
            "char(10)",
            "uniqueidentifier",
            "decimal(20, 0)",
            "varbinary(16)",
            "varchar(20) collate Cyrillic_General_CI_AS")) {
      all.put(
          "key-" + type.replaceAll("[^A-Za-z0-9]+", "-").replaceAll("-$", ""), jobs(type).model());
    }
    for (String type : List.of("datetime", "datetime2(0)", "datetimeoffset(3)")) {
      all.put(
          "time-" + type.replaceAll("[^A-Za-z0-9]+", "-").replaceAll("-$", ""),
          times(type).model());
    }
    all.put(
        "time-zone",
        times("datetime2(3)").map(m -> m.timeZone(ZoneId.of("Europe/Berlin"))).model());
    all.put(
        "time-offset", times("datetime2(3)").map(m -> m.timeZone(ZoneId.of("Etc/GMT-5"))).model());
    all.put("odd-names", odd().model());
    all.put("unnatural-order", unnatural().model());
    all.put("descending", descending().model());
    return all;
  }

  private static Spec withoutIndex(Spec spec) {
    spec.indexes.removeIf(i -> i.name().equals("ix_claim"));
    return spec;
  }

  private static Spec minimal() {
    return new Spec("dbo", "jobs")
        .column("id", "int not null")
        .column("state", "tinyint not null")
        .index("pk", "id")
        .map(m -> m.key("id").state("state", "0", "1", "2"));
  }

  private static Spec outbox() {
    return new Spec("dbo", "outbox")
        .column("id", "bigint not null identity")
        .column("payload", "xml")
        .role(Role.DONE_AT, "processed_at", "datetime2(7) null")
        .index("pk", "id")
        .index("ix", "processed_at", "id")
        .map(m -> m.key("id").read("payload"))
        .transactional();
  }

  private static Spec markers() {
    return new Spec("dbo", "outbox")
        .column("id", "bigint not null identity")
        .role(Role.DONE_AT, "processed_at", "datetime2(7) null")
        .role(Role.CLAIMED_AT, "claimed_at", "datetime2(7) null")
        .index("pk", "id")
        .index("ix", "processed_at", "id")
        .map(m -> m.key("id"));
  }

  private static Spec visibility() {
    return new Spec("dbo", "messages")
        .column("id", "bigint not null identity")
        .role(Role.DONE_AT, "done_at", "datetime2(3) null")
        .role(Role.RUN_AT, "visible_at", "datetime2(3) not null default")
        .role(Role.LEASE_UNTIL, "visible_at", "datetime2(3) not null default")
        .role(Role.ATTEMPTS, "attempts", "int not null default")
        .role(Role.TOKEN, "claim_no", "bigint not null default")
        .index("pk", "id")
        .index("ix", "done_at", "visible_at", "id")
        .map(m -> m.key("id"));
  }

  private static Spec archive() {
    Spec kept =
        new Spec("hist", "jobs")
            .column("id", "bigint not null")
            .column("state", "varchar(20)")
            .column("lease_until", "datetime2(3)");
    return jobs("bigint").archive(kept.table()).map(m -> m.onDone(OnDone.archive("hist.jobs")));
  }

  private static Spec composite() {
    return new Spec("dbo", "jobs")
        .column("tenant", "varchar(20) not null")
        .column("no", "int not null")
        .column("state", "bit not null")
        .role(Role.ATTEMPTS, "attempts", "smallint not null default")
        .role(Role.LEASE_UNTIL, "until", "datetimeoffset(7)")
        .index("pk", "tenant", "no")
        .index("ix", "state", "tenant", "no")
        .map(
            m ->
                m.key("tenant", "no")
                    .state(
                        new State(
                            "state",
                            List.of("false"),
                            Optional.of("true"),
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty()))
                    .onDone(OnDone.delete()));
  }

  private static Spec times(String type) {
    return jobs("bigint")
        .role(Role.LEASE_UNTIL, "lease_until", type + " null")
        .role(Role.RUN_AT, "run_at", type + " not null")
        .index("by_time", "state", "run_at", "id");
  }

  private static Spec odd() {
    return new Spec("Ops Queue", "Order [x] {y} :z ? it's")
        .column("Id]", "bigint not null")
        .column("État", "nvarchar(20) not null")
        .role(Role.TOKEN, "a\"b", "bigint not null default")
        .role(Role.LEASE_UNTIL, "from?", "datetime2(7)")
        .index("pk", "Id]")
        .index("ix", "État", "Id]")
        .map(m -> m.key("Id]").state("État", "prêt", "pris", "fini"));
  }

  private static Spec unnatural() {
    return jobs("bigint")
        .role(Role.PRIORITY, "prio", "int null")
        .index("by_prio", "state", "prio", "id")
        .map(m -> m.order("prio", "id"));
  }

  private static Spec descending() {
    return jobs("bigint")
        .role(Role.PRIORITY, "prio", "int not null")
        .index("by_prio", "state", "prio desc", "id")
        .map(m -> m.order("prio desc", "id"));
  }
}
