package dev.rowlock.conformance.kit;

import dev.rowlock.Mapping;
import dev.rowlock.Queue;
import dev.rowlock.QueueBuilder;
import dev.rowlock.Role;
import dev.rowlock.conformance.Bench;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import javax.sql.DataSource;

/**
 * A table of a test: the queue on it, and what is really in it, seen through a connection of its
 * own that Rowlock knows nothing about.
 */
public final class TestTable {
  private final Bench bench;
  private final String name;
  private final List<String> key;
  private final String state;
  private final Map<Role, String> roles;
  private final Mapping mapping;
  private final List<UnaryOperator<QueueBuilder>> settings;
  private Queue queue;

  /** SQL that is no literal. */
  public record Raw(String sql) {}

  TestTable(
      Bench bench,
      String name,
      List<String> key,
      String state,
      Map<Role, String> roles,
      Mapping mapping,
      List<UnaryOperator<QueueBuilder>> settings) {
    this.bench = bench;
    this.name = name;
    this.key = key;
    this.state = state;
    this.roles = roles;
    this.mapping = mapping;
    this.settings = settings;
  }

  /** The name as it stands in SQL. */
  public String name() {
    return name;
  }

  public Mapping mapping() {
    return mapping;
  }

  /** The queue on the test's pool; always the same. */
  public synchronized Queue queue() {
    if (queue == null) {
      queue = queue(bench.pool());
    }
    return queue;
  }

  /** One more queue: another process that works the same table. */
  public Queue queue(DataSource dataSource) {
    return queue(dataSource, q -> q);
  }

  /** One more queue, with other settings. */
  public Queue queue(UnaryOperator<QueueBuilder> more) {
    return queue(bench.pool(), more);
  }

  public Queue queue(DataSource dataSource, UnaryOperator<QueueBuilder> more) {
    QueueBuilder builder = Queue.builder("test", dataSource, mapping);
    for (UnaryOperator<QueueBuilder> setting : settings) {
      builder = setting.apply(builder);
    }
    return more.apply(builder).build();
  }

  /** Inserts a row: column, value, column, value… Strings become literals. */
  public TestTable add(Object... columnsAndValues) {
    List<String> columns = new ArrayList<>();
    List<String> values = new ArrayList<>();
    for (int i = 0; i < columnsAndValues.length; i += 2) {
      columns.add(quote((String) columnsAndValues[i]));
      values.add(literal(columnsAndValues[i + 1]));
    }
    return sql(
        "insert into %s (%s) values (%s)",
        name, String.join(", ", columns), String.join(", ", values));
  }

  /** Inserts rows with the keys {@code from} to {@code to}; all else is default. */
  public TestTable rows(int from, int to) {
    for (int start = from; start <= to; start += 1000) {
      String values =
          IntStream.rangeClosed(start, Math.min(to, start + 999))
              .mapToObj(i -> "(" + i + ")")
              .collect(Collectors.joining(", "));
      sql("insert into %s (%s) values %s", name, quote(key.get(0)), values);
    }
    return this;
  }

  /** Changes one column of one row. */
  public TestTable set(Object id, String column, Object value) {
    return sql("update %s set %s = %s where %s", name, quote(column), literal(value), is(id));
  }

  /** Changes one column of every row. */
  public TestTable setAll(String column, Object value) {
    return sql("update %s set %s = %s", name, quote(column), literal(value));
  }

  /** Lets every lease that is held end now, by moving its end (or its beginning) into the past. */
  public TestTable expireAll() {
    String past = bench.db().nowPlus(-Duration.ofDays(1).toMillis());
    for (Role role : List.of(Role.LEASE_UNTIL, Role.CLAIMED_AT)) {
      String column = roles.get(role);
      if (column != null) {
        String held = "%s is not null".formatted(quote(column));
        sql("update %s set %s = %s where %s", name, quote(column), past, held);
      }
    }
    return this;
  }

  /** Lets every delay end now. */
  public TestTable dueAll() {
    // One value for all: a clock that runs would change the order of the rows.
    return setAll(roles.get(Role.RUN_AT), bench.past());
  }

  /** Runs SQL on the test's own connection. */
  public TestTable sql(String format, Object... args) {
    bench.schema().execute(args.length == 0 ? format : format.formatted(args));
    return this;
  }

  /** One value of one row; fails if there is no such row. */
  public Object get(Object id, String column) {
    return bench
        .schema()
        .value("select %s from %s where %s".formatted(quote(column), name, is(id)));
  }

  public long number(Object id, String column) {
    return ((Number) get(id, column)).longValue();
  }

  /** The state value of one row, without padding. */
  public String state(Object id) {
    Object value = get(id, state);
    return value == null ? null : value.toString().stripTrailing();
  }

  /** All columns of all rows, in key order: to see that nothing has changed. */
  public List<List<Object>> all() {
    String order = key.stream().map(this::quote).collect(Collectors.joining(", "));
    return bench.schema().query("select * from %s order by %s".formatted(name, order)).stream()
        .map(row -> row.stream().map(v -> v instanceof byte[] b ? hex(b) : v).toList())
        .toList();
  }

  private static Object hex(byte[] bytes) {
    return java.util.HexFormat.of().formatHex(bytes);
  }

  public long count() {
    return bench.schema().count(name);
  }

  /** How many rows have a value in a column. */
  public long count(String column, Object value) {
    String is = value == null ? " is null" : " = " + literal(value);
    return bench.schema().count(name + " where " + quote(column) + is);
  }

  /** How many rows are in each state. */
  public Map<String, Long> states() {
    Map<String, Long> found = new LinkedHashMap<>();
    String column = quote(state);
    bench
        .schema()
        .query("select %s, count(*) from %s group by %s".formatted(column, name, column))
        .forEach(row -> found.put(String.valueOf(row.get(0)), ((Number) row.get(1)).longValue()));
    return found;
  }

  /** A condition that is true for one row; a composite key is a list. */
  public String is(Object id) {
    List<?> values = id instanceof List<?> list ? list : List.of(id);
    List<String> all = new ArrayList<>();
    for (int i = 0; i < key.size(); i++) {
      all.add(quote(key.get(i)) + " = " + literal(values.get(i)));
    }
    return String.join(" and ", all);
  }

  private String quote(String column) {
    return bench.db().quote(column);
  }

  private String literal(Object value) {
    if (value instanceof Raw raw) {
      return raw.sql();
    } else if (value instanceof Boolean bool) {
      return bench.db().literal((boolean) bool);
    } else if (value == null || value instanceof Number) {
      return String.valueOf(value);
    }
    return bench.db().literal(value.toString());
  }

  /** The numbers from {@code from} to {@code to}, as keys are. */
  public static List<Long> ids(long from, long to) {
    return LongStream.rangeClosed(from, to).boxed().toList();
  }
}
