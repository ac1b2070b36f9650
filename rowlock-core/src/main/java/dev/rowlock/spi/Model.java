package dev.rowlock.spi;

import dev.rowlock.Mapping;
import dev.rowlock.Mode;
import dev.rowlock.OrderBy;
import dev.rowlock.Role;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A mapping whose names have been resolved against a real table: what dialects build statements
 * from. Immutable.
 */
public final class Model {
  private final Mapping mapping;
  private final Mode mode;
  private final Table table;
  private final Optional<Table> archive;
  private final Dialect dialect;
  private final List<Column> key;
  private final Optional<Column> state;
  private final Map<Role, Column> roles;
  private final List<Column> read;
  private final List<Column> write;
  private final List<OrderItem> order;

  /**
   * One column of the claim order.
   *
   * @param column the column
   * @param by direction and place of nulls
   */
  public record OrderItem(Column column, OrderBy by) {}

  /**
   * Resolves a mapping.
   *
   * @param mapping the mapping
   * @param mode the transaction mode
   * @param table the table that it names
   * @param archive the archive table, if there is one
   * @param dialect the database
   * @throws dev.rowlock.ConfigurationException if a column is missing, ambiguous or of a wrong type
   */
  public Model(Mapping mapping, Mode mode, Table table, Optional<Table> archive, Dialect dialect) {
    this.mapping = mapping;
    this.mode = mode;
    this.table = dialect.mapped(mapping, table);
    this.archive = archive;
    this.dialect = dialect;
    Resolver resolver = new Resolver(mapping, this.table);
    key = resolver.all("key", mapping.key());
    state = mapping.state().map(s -> resolver.one("state", s.column()));
    Map<Role, Column> found = new EnumMap<>(Role.class);
    mapping.columns().forEach((role, name) -> found.put(role, resolver.one(role.label(), name)));
    roles = Collections.unmodifiableMap(found);
    read = resolver.all("read", mapping.read());
    write = resolver.all("write", mapping.write());
    List<OrderItem> items = new ArrayList<>();
    for (OrderBy by : mapping.order()) {
      items.add(new OrderItem(resolver.one("order", by.column()), by));
    }
    Set<String> ordered = items.stream().map(i -> i.column().name()).collect(Collectors.toSet());
    for (Column column : key) {
      if (!ordered.contains(column.name())) {
        items.add(new OrderItem(column, OrderBy.asc(column.name())));
      }
    }
    order = List.copyOf(items);
    new ModelRules(this).check();
  }

  /**
   * The mapping.
   *
   * @return never null
   */
  public Mapping mapping() {
    return mapping;
  }

  /**
   * The transaction mode.
   *
   * @return never null
   */
  public Mode mode() {
    return mode;
  }

  /**
   * The table.
   *
   * @return never null
   */
  public Table table() {
    return table;
  }

  /**
   * The archive table.
   *
   * @return empty unless completion archives
   */
  public Optional<Table> archive() {
    return archive;
  }

  /**
   * The database.
   *
   * @return never null
   */
  public Dialect dialect() {
    return dialect;
  }

  /**
   * The key columns.
   *
   * @return in mapped order
   */
  public List<Column> key() {
    return key;
  }

  /**
   * The state column.
   *
   * @return empty for a table with markers only
   */
  public Optional<Column> state() {
    return state;
  }

  /**
   * The column of a role.
   *
   * @param role the role
   * @return empty if not mapped
   */
  public Optional<Column> role(Role role) {
    return Optional.ofNullable(roles.get(role));
  }

  /**
   * The column that alone tells dead letters from ready rows: where there is a state, but no value
   * of it for them.
   *
   * @return dead-at, or empty
   */
  public Optional<Column> deadMarker() {
    return role(Role.DEAD_AT)
        .filter(c -> mapping.state().map(s -> s.deadValue().isEmpty()).orElse(false));
  }

  /**
   * Whether a role is mapped.
   *
   * @param role the role
   * @return true if a column plays it
   */
  public boolean has(Role role) {
    return roles.containsKey(role);
  }

  /**
   * The columns that a claim returns.
   *
   * @return may be empty
   */
  public List<Column> read() {
    return read;
  }

  /**
   * The columns that a handler may set.
   *
   * @return may be empty
   */
  public List<Column> write() {
    return write;
  }

  /**
   * The claim order with the key at its end.
   *
   * @return never empty
   */
  public List<OrderItem> order() {
    return order;
  }

  /**
   * How many ready values there are, each with a claim statement of its own: two values in one
   * statement would need a sort, and a sort reads (and on some databases locks) every candidate.
   *
   * @return 1 or more
   */
  public int readyValues() {
    return mapping.state().map(s -> s.ready().size()).orElse(1);
  }

  /**
   * The roles whose values tell two claims apart. Token and attempts rise with every claim, so one
   * of them is enough, and what else is mapped of token, attempts and worker is compared too. Only
   * without both are the times compared, since an extension changes them.
   *
   * @return may be empty
   */
  public List<Role> fenceRoles() {
    List<Role> found = new ArrayList<>();
    for (Role role : List.of(Role.TOKEN, Role.ATTEMPTS, Role.WORKER)) {
      if (has(role)) {
        found.add(role);
      }
    }
    boolean strong = has(Role.TOKEN) || has(Role.ATTEMPTS);
    // Without a state, only a holder that is wiped or a token that rises shows that a row was given
    // back; attempts alone do not.
    boolean blurred =
        expiredIsReady() && !has(Role.TOKEN) && !has(Role.CLAIMED_AT) && !has(Role.WORKER);
    if (!strong || blurred) {
      for (Role role : List.of(Role.CLAIMED_AT, Role.LEASE_UNTIL)) {
        if (has(role)) {
          found.add(role);
        }
      }
    }
    return found;
  }

