package dev.rowlock.cli.input;

import dev.rowlock.ConfigurationException;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.Key;
import dev.rowlock.Queue;
import dev.rowlock.RowlockException;
import dev.rowlock.cli.input.RowSource.Row;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Inserts rows of a file, and finds the one that is to blame when a batch is refused. */
public final class Batches {
  private final Queue queue;
  private final DataSource dataSource;

  /** For a queue and its database. */
  public Batches(Queue queue, DataSource dataSource) {
    this.queue = queue;
    this.dataSource = dataSource;
  }

  /** Inserts all of them or none; what goes wrong begins with file and line. */
  public List<Key> insert(List<Row> rows) {
    if (rows.isEmpty()) {
      return List.of();
    }
    try {
      return queue.enqueue(rows.stream().map(Row::values).toList());
    } catch (ConfigurationException e) {
      Refusal refusal = blame(rows).orElse(new Refusal(rows.get(0), e));
      throw new ConfigurationException(refusal.text(), e);
    } catch (DatabaseException e) {
      if (e.fault() == Fault.CONNECTION) {
        throw e;
      }
      Refusal refusal = blame(rows).orElse(new Refusal(rows.get(0), e));
      throw new DatabaseException(
          refusal.text(), e.fault(), e.getCause() instanceof SQLException sql ? sql : null);
    }
  }

  /** One row after the other, in a transaction that is rolled back. */
  private Optional<Refusal> blame(List<Row> rows) {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      try {
        for (Row row : rows) {
          try {
            queue.enqueue(connection, List.of(row.values()));
          } catch (RowlockException e) {
            return Optional.of(new Refusal(row, e));
          }
        }
      } finally {
        connection.rollback();
        connection.setAutoCommit(true);
      }
    } catch (SQLException e) {
      // The first error says what there is to say.
    }
    return Optional.empty();
  }

  /** A row and why it was refused. */
  private record Refusal(Row row, RowlockException why) {
    String text() {
      boolean header = row.header() && why.getMessage().contains(" has no column '");
      boolean semicolons = header && row.values().keySet().stream().anyMatch(c -> c.contains(";"));
      return "%s:%d: %s%s"
          .formatted(
              row.source(),
              header ? 1 : row.line(),
              why.getMessage(),
              semicolons ? "; the header has semicolons: separate the columns by commas" : "");
    }
  }
}
