package dev.rowlock;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A row that is held by one worker, and the proof of it. Immutable; may be passed between threads,
 * and between processes as {@link #token()}.
 */
public final class Claim {
  private final Key key;
  private final Fence fence;
  private final Map<String, Object> row;
  private final Integer attempt;
  private final Integer maxAttempts;
  private final Instant leaseUntil;
  private final String readyValue;
  private final String problem;
  private final String table;

  private Claim(Builder b) {
    key = Objects.requireNonNull(b.key, "key");
    fence = Objects.requireNonNull(b.fence, "fence");
    row = Collections.unmodifiableMap(new LinkedHashMap<>(b.row));
    attempt = b.attempt;
    maxAttempts = b.maxAttempts;
    leaseUntil = b.leaseUntil;
    readyValue = b.readyValue;
    problem = b.problem;
    table = Objects.requireNonNull(b.table, "table");
  }

  /**
   * Which row.
   *
   * @return never null
   */
  public Key key() {
    return key;
  }

  /**
   * What proves that this claim is current.
   *
   * @return never null
   */
  public Fence fence() {
    return fence;
  }

  /**
   * The read columns as they were when the row was claimed, in mapped order.
   *
   * @return an unmodifiable map; SQL {@code NULL} is null; empty for a claim made from a token
   */
  public Map<String, Object> row() {
    return row;
  }

  /**
   * Which start of the handler this is, counted from 1.
   *
   * @return empty where attempts are not mapped
   */
  public OptionalInt attempt() {
    return attempt == null ? OptionalInt.empty() : OptionalInt.of(attempt);
  }

  /**
   * The row's own limit of attempts.
   *
   * @return empty where it is not mapped or {@code NULL}
   */
  public OptionalInt maxAttempts() {
    return maxAttempts == null ? OptionalInt.empty() : OptionalInt.of(maxAttempts);
  }

  /**
   * When the lease ends, by the database's clock.
   *
   * @return empty where neither lease-until nor claimed-at is mapped
   */
  public Optional<Instant> leaseUntil() {
    return Optional.ofNullable(leaseUntil);
  }

  /**
   * The state value that the row had before the claim, to which a release brings it back.
   *
   * @return empty where there is no state column or the value was {@code NULL}
   */
  public Optional<String> readyValue() {
    return Optional.ofNullable(readyValue);
  }

  /**
   * Why the row's columns could not be read, if so; such a row should be failed.
   *
   * @return empty for a readable row
   */
  public Optional<String> problem() {
    return Optional.ofNullable(problem);
  }

  /**
   * The table that the row is in, qualified and quoted as its database does.
   *
   * @return never null
   */
  public String table() {
    return table;
  }

  /**
   * Key and fence as one opaque string of URL-safe characters, for {@link Queue#claim(String)}.
   *
   * @return the token; it holds no secret and is not signed
   */
  public String token() {
    return ClaimToken.encode(this);
  }

  /**
   * Reads a claim's text form without looking at the table that it belongs to; {@link
   * Queue#claim(String)} does that too.
   *
   * @param token what {@link #token()} gave
   * @return the claim, without read columns
   * @throws ConfigurationException if it is no token
   */
  public static Claim parse(String token) {
    return ClaimToken.decode(token);
  }

  /**
   * A copy with another fence and lease end, as an extension gives it.
   *
   * @param newFence the fence after the extension
   * @param newLeaseUntil the new lease end, may be null
   * @return a new claim
   */
  public Claim extended(Fence newFence, Instant newLeaseUntil) {
    Builder b = new Builder(table, key);
    b.row = row;
    b.attempt = attempt;
    b.maxAttempts = maxAttempts;
    b.readyValue = readyValue;
    b.problem = problem;
    return b.fence(newFence).leaseUntil(newLeaseUntil).build();
  }

  @Override
  public String toString() {
    return "claim of " + key + " (" + fence + ")";
  }

  /** Collects a claim; used by Rowlock itself and by tests. */
  public static final class Builder {
    private final String table;
    private final Key key;
    private Fence fence = Fence.none();
    private Map<String, Object> row = Map.of();
    private Integer attempt;
    private Integer maxAttempts;
    private Instant leaseUntil;
    private String readyValue;
    private String problem;

    /**
     * For a row.
     *
     * @param table qualified and quoted table
     * @param key the row's key
     */
    public Builder(String table, Key key) {
      this.table = table;
      this.key = key;
    }

    /**
     * The fence.
     *
     * @param value not null
     * @return this builder
     */
    public Builder fence(Fence value) {
      fence = value;
      return this;
    }

    /**
     * The read columns.
     *
     * @param values column to value
     * @return this builder
     */
    public Builder row(Map<String, Object> values) {
      row = values;
      return this;
    }

    /**
     * The attempt and its limit.
     *
     * @param number counted from 1, null if not mapped
     * @param limit the row's own limit, null if it has none
     * @return this builder
     */
    public Builder attempts(Integer number, Integer limit) {
      attempt = number;
      maxAttempts = limit;
      return this;
    }

    /**
     * The lease end.
     *
     * @param value null if unknown
     * @return this builder
     */
    public Builder leaseUntil(Instant value) {
      leaseUntil = value;
      return this;
    }

    /**
     * The state value before the claim.
     *
     * @param value null for SQL NULL or none
     * @return this builder
     */
    public Builder readyValue(String value) {
      readyValue = value;
      return this;
    }

    /**
     * Why the row cannot be read.
     *
     * @param value null for a readable row
     * @return this builder
     */
    public Builder problem(String value) {
      problem = value;
      return this;
    }

    /**
     * Freezes.
     *
     * @return the claim
     */
    public Claim build() {
      return new Claim(this);
    }
  }
}
