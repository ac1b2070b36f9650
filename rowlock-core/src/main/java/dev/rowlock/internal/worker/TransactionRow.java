package dev.rowlock.internal.worker;

import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.Queue;
import dev.rowlock.internal.jdbc.WorkTransaction;
import java.sql.Connection;
import java.util.LinkedHashMap;
import java.util.Map;

/** A row held by an open transaction. */
final class TransactionRow extends Row {
  private final Queue queue;
  private final WorkTransaction transaction;

  TransactionRow(Claim claim, Queue queue, WorkTransaction transaction) {
    super(claim);
    this.queue = queue;
    this.transaction = transaction;
  }

  WorkTransaction transaction() {
    return transaction;
  }

  @Override
  public Connection connection() {
    return transaction.guarded();
  }

  @Override
  public void complete(Connection connection, Map<String, ?> results) {
    if (connection != transaction.guarded() && connection != transaction.connection()) {
      throw new IllegalArgumentException(
          "queue '%s' is in transactional mode: complete with job.connection(), which holds the row"
              .formatted(queue.name()));
    }
    queue.apply(
        transaction.connection(), new Change.Complete(claim(), new LinkedHashMap<>(results)));
    completedByHandler(true);
  }
}
