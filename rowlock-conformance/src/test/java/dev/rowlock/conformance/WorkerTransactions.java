package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Outcome;
import dev.rowlock.RetryPolicy;
import dev.rowlock.Role;
import dev.rowlock.Worker;
import dev.rowlock.conformance.kit.TestTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** P10 for workers: effects in the same database happen once. */
interface WorkerTransactions extends Workers {

  private static void effect(TestDatabase db, Connection connection, Object id)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      // The key makes a second effect an error.
      statement.execute(
          "insert into %s (%s) values (%s)".formatted(db.quote("effects"), db.quote("id"), id));
    }
  }

  @Test
  default void p10_transactionalWorkersWithFailuresAndDeadLetters() {
    TestTable effects = table("effects").key("id").state().create();
    TestTable t =
        table("inbox")
            .key("id")
            .with(Role.DONE_AT, "processed_at", db().timestampType())
            .with(Role.ATTEMPTS, Role.ERROR, Role.DEAD_AT)
            .read("payload", db().textType())
            .transactional()
            .retry(
                RetryPolicy.defaults().withMaxAttempts(5).withBackoff(Duration.ZERO, Duration.ZERO))
            .create();
    List<String> documents = Samples.documents();
    List<Map<String, Object>> rows = new ArrayList<>();
    for (int i = 0; i < documents.size(); i++) {
      rows.add(Map.of("id", i + 1, "payload", documents.get(i)));
    }
    t.queue().enqueue(rows);
    Worker worker =
        running(
            worker(
                    t.queue(),
                    job -> {
                      long id = (Long) job.get("id");
                      effect(db(), job.connection(), id);
                      assertThat(job.text("payload")).isEqualTo(documents.get((int) id - 1));
                      if (id % 10 == 0) {
                        throw new IllegalArgumentException("refused " + id);
                      }
                      if (id % 10 == 5 && job.claim().attempt().getAsInt() < 3) {
                        return Outcome.retry("not yet", Duration.ZERO);
                      }
                      return Outcome.done();
                    })
                .threads(4)
                .batch(3));
    drained(worker);
    long all = documents.size();
    long dead = all / 10;
    assertThat(t.count("dead_at", null)).isEqualTo(all - dead);
    assertThat(t.count("processed_at", null)).isEqualTo(dead);
    assertThat(t.count("attempts", 5)).as("dead after five attempts").isEqualTo(dead);
    assertThat(effects.count()).as("failed attempts left no effect").isEqualTo(all - dead);
    assertThat(t.get(10, "last_error").toString()).contains("refused 10");
    assertThat(t.number(15, "attempts")).isEqualTo(3);
  }

  @Test
  default void p10_aMarkerOnlyOutbox() {
    TestTable effects = table("effects").key("id").state().create();
    TestTable t =
        table("outbox")
            .key("id")
            .with(Role.DONE_AT, "processed_at", db().timestampType())
            .transactional()
            .create()
            .rows(1, 100);
    Worker worker =
        running(
            worker(
                t.queue(),
                job -> {
                  effect(db(), job.connection(), job.get("id"));
                  return Outcome.done();
                }));
    drained(worker);
    assertThat(effects.count()).isEqualTo(100);
    assertThat(t.count("processed_at", null)).isZero();
  }

  @Test
  default void p10_completionInTheHandlersOwnTransaction() {
    TestTable effects = table("effects").key("id").state().create();
    TestTable t =
        table("jobs")
            .full()
            // What a handler rolls back after complete() comes back when its lease has ended.
            .lease(Duration.ofMillis(700))
            .write("result", db().varcharType(20))
            .create()
            .rows(1, 60);
    Worker worker =
        running(
            worker(
                t.queue(),
                job -> {
                  try (Connection connection = bench().schema().dataSource().getConnection()) {
                    connection.setAutoCommit(false);
                    effect(db(), connection, job.get("id"));
                    job.complete(connection, Map.of("result", "r" + job.get("id")));
                    if ((Long) job.get("id") % 6 == 0 && job.claim().attempt().getAsInt() == 1) {
                      connection.rollback();
                      return Outcome.retry("rolled back", Duration.ZERO);
                    }
                    connection.commit();
                  }
                  return Outcome.done();
                }));
    drained(worker);
    assertThat(t.states()).isEqualTo(Map.of("done", 60L));
    assertThat(effects.count()).isEqualTo(60);
    assertThat(t.get(12, "result")).isEqualTo("r12");
    assertThat(t.number(12, "attempts")).isEqualTo(2);
  }
}
