package dev.rowlock;

import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Which table and columns mean what. Immutable; built with {@link #table(String)}. Names are given
 * as they are written in the database; a name that is not found exactly is looked up without regard
 * to case, and is refused if that is ambiguous.
 */
public final class Mapping {
  private final TableName table;
  private final List<String> key;
  private final State state;
  private final Map<Role, String> columns;
  private final List<OrderBy> order;
  private final String where;
  private final List<String> read;
  private final List<String> write;
  private final OnDone onDone;
  private final ZoneId timeZone;

  private Mapping(Builder b) {
    table = b.table;
    key = List.copyOf(b.key);
    state = b.state;
    columns = Collections.unmodifiableMap(new EnumMap<>(b.columns));
    order = List.copyOf(b.order);
    where = b.where;
    read = List.copyOf(b.read);
    write = List.copyOf(b.write);
    onDone = b.onDone;
    timeZone = b.timeZone;
    MappingRules.check(this);
  }

  /**
   * Starts a mapping.
   *
   * @param table {@code table} or {@code schema.table}; see {@link TableName#parse(String)}
   * @return a builder
   */
  public static Builder table(String table) {
    return new Builder(TableName.parse(table));
  }

  /**
   * The table.
   *
   * @return never null
   */
  public TableName table() {
    return table;
  }

  /**
   * The key columns.
   *
   * @return at least one, in mapped order
   */
  public List<String> key() {
    return key;
  }

  /**
   * The state column and its values.
   *
   * @return empty for a table that has only marker columns
   */
  public Optional<State> state() {
    return Optional.ofNullable(state);
  }

  /**
   * The columns that play a role.
   *
   * @return an unmodifiable map
   */
  public Map<Role, String> columns() {
    return columns;
  }

  /**
   * The column of a role.
   *
   * @param role the role
   * @return empty if it is not mapped
   */
  public Optional<String> column(Role role) {
    return Optional.ofNullable(columns.get(role));
  }

  /**
   * Whether a role is mapped.
   *
   * @param role the role
   * @return true if a column plays it
   */
  public boolean has(Role role) {
    return columns.containsKey(role);
  }

  /**
   * The claim order, without the key that always ends it.
   *
   * @return the order as given, else priority and run-at as far as they are mapped
   */
  public List<OrderBy> order() {
    if (!order.isEmpty()) {
      return order;
    }
    List<OrderBy> defaults = new ArrayList<>();
    column(Role.PRIORITY).map(OrderBy::asc).ifPresent(defaults::add);
    column(Role.RUN_AT).map(OrderBy::asc).ifPresent(defaults::add);
    return Collections.unmodifiableList(defaults);
  }

  /**
   * An extra predicate, in SQL that is trusted.
   *
   * @return empty if there is none
   */
  public Optional<String> where() {
    return Optional.ofNullable(where);
  }

  /**
   * The columns that a claim returns besides the key.
   *
   * @return may be empty
   */
  public List<String> read() {
    return read;
  }

  /**
   * The columns that a handler may set on completion.
   *
   * @return may be empty
   */
  public List<String> write() {
    return write;
  }

  /**
   * What happens to a completed row.
   *
   * @return never null
   */
  public OnDone onDone() {
    return onDone;
  }

  /**
   * The zone in which columns without a time zone are read and written.
   *
   * @return UTC unless another was given
   */
  public ZoneId timeZone() {
    return timeZone;
  }

  /**
   * Whether lease end and run-at are one column: a visibility-timeout table.
   *
   * @return true if both roles name the same column
   */
  public boolean visibilityTimeout() {
    return has(Role.LEASE_UNTIL) && columns.get(Role.LEASE_UNTIL).equals(columns.get(Role.RUN_AT));
  }

  /**
   * What the mapped columns switch on.
   *
   * @return a new set
   */
  public Set<Capability> capabilities() {
    Set<Capability> found = EnumSet.noneOf(Capability.class);
    light(found, Capability.RETRY_LIMIT, has(Role.ATTEMPTS));
    light(found, Capability.EXPIRY, has(Role.LEASE_UNTIL) || has(Role.CLAIMED_AT));
    light(found, Capability.FENCE, has(Role.TOKEN) || has(Role.ATTEMPTS));
    light(found, Capability.DELAY, has(Role.RUN_AT));
    light(found, Capability.ERROR_TEXT, has(Role.ERROR));
    boolean deadState = state != null && state.deadValue().isPresent();
    light(found, Capability.DEAD_LETTER, deadState || has(Role.DEAD_AT));
    light(found, Capability.GROUP_ORDER, has(Role.GROUP));
    light(found, Capability.WORKER_NAME, has(Role.WORKER));
    return found;
  }

  private static void light(Set<Capability> found, Capability capability, boolean on) {
    if (on) {
      found.add(capability);
    }
  }

  /** Collects a mapping; not thread-safe. */
  public static final class Builder {
    private final TableName table;
    private List<String> key = List.of();
    private State state;
    private final Map<Role, String> columns = new EnumMap<>(Role.class);
    private List<OrderBy> order = List.of();
    private String where;
    private List<String> read = List.of();
    private List<String> write = List.of();
    private OnDone onDone = OnDone.update();
    private ZoneId timeZone = ZoneOffset.UTC;

    private Builder(TableName table) {
      this.table = table;
    }

    /**
     * The columns that name a row; together they must be unique and not null.
     *
     * @param names one or more columns
     * @return this builder
     */
    public Builder key(String... names) {
      key = Arrays.asList(names);
      return this;
    }

    /**
     * The state column.
     *
     * @param value column and values
     * @return this builder
     */
    public Builder state(State value) {
      state = value;
      return this;
    }

    /**
     * The state column, in short.
     *
     * @param column the state column
     * @param ready value of a row that waits
     * @param processing value of a claimed row
     * @param done value of a completed row
     * @return this builder
     */
    public Builder state(String column, String ready, String processing, String done) {
      return state(State.of(column, ready, processing, done));
    }

    /**
     * Gives a role to a column.
     *
     * @param role the role
     * @param column the column
     * @return this builder
     */
    public Builder column(Role role, String column) {
      columns.put(Objects.requireNonNull(role, "role"), Objects.requireNonNull(column, "column"));
      return this;
    }

    /**
     * The claim order; the key is added at the end.
     *
     * @param items for example {@code "prio desc"}; see {@link OrderBy#parse(String)}
     * @return this builder
     */
    public Builder order(String... items) {
      order = Arrays.stream(items).map(OrderBy::parse).toList();
      return this;
    }

    /**
     * An extra predicate on the table's columns. It becomes part of the SQL as it is: never build
     * it from input.
     *
     * @param predicate trusted SQL, null for none
     * @return this builder
     */
    public Builder where(String predicate) {
      where = predicate == null || predicate.isBlank() ? null : predicate.strip();
      return this;
    }

    /**
     * Columns that a claim returns.
     *
     * @param names the columns
     * @return this builder
     */
    public Builder read(String... names) {
      read = Arrays.asList(names);
      return this;
    }

    /**
     * Columns that a handler may set on completion.
     *
     * @param names the columns
     * @return this builder
     */
    public Builder write(String... names) {
      write = Arrays.asList(names);
      return this;
    }

    /**
     * What happens to a completed row.
     *
     * @param policy update, delete or archive
     * @return this builder
     */
    public Builder onDone(OnDone policy) {
      onDone = Objects.requireNonNull(policy, "onDone");
      return this;
    }

    /**
     * The zone of columns that have none.
     *
     * @param zone UTC unless the table's other users write another; a zone with daylight saving
     *     makes an hour a year ambiguous
     * @return this builder
     */
    public Builder timeZone(ZoneId zone) {
      if (zone instanceof ZoneOffset && !zone.equals(ZoneOffset.UTC)) {
        throw new ConfigurationException(
            "time zone is %s; allowed: UTC or a region such as Europe/Berlin (databases disagree about the sign of an offset)"
                .formatted(zone));
      }
      timeZone = Objects.requireNonNull(zone, "timeZone");
      return this;
    }

    /**
     * Checks and freezes.
     *
     * @return the mapping
     * @throws ConfigurationException if the mapping contradicts itself or cannot be claimed
     */
    public Mapping build() {
      return new Mapping(this);
    }
  }
}
