package dev.rowlock.internal.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Walks through all that a statement returns. A batch of several statements may return update
 * counts before its rows, and an error may come behind them: who stops early never hears of it.
 */
final class Results {
  private static final int NONE = -1;

  private Results() {}

  /**
   * @return how many rows came, else the update count; 0 if there was neither
   */
  static int walk(PreparedStatement statement, Jdbc.RowMapper<?> mapper) throws SQLException {
    int rows = NONE;
    int changed = 0;
    boolean isRows = statement.execute();
    while (true) {
      if (isRows) {
        if (rows != NONE) {
          throw new SQLException(
              "the statement returned rows twice; a trigger on the table may return rows of its own: make it return none");
        }
        rows = read(statement, mapper);
      } else {
        int count = statement.getUpdateCount();
        if (count == NONE) {
          return rows == NONE ? changed : rows;
        }
        changed = count;
      }
      isRows = statement.getMoreResults();
    }
  }

  private static int read(PreparedStatement statement, Jdbc.RowMapper<?> mapper)
      throws SQLException {
    int count = 0;
    try (ResultSet rows = statement.getResultSet()) {
      while (rows.next()) {
        mapper.map(rows);
        count++;
      }
    }
    return count;
  }
}
