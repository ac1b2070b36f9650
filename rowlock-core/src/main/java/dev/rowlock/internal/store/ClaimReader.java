package dev.rowlock.internal.store;

import dev.rowlock.Claim;
import dev.rowlock.Fence;
import dev.rowlock.Key;
import dev.rowlock.Role;
import dev.rowlock.internal.jdbc.Values;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Kind;
import dev.rowlock.spi.Model;
import dev.rowlock.spi.Output;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Turns result rows into claims, and claims into parameter values. */
final class ClaimReader {
  private final Model model;
  private final Duration lease;
  private final List<Output> outputs;

  ClaimReader(Model model, Duration lease) {
    this.model = model;
    this.lease = lease;
    this.outputs = model.outputs();
  }

  /** Null for a row that was locked but not changed. */
  Claim read(ResultSet row, String readyValue) throws SQLException {
    Map<String, Object> key = new LinkedHashMap<>();
    for (Column column : model.key()) {
      Object value = Fields.readKey(model.dialect(), row, position(column, false), column);
      if (value == null) {
        return null;
      }
      key.put(column.name(), value);
    }
    Claim.Builder claim =
        new Claim.Builder(model.table().quoted(), new Key(key))
            .fence(fence(row, 0, outputs))
            .leaseUntil(leaseUntil(row, 0, outputs))
            .attempts(
                number(row, Role.ATTEMPTS, Integer.MAX_VALUE - 1),
                number(row, Role.MAX_ATTEMPTS, Integer.MAX_VALUE))
            .readyValue(readyValue);
    return readColumns(row, claim).build();
  }

  /**
   * A value that cannot be read is that row's trouble only: the claim tells, and the row can be
   * failed.
   */
  private Claim.Builder readColumns(ResultSet row, Claim.Builder claim) {
    Map<String, Object> values = new LinkedHashMap<>();
    for (Column column : model.read()) {
      try {
        values.put(column.name(), model.dialect().read(row, position(column, false), column));
      } catch (SQLException | DateTimeException | ArithmeticException e) {
        claim.problem("column '%s' cannot be read: %s".formatted(column.name(), e.getMessage()));
      }
    }
    return claim.row(values);
  }

  /** A limit like the largest bigint means "without end"; no count may reach it. */
  private Integer number(ResultSet row, Role role, int most) throws SQLException {
    if (!model.has(role)) {
      return null;
    }
    long value = row.getLong(position(model.role(role).orElseThrow(), false));
    return row.wasNull() ? null : (int) Math.max(Integer.MIN_VALUE, Math.min(value, most));
  }

  /** The claim after an extension; {@code offset} columns stand before the held outputs. */
  Claim readHeld(ResultSet row, int offset, Claim claim) throws SQLException {
    List<Output> held = model.heldOutputs();
    return claim.extended(fence(row, offset, held), leaseUntil(row, offset, held));
  }

  private Fence fence(ResultSet row, int offset, List<Output> from) throws SQLException {
    Map<Role, String> values = new EnumMap<>(Role.class);
    for (Role role : model.fenceRoles()) {
      Output output = new Output(model.role(role).orElseThrow(), true);
      String text = row.getString(offset + from.indexOf(output) + 1);
      if (text != null) {
        values.put(role, output.column().kind() == Kind.CHAR ? Kind.unpadded(text) : text);
      }
    }
    return new Fence(values);
  }

  private Instant leaseUntil(ResultSet row, int offset, List<Output> from) throws SQLException {
    Column until = model.role(Role.LEASE_UNTIL).orElse(null);
    Column column = until != null ? until : model.role(Role.CLAIMED_AT).orElse(null);
    if (column == null) {
      return null;
    }
    int index = offset + from.indexOf(new Output(column, false)) + 1;
    Instant time =
        Fields.readInstant(model.dialect(), row, index, column, model.mapping().timeZone());
    return time == null || until != null ? time : time.plus(lease);
  }

  private int position(Column column, boolean asText) {
    return outputs.indexOf(new Output(column, asText)) + 1;
  }

  /** Key columns in front of a result. */
  Key readKey(ResultSet row) throws SQLException {
    Map<String, Object> key = new LinkedHashMap<>();
    int index = 1;
    for (Column column : model.key()) {
      key.put(column.name(), Fields.readKey(model.dialect(), row, index++, column));
    }
    return new Key(key);
  }

  Values putKey(Values values, Key key) {
    for (Column column : model.key()) {
      values.put(model.parameter("key", column), key.get(column.name()), column);
    }
    return values;
  }

  Values putClaim(Values values, Claim claim) {
    putKey(values, claim.key());
    for (Role role : model.fenceRoles()) {
      Column column = model.role(role).orElseThrow();
      values.put(
          "fence_" + role.label().replace('-', '_'), fenceValue(claim, role, column), column);
    }
    return values;
  }

  private static Object fenceValue(Claim claim, Role role, Column column) {
    String text = claim.fence().values().get(role);
    return text == null ? null : column.kind().parse(column.name(), text);
  }
}
