package dev.rowlock.internal.jdbc;

import dev.rowlock.Fault;
import dev.rowlock.spi.Dialect;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Opens the first connection and finds out which database it leads to.
 *
 * @param detector finds the dialect
 */
public record Connector(Detector detector) {

  private static final int NETWORK_TIMEOUT_MILLIS = 20_000;

  /** Finds the dialect of a connection, or refuses. */
  @FunctionalInterface
  public interface Detector {
    Dialect detect(Connection connection, DatabaseMetaData metaData) throws SQLException;
  }

  /** What is done with the connection. */
  @FunctionalInterface
  public interface Look<T> {
    T at(Connection connection, Dialect dialect) throws SQLException;
  }

  public <T> T with(String queue, DataSource dataSource, Look<T> look) {
    Dialect dialect = null;
    try (Borrowed borrowed = new Borrowed(dataSource, NETWORK_TIMEOUT_MILLIS)) {
      Connection connection = borrowed.connection();
      dialect = detector.detect(connection, connection.getMetaData());
      return look.at(connection, dialect);
    } catch (SQLException e) {
      throw Failures.translate(
          queue, dialect == null ? "connecting" : "reading the table", e, fault(dialect, e));
    }
  }

  /** Before the dialect is known, only the standard's classes tell. */
  private static Fault fault(Dialect dialect, SQLException e) {
    if (dialect != null) {
      return dialect.classify(e);
    }
    String state = String.valueOf(e.getSQLState());
    return state.startsWith("28") ? Fault.PRIVILEGE : Fault.CONNECTION;
  }
}
