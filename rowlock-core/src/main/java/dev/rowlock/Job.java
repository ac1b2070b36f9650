package dev.rowlock;

import java.sql.Connection;
import java.util.Map;

/** One claimed row in the hands of a {@link Handler}. Safe for use by several threads. */
public interface Job {

  /**
   * The claim as it is now; extensions of the lease are seen here.
   *
   * @return never null
   */
  Claim claim();

  /**
   * The row's key.
   *
   * @return never null
   */
  default Key key() {
    return claim().key();
  }

  /**
   * The read columns.
   *
   * @return an unmodifiable map in mapped order; SQL {@code NULL} is null
   */
  default Map<String, Object> row() {
    return claim().row();
  }

  /**
   * The value of a read or key column.
   *
   * @param column the column's name, in the case of the mapping or of the database
   * @return the value, null for SQL {@code NULL}
   * @throws IllegalArgumentException if the column is neither read nor key
   */
  default Object get(String column) {
    for (Map<String, Object> values : java.util.List.of(row(), claim().key().values())) {
      for (Map.Entry<String, Object> e : values.entrySet()) {
        if (e.getKey().equalsIgnoreCase(column)) {
          return e.getValue();
        }
      }
    }
    throw new IllegalArgumentException(
        "column '%s' is not read; columns here: %s, key %s; add it to read"
            .formatted(column, row().keySet(), claim().key().values().keySet()));
  }

  /**
   * The value of a read or key column as text.
   *
   * @param column the column
   * @return its text, null for SQL {@code NULL}
   */
  default String text(String column) {
    Object value = get(column);
    return value == null ? null : value.toString();
  }

  /**
   * Whether the lease was lost or the handler's time is up; the handler's thread was also
   * interrupted. Long handlers should look at it between steps and give up.
   *
   * @return true once the outcome cannot count any more
   */
  boolean cancelled();

  /**
   * Completes the row in the caller's transaction: the completion commits or rolls back with the
   * caller's writes. {@link Outcome.Done} returned afterwards is not written again. Any other
   * outcome, or an exception, says that the transaction was rolled back, and is written as always.
   *
   * @param connection a connection of the caller with an open transaction
   * @throws LeaseLostException if the claim is no longer current; roll back then
   */
  default void complete(Connection connection) {
    complete(connection, Map.of());
  }

  /**
   * As {@link #complete(Connection)}, with results.
   *
   * @param connection a connection of the caller with an open transaction
   * @param results write column to new value
   * @throws LeaseLostException if the claim is no longer current; roll back then
   */
  void complete(Connection connection, Map<String, ?> results);

  /**
   * The connection of the transaction that holds the row, in {@link Mode#TRANSACTIONAL} only. The
   * handler may write with it but not commit, roll back or close it.
   *
   * @return the connection
   * @throws IllegalStateException in {@link Mode#LEASE}
   */
  Connection connection();
}
