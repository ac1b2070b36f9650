package dev.rowlock.internal.jdbc;

import dev.rowlock.spi.Dialect;
import dev.rowlock.spi.RowsSql;
import dev.rowlock.spi.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs statements on one connection, each under the query timeout. Not thread-safe. */
public final class Session {
  /** Says that an insert has not told the key that it made. */
  public static final String NO_KEY =
      "the insert returned no key; a trigger or rule may have suppressed it";

  /** Keeps statements, and the memory that a planner needs for them, small. */
  private static final int MOST_ROWS = 500;

  private final Connection connection;
  private final Dialect dialect;
  private final int timeoutSeconds;

  public Session(Connection connection, Dialect dialect, int timeoutSeconds) {
    this.connection = connection;
    this.dialect = dialect;
    this.timeoutSeconds = dialect.queryTimeoutSeconds(timeoutSeconds);
  }

  public <T> List<T> query(Sql sql, Values values, Jdbc.RowMapper<T> mapper) throws SQLException {
    try (PreparedStatement statement = prepare(sql, values)) {
      List<T> all = new ArrayList<>();
      Results.walk(statement, rows -> all.add(mapper.map(rows)));
      return all;
    }
  }

  /** One statement about many rows; more than it takes are done in parts. */
  public <T> List<T> query(RowsSql sql, List<Values> rows, Jdbc.RowMapper<T> mapper)
      throws SQLException {
    List<T> all = new ArrayList<>();
    for (int from = 0; from < rows.size(); from += MOST_ROWS) {
      List<Values> part = rows.subList(from, Math.min(rows.size(), from + MOST_ROWS));
      Sql sized = sql.of(part.size());
      all.addAll(query(sized, Values.ofRows(sized, part), mapper));
    }
    return all;
  }

  /** One statement about many rows; more than it takes are done in parts. */
  public void update(RowsSql sql, List<Values> rows) throws SQLException {
    for (int from = 0; from < rows.size(); from += MOST_ROWS) {
      List<Values> part = rows.subList(from, Math.min(rows.size(), from + MOST_ROWS));
      Sql sized = sql.of(part.size());
      update(sized, Values.ofRows(sized, part));
    }
  }

  /** How many rows were changed: so many as the statement returns, else as the driver counts. */
  public int update(Sql sql, Values values) throws SQLException {
    try (PreparedStatement statement = prepare(sql, values)) {
      return Results.walk(statement, rows -> 1);
    }
  }

  /** One round trip for many rows; the update count of each. */
  public int[] batch(Sql sql, List<Values> rows) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(text(sql))) {
      statement.setQueryTimeout(timeoutSeconds);
      for (Values values : rows) {
        bind(statement, sql, values);
        statement.addBatch();
      }
      return statement.executeBatch();
    }
  }

  /** Inserts a row and returns what the database made of the named columns. */
  public <T> T insert(Sql sql, Values values, String[] returned, Jdbc.RowMapper<T> mapper)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(text(sql), returned)) {
      statement.setQueryTimeout(timeoutSeconds);
      bind(statement, sql, values);
      statement.executeUpdate();
      try (ResultSet keys = statement.getGeneratedKeys()) {
        if (!keys.next()) {
          throw new SQLException(NO_KEY);
        }
        return mapper.map(keys);
      }
    }
  }

  /** Why this session cannot write, if so. */
  public Optional<String> readOnly() throws SQLException {
    return connection.isReadOnly()
        ? Optional.of("the connection is read-only, and its driver cannot change that")
        : dialect.readOnly(connection);
  }

  /** Why rows cannot be claimed in this session's transaction, if so. */
  public Optional<String> claimRefusal() throws SQLException {
    return dialect.claimRefusal(connection);
  }

  public boolean autoCommit() throws SQLException {
    return connection.getAutoCommit();
  }

  private PreparedStatement prepare(Sql sql, Values values) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(text(sql));
    try {
      statement.setQueryTimeout(timeoutSeconds);
      bind(statement, sql, values);
      return statement;
    } catch (SQLException | RuntimeException e) {
      statement.close();
      throw e;
    }
  }

  private String text(Sql sql) {
    return dialect.limited(sql.jdbc(), timeoutSeconds);
  }

  private void bind(PreparedStatement statement, Sql sql, Values values) throws SQLException {
    int index = 1;
    for (String name : sql.parameters()) {
      Values.Bound bound = values.get(name);
      dialect.bind(statement, index++, bound.value(), bound.column());
    }
  }
}
