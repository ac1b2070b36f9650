package dev.rowlock.internal.worker;

import dev.rowlock.Key;
import java.sql.Connection;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A table in memory with row locks, transactions and savepoints. All access under its monitor. */
final class FakeTable {
  /** One row; a value, replaced on every write. */
  record Row(
      Key key,
      String state,
      int attempts,
      long token,
      long leaseEnd,
      long runAt,
      String error,
      Object result) {
    Row with(String newState) {
      return new Row(key, newState, attempts, token, leaseEnd, runAt, error, result);
    }

    Row claimed(long end) {
      return new Row(key, "processing", attempts + 1, token + 1, end, runAt, error, result);
    }

    Row leased(long end) {
      return new Row(key, state, attempts, token, end, runAt, error, result);
    }

    Row failed(String newState, String newError, long newRunAt) {
      return new Row(key, newState, attempts, token, leaseEnd, newRunAt, newError, result);
    }

    Row done(Object newResult) {
      return new Row(key, "done", attempts, token, leaseEnd, runAt, error, newResult);
    }

    Row released() {
      return new Row(key, "ready", attempts - 1, token, leaseEnd, runAt, error, result);
    }
  }

  private static final class Transaction {
    final Map<Key, Row> before = new LinkedHashMap<>();
    final Map<Savepoint, Map<Key, Row>> savepoints = new IdentityHashMap<>();
  }

  private final Map<Key, Row> rows = new LinkedHashMap<>();
  private final Map<Key, Object> locks = new LinkedHashMap<>();
  private final Map<Object, Transaction> transactions = new IdentityHashMap<>();

  static Key key(long id) {
    return new Key(Map.of("id", id));
  }

  synchronized void insert(long id) {
    rows.put(key(id), new Row(key(id), "ready", 0, 0, 0, 0, null, null));
  }

  synchronized Row get(long id) {
    return rows.get(key(id));
  }

  synchronized Row get(Key key) {
    return rows.get(key);
  }

  synchronized List<Row> all() {
    return new ArrayList<>(rows.values());
  }

  synchronized long count(String state) {
    return rows.values().stream().filter(r -> r.state().equals(state)).count();
  }

  /** Locks a row for somebody, as another session would. */
  synchronized void lock(long id, Object owner) {
    locks.put(key(id), owner);
  }

  synchronized void unlock(long id) {
    locks.remove(key(id));
    notifyAll();
  }

  synchronized boolean free(Key key, Object owner) {
    Object holder = locks.get(key);
    return holder == null || holder == owner;
  }

  /** Writes a row; for a connection within its transaction, else at once. */
  synchronized void put(Row row, Connection connection) {
    if (connection != null && transactions.containsKey(raw(connection))) {
      Transaction transaction = transactions.get(raw(connection));
      transaction.before.putIfAbsent(row.key(), rows.get(row.key()));
      locks.put(row.key(), raw(connection));
    }
    rows.put(row.key(), row);
  }

  synchronized void begin(Object connection) {
    transactions.computeIfAbsent(connection, c -> new Transaction());
  }

  synchronized void savepoint(Object connection, Savepoint savepoint) {
    Map<Key, Row> now = new LinkedHashMap<>();
    transactions.get(connection).before.keySet().forEach(k -> now.put(k, rows.get(k)));
    transactions.get(connection).savepoints.put(savepoint, now);
  }

  synchronized void rollback(Object connection, Savepoint savepoint) {
    Transaction transaction = transactions.get(connection);
    Map<Key, Row> then = transaction.savepoints.get(savepoint);
    transaction.before.forEach((k, before) -> rows.put(k, then.getOrDefault(k, before)));
  }

  synchronized void commit(Object connection) {
    end(connection);
  }

  synchronized void rollback(Object connection) {
    Transaction transaction = transactions.get(connection);
    if (transaction != null) {
      rows.putAll(transaction.before);
    }
    end(connection);
  }

  private void end(Object connection) {
    transactions.computeIfPresent(connection, (c, t) -> new Transaction());
    locks.values().removeIf(owner -> owner == connection);
    notifyAll();
  }

  synchronized void close(Object connection) {
    rollback(connection);
    transactions.remove(connection);
  }

  /** The owner behind a connection: proxies are told apart by what they unwrap to. */
  static Object raw(Connection connection) {
    try {
      return connection == null ? null : connection.unwrap(FakeDataSource.Handle.class);
    } catch (java.sql.SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