  /**
   * Whether extending a lease changes the fence, so that the old claim no longer fits.
   *
   * @return true where only times (and perhaps the worker) are mapped
   */
  public boolean extendChangesFence() {
    return fenceRoles().contains(Role.LEASE_UNTIL) || fenceRoles().contains(Role.CLAIMED_AT);
  }

  /**
   * Whether a visibility-timeout table has no state column: there an expired row is a ready row.
   *
   * @return true if nothing but time tells ready from claimed
   */
  public boolean expiredIsReady() {
    return state.isEmpty() && mapping.visibilityTimeout();
  }

  /**
   * What a claim returns, in this order: the key, the fence, attempts, max-attempts, lease-until
   * (or claimed-at), then the read columns. No output twice.
   *
   * @return the outputs
   */
  public List<Output> outputs() {
    Set<Output> all = new LinkedHashSet<>();
    key.forEach(c -> all.add(Output.value(c)));
    all.addAll(heldOutputs());
    for (Role role : List.of(Role.ATTEMPTS, Role.MAX_ATTEMPTS)) {
      role(role).ifPresent(c -> all.add(Output.value(c)));
    }
    read.forEach(c -> all.add(Output.value(c)));
    return List.copyOf(all);
  }

  /**
   * What an extension returns: the fence and the lease end.
   *
   * @return the outputs, a part of {@link #outputs()}
   */
  public List<Output> heldOutputs() {
    Set<Output> all = new LinkedHashSet<>();
    fenceRoles().forEach(role -> all.add(Output.text(roles.get(role))));
    role(Role.LEASE_UNTIL).or(() -> role(Role.CLAIMED_AT)).ifPresent(c -> all.add(Output.value(c)));
    return List.copyOf(all);
  }

  /**
   * Every mapped column once, for people to look at.
   *
   * @return key first
   */
  public List<Column> everything() {
    Set<Column> all = new LinkedHashSet<>(key);
    state.ifPresent(all::add);
    all.addAll(roles.values());
    all.addAll(read);
    all.addAll(write);
    return List.copyOf(all);
  }

  /**
   * The parameter name that belongs to a column.
   *
   * @param prefix {@code key}, {@code fence} or {@code set}
   * @param column the column
   * @return a name of letters, digits and underscores, unique in this table
   */
  public String parameter(String prefix, Column column) {
    String safe = column.name().replaceAll("[^A-Za-z0-9_]", "_");
    // A name that ends like a name with a position gets one too, so that no two are the same.
    boolean clash =
        !safe.equals(column.name())
            || safe.matches(".*_[0-9]+")
            || table.columns().keySet().stream().filter(safe::equalsIgnoreCase).count() > 1;
    int position = List.copyOf(table.columns().keySet()).indexOf(column.name());
    return prefix + "_" + safe + (clash && position >= 0 ? "_" + position : "");
  }

  /**
   * The fragments that do not depend on the statement: {@code table}; for the table's aliases q and
   * t the key columns ({@code q.key}), what a claim returns ({@code q.out}) and what an extension
   * returns, with a comma before it ({@code q.held}); the same by their labels for results called c
   * and e ({@code c.out}, {@code e.held}).
   *
   * @return a new, modifiable map
   */
  public Map<String, String> fragments() {
    Map<String, String> f = new LinkedHashMap<>();
    f.put("table", table.quoted());
    for (String alias : List.of("q", "t")) {
      f.put(alias + ".key", columns(alias, key));
      f.put(alias + ".out", outputs(alias, outputs()));
      f.put(alias + ".held", comma(outputs(alias, heldOutputs())));
    }
    f.put("c.out", labels("c", outputs()));
    f.put("e.held", comma(labels("e", heldOutputs())));
    f.put("key", key.stream().map(Column::quoted).collect(Collectors.joining(", ")));
    return f;
  }

  /**
   * Columns with an alias.
   *
   * @param alias the alias
   * @param columns the columns
   * @return a comma separated list
   */
  public static String columns(String alias, List<Column> columns) {
    return columns.stream().map(c -> c.of(alias)).collect(Collectors.joining(", "));
  }

  /**
   * Outputs with an alias.
   *
   * @param alias the alias
   * @param outputs the outputs
   * @return a comma separated select list
   */
  public String outputs(String alias, List<Output> outputs) {
    return outputs.stream().map(o -> o.select(dialect, alias)).collect(Collectors.joining(", "));
  }

  private String labels(String alias, List<Output> outputs) {
    return outputs.stream()
        .map(o -> alias + "." + dialect.quote(o.label()))
        .collect(Collectors.joining(", "));
  }

  private static String comma(String list) {
    return list.isEmpty() ? "" : ", " + list;
  }

  /**
   * That two aliases are the same row.
   *
   * @param left one alias
   * @param right the other
   * @return a condition
   */
  public String match(String left, String right) {
    return key.stream()
        .map(c -> c.of(left) + " = " + c.of(right))
        .collect(Collectors.joining(" AND "));
  }
}
