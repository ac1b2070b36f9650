package dev.rowlock.conformance;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * A schema that one test has for itself: unqualified names in {@link #dataSource()} are names in
 * it. The shortcuts below throw {@link IllegalStateException} with the statement in the message.
 */
public final class Schema implements AutoCloseable {
  private final TestDatabase database;
  private final String name;
  private final DataSource dataSource;

  Schema(TestDatabase database, String name, DataSource dataSource) {
    this.database = database;
    this.name = name;
    this.dataSource = dataSource;
  }

  public TestDatabase database() {
    return database;
  }

  /** Unquoted; lower case letters, digits and underscores alone. */
  public String name() {
    return name;
  }

  /** Plain and unpooled; connections have this schema as the current one. */
  public DataSource dataSource() {
    return dataSource;
  }

  /** Runs statements, each in a transaction of its own. */
  public void execute(String... statements) {
    run(dataSource, statements);
  }

  /** All rows as lists of column values. */
  public List<List<Object>> query(String sql) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      int columns = result.getMetaData().getColumnCount();
      List<List<Object>> rows = new ArrayList<>();
      while (result.next()) {
        List<Object> row = new ArrayList<>();
        for (int i = 1; i <= columns; i++) {
          row.add(database.value(result, i));
        }
        rows.add(row);
      }
      return rows;
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** The one value of a query with one row and one column. */
  public Object value(String sql) {
    List<List<Object>> rows = query(sql);
    if (rows.size() != 1 || rows.get(0).size() != 1) {
      throw new IllegalStateException("not one value but " + rows + ": " + sql);
    }
    return rows.get(0).get(0);
  }

  /** The number of rows of a table. */
  public long count(String table) {
    return ((Number) value("select count(*) from " + table)).longValue();
  }

  @Override
  public void close() {
    database.drop(this);
  }

  static void run(DataSource dataSource, String... statements) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        try {
          statement.execute(sql);
        } catch (SQLException e) {
          throw new IllegalStateException(sql, e);
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException("no connection", e);
    }
  }
}
