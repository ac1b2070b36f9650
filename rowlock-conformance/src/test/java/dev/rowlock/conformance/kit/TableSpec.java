package dev.rowlock.conformance.kit;

import dev.rowlock.Mapping;
import dev.rowlock.Mode;
import dev.rowlock.QueueBuilder;
import dev.rowlock.RetryPolicy;
import dev.rowlock.Role;
import dev.rowlock.State;
import dev.rowlock.conformance.Bench;
import dev.rowlock.conformance.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * A table and what its columns mean, told once: it is created in the database at hand and mapped.
 * Every name is quoted, so it is what it looks like on every database.
 */
public final class TableSpec {
  private final Bench bench;
  private final TestDatabase db;
  private final String name;
  private final Mapping.Builder mapping;
  private final List<String> key = new ArrayList<>();
  private final Map<String, String> columns = new LinkedHashMap<>();
  private final Map<Role, String> roles = new LinkedHashMap<>();
  private final List<String> constraints = new ArrayList<>();
  private final List<UnaryOperator<QueueBuilder>> settings = new ArrayList<>();
  private String suffix = "";
  private String stateColumn;

  public TableSpec(Bench bench, String schema, String name) {
    this.bench = bench;
    this.db = bench.db();
    this.name = schema == null ? db.quote(name) : db.quote(schema) + "." + db.quote(name);
    this.mapping = Mapping.table((schema == null ? "" : mapped(schema) + ".") + mapped(name));
  }

  private static String mapped(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  /** A bigint key. */
  public TableSpec key(String column) {
    return key(column, db.bigintType());
  }

  /** One more key column. */
  public TableSpec key(String column, String type) {
    key.add(column);
    return column(column, type + " not null");
  }

  /** A column {@code state} with ready, processing, done and, for dead letters, dead. */
  public TableSpec state() {
    return state(State.of("state", "ready", "processing", "done").withDead("dead"));
  }

  /** A state column of text, with the first ready value as its default. */
  public TableSpec state(State state) {
    String ready = state.ready().get(0);
    String standard = ready == null ? "" : " default " + db.literal(ready) + " not null";
    return state(state, db.varcharType(20) + standard);
  }

  public TableSpec state(State state, String definition) {
    mapping.state(state);
    stateColumn = state.column();
    return column(state.column(), definition);
  }

  /** Columns for roles, with the names and types that people give them. */
  public TableSpec with(Role... wanted) {
    for (Role role : wanted) {
      String time = db.timestampType();
      switch (role) {
        case ATTEMPTS -> with(role, "attempts", db.intType() + " default 0 not null");
        case MAX_ATTEMPTS -> with(role, "max_attempts", db.intType());
        case CLAIMED_AT -> with(role, "claimed_at", time);
        case LEASE_UNTIL -> with(role, "lease_until", time);
        case TOKEN -> with(role, "claim_no", db.bigintType() + " default 0 not null");
        case WORKER -> with(role, "worker", db.varcharType(100));
        case RUN_AT -> with(role, "run_at", time);
        case PRIORITY -> with(role, "priority", db.intType());
        case GROUP -> with(role, "grp", db.varcharType(40));
        case ERROR -> with(role, "last_error", db.varcharType(200));
        case DONE_AT -> with(role, "done_at", time);
        case DEAD_AT -> with(role, "dead_at", time);
      }
    }
    return this;
  }

  /** A column for a role. */
  public TableSpec with(Role role, String column, String definition) {
    mapping.column(role, column);
    roles.put(role, column);
    return columns.containsKey(column) ? this : column(column, definition);
  }

  /** Fence, lease, attempts, worker, delay and error text: what a careful owner maps. */
  public TableSpec full() {
    return key("id")
        .state()
        .with(Role.TOKEN, Role.ATTEMPTS, Role.LEASE_UNTIL, Role.WORKER, Role.RUN_AT, Role.ERROR);
  }

  /** A column without a role. */
  public TableSpec column(String column, String definition) {
    columns.put(column, definition);
    return this;
  }

  /** A column that claims return. */
  public TableSpec read(String column, String definition) {
    reads.add(column);
    mapping.read(reads.toArray(String[]::new));
    return column(column, definition);
  }

  private final List<String> reads = new ArrayList<>();
  private final List<String> writes = new ArrayList<>();

  /** A column that handlers set. */
  public TableSpec write(String column, String definition) {
    writes.add(column);
    mapping.write(writes.toArray(String[]::new));
    return column(column, definition);
  }

  /** A table constraint, in SQL. */
  public TableSpec constraint(String sql) {
    constraints.add(sql);
    return this;
  }

  /** What follows the closing bracket, in SQL. */
  public TableSpec suffix(String sql) {
    suffix = " " + sql;
    return this;
  }

  public TableSpec map(Consumer<Mapping.Builder> more) {
    more.accept(mapping);
    return this;
  }

  public TableSpec queue(UnaryOperator<QueueBuilder> more) {
    settings.add(more);
    return this;
  }

  public TableSpec lease(Duration lease) {
    return queue(q -> q.lease(lease));
  }

  public TableSpec retry(RetryPolicy retry) {
    return queue(q -> q.retry(retry));
  }

  public TableSpec transactional() {
    return queue(q -> q.mode(Mode.TRANSACTIONAL));
  }

  /** Creates the table; the queue on it is built when it is first asked for. */
  public TestTable create() {
    String body =
        columns.entrySet().stream()
            .map(e -> db.quote(e.getKey()) + " " + e.getValue())
            .collect(Collectors.joining(", "));
    String primary = key.stream().map(db::quote).collect(Collectors.joining(", "));
    List<String> more = new ArrayList<>(constraints);
    if (!key.isEmpty() && !noPrimaryKey) {
      more.add(0, "primary key (" + primary + ")");
    }
    String tail = more.isEmpty() ? "" : ", " + String.join(", ", more);
    bench.schema().execute("create table " + name + " (" + body + tail + ")" + suffix);
    return existing();
  }

  private boolean noPrimaryKey;

  /** The mapping's key is not a key of the table. */
  public TableSpec withoutPrimaryKey() {
    noPrimaryKey = true;
    return this;
  }

  /** For a table that is there already: a view, a partitioned table. */
  public TestTable existing() {
    if (!key.isEmpty()) {
      mapping.key(key.toArray(String[]::new));
    }
    return new TestTable(bench, name, key, stateColumn, roles, mapping.build(), settings);
  }
}
