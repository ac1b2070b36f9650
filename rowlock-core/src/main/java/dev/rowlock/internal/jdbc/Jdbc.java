package dev.rowlock.internal.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Small look-ups, for metadata. */
public final class Jdbc {
  private static final int TIMEOUT_SECONDS = 15;

  private Jdbc() {}

  /** Reads one row of a result. */
  @FunctionalInterface
  public interface RowMapper<T> {
    T map(ResultSet row) throws SQLException;
  }

  public static <T> List<T> query(
      Connection connection, String sql, RowMapper<T> mapper, Object... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setQueryTimeout(TIMEOUT_SECONDS);
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      List<T> all = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          all.add(mapper.map(rows));
        }
      }
      return all;
    }
  }

  public static <T> Optional<T> first(
      Connection connection, String sql, RowMapper<T> mapper, Object... values)
      throws SQLException {
    return query(connection, sql, mapper, values).stream().findFirst();
  }

  /** Binds an SQL array of texts. */
  public static void bindTexts(PreparedStatement statement, int index, String[] texts)
      throws SQLException {
    statement.setArray(index, statement.getConnection().createArrayOf("text", texts));
  }

  /** The level that the driver believes a connection to have. */
  public static int isolation(Connection connection) throws SQLException {
    return connection.getTransactionIsolation();
  }
}
