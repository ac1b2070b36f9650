package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.Mapping;
import dev.rowlock.OnDone;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.RowState;
import dev.rowlock.State;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.Threads;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** What can go wrong on SQL Server alone (T7). */
interface SqlServerShapes extends Suite {

  private Queue guide(DataSource pool) {
    return Queue.builder(
            "guide",
            pool,
            Mapping.table("dbo.Table_Queue")
                .key("Id")
                .state(
                    new State(
                        "Status",
                        List.of("Pending", "Failed"),
                        Optional.of("Processing"),
                        Optional.of("Success"),
                        Optional.of("Failed"),
                        Optional.empty()))
                .column(Role.CLAIMED_AT, "ProcessingStartedAt")
                .column(Role.ATTEMPTS, "RetryCount")
                .build())
        .lease(Duration.ofMinutes(5))
        .build();
  }

  private void createGuide(int rows) {
    bench()
        .schema()
        .execute(
            """
            CREATE TABLE dbo.Table_Queue (Id bigint IDENTITY(1,1) PRIMARY KEY, Status nvarchar(20) NOT NULL DEFAULT 'Pending',
              ProcessingStartedAt datetime2(3) NULL, RetryCount int NOT NULL DEFAULT 0)
            """,
            "CREATE INDEX IX_Queue_Status_Id ON dbo.Table_Queue (Status, Id)");
    for (int i = 0; i < rows; i++) {
      bench().schema().execute("INSERT INTO dbo.Table_Queue DEFAULT VALUES");
    }
  }

  private List<Object> guideColumn(String column) {
    return bench().schema().query("SELECT " + column + " FROM dbo.Table_Queue ORDER BY Id").stream()
        .map(r -> r.get(0))
        .toList();
  }

  @Test
  default void p05_c087_theTableOfTheGuideWorksAsItIs() {
    createGuide(5);
    Queue queue = guide(bench().pool());
    assertThat(queue.sql().statements().get(0).sql()).contains("UPDATE next");
    List<Claim> claims = queue.claim(3);
    assertThat(keys(claims)).containsExactly(1L, 2L, 3L);
    assertThat(guideColumn("RetryCount")).containsExactly(1, 1, 1, 0, 0);
    assertThat(
            queue.apply(
                List.of(
                    new Change.Complete(claims.get(0)),
                    new Change.Fail(claims.get(1), "x", Optional.empty()))))
        .noneMatch(Applied::lost);
    assertThat(guideColumn("Status"))
        .containsExactly("Success", "Failed", "Processing", "Pending", "Pending");
    assertThat(keys(queue.claim(5))).as("failed rows come after").containsExactly(4L, 5L, 2L);
    bench()
        .schema()
        .execute(
            "UPDATE dbo.Table_Queue SET ProcessingStartedAt = DATEADD(minute, -6, SYSUTCDATETIME()) WHERE Id IN (3, 4)");
    assertThat(queue.recover(10).ready()).hasSize(2);
    assertThat(queue.apply(List.of(new Change.Complete(claims.get(2)))).get(0).lost()).isTrue();
    assertThat(queue.enqueue(List.of(Map.of())).get(0)).isEqualTo(queue.key("6"));
  }

  @Test
  default void p01_eightClaimersShareTheGuidesTableByOneStatement() {
    createGuide(60);
    Queue queue = guide(bench().pool());
    List<Object> all = new ArrayList<>();
    Threads.race(8, i -> drain(queue)).forEach(all::addAll);
    assertThat(all).hasSize(60).doesNotHaveDuplicates();
  }

  private List<Object> drain(Queue queue) {
    List<Object> mine = new ArrayList<>();
    while (true) {
      List<Claim> some = queue.claim(3);
      if (some.isEmpty() && queue.stats().count(RowState.READY) == 0) {
        return mine;
      }
      mine.addAll(keys(some));
      some.forEach(queue::complete);
    }
  }

  @Test
  default void p14_c084_aTriggerThatIsAddedWhileItRunsChangesNothing() {
    createGuide(4);
    Queue queue = guide(bench().pool());
    queue.complete(claim(queue));
    bench()
        .schema()
        .execute(
            "CREATE TABLE dbo.Audit (Id bigint IDENTITY(1,1) PRIMARY KEY, Was nvarchar(20))",
            "CREATE TRIGGER dbo.Watch ON dbo.Table_Queue AFTER UPDATE AS INSERT INTO dbo.Audit (Was) SELECT Status FROM deleted");
    List<Claim> claims = queue.claim(2);
    assertThat(keys(claims)).containsExactly(2L, 3L);
    assertThat(queue.apply(claims.stream().map(Change.Complete::new).toList()))
        .noneMatch(Applied::lost);
    queue.release(claim(queue));
    assertThat(guideColumn("Status")).containsExactly("Success", "Success", "Success", "Pending");
    assertThat(bench().schema().count("dbo.Audit")).isEqualTo(6);
  }

  @Test
  default void p05_c086_nocountHidesNothing() {
    TestTable t = table("jobs").full().map(m -> m.onDone(OnDone.delete())).create().rows(1, 4);
    Queue queue = t.queue(bench().pool(config -> config.setConnectionInitSql("SET NOCOUNT ON")));
    List<Claim> claims = queue.claim(3);
    assertThat(claims).hasSize(3);
    queue.complete(claims.get(0));
    assertThat(queue.apply(List.of(new Change.Complete(claims.get(0)))).get(0).lost()).isTrue();
    assertThat(queue.apply(claims.stream().map(Change.Complete::new).toList()))
        .extracting(Applied::lost)
        .containsExactly(true, false, false);
    assertThat(t.count()).isEqualTo(1);
    assertThat(queue.enqueue(List.of(Map.of("id", 9)))).hasSize(1);
  }

  @Test
  default void p09_c081_aTransactionInWhichNothingCanBePassedOverIsRefused() throws Exception {
    TestTable t = table("jobs").full().create().rows(1, 2);
    try (Connection connection = bench().schema().dataSource().getConnection()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> t.queue().claim(connection, 1))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("SERIALIZABLE")
          .hasMessageContaining("READ COMMITTED");
      connection.rollback();
    }
    assertThat(t.count("state", "ready")).isEqualTo(2);
  }

  @Test
  default void p14_anInsteadOfTriggerIsRefused() {
    TestTable t = table("jobs").full().create();
    t.sql("CREATE TRIGGER instead_of ON %s INSTEAD OF UPDATE AS SELECT 1", t.name());
    assertThatThrownBy(t::queue)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("[instead_of]")
        .hasMessageContaining("AFTER trigger");
  }
}
