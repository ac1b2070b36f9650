package dev.rowlock.conformance;

import static dev.rowlock.conformance.SqlServerScript.CLAIM;
import static dev.rowlock.conformance.SqlServerScript.COMPLETE_ONE;
import static dev.rowlock.conformance.SqlServerScript.ENQUEUE;
import static dev.rowlock.conformance.SqlServerScript.RECOVER;
import static dev.rowlock.conformance.SqlServerScript.SESSION_LEVEL;
import static dev.rowlock.conformance.SqlServerScript.SNAPSHOT;
import static dev.rowlock.conformance.SqlServerScript.WRITE_MANY;
import static dev.rowlock.conformance.SqlServerScript.ids;
import static dev.rowlock.conformance.SqlServerScript.taken;
import static dev.rowlock.conformance.kit.Answer.row;
import static java.sql.Connection.TRANSACTION_READ_COMMITTED;
import static java.sql.Connection.TRANSACTION_READ_UNCOMMITTED;
import static java.sql.Connection.TRANSACTION_REPEATABLE_READ;
import static java.sql.Connection.TRANSACTION_SERIALIZABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.Fault;
import dev.rowlock.Queue;
import dev.rowlock.conformance.kit.Answer;
import dev.rowlock.conformance.kit.ScriptedServer;
import dev.rowlock.conformance.kit.ScriptedServer.Asked;
import dev.rowlock.conformance.kit.ScriptedServer.Bound;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Isolation levels, the types of parameters, and how much one statement locks. */
@Timeout(60)
class SqlServerSessionsTest {
  private final SqlServerScript script = new SqlServerScript();
  private final ScriptedServer server = script.server;

  @AfterEach
  void close() {
    script.close();
  }

  private interface Use {
    void of(Connection connection) throws SQLException;
  }

  /** A transaction of the caller's at a level, which comes back as it went. */
  private void callersTransaction(int level, Use use) throws SQLException {
    server.isolation(level);
    try (Connection mine = server.dataSource().getConnection()) {
      mine.setAutoCommit(false);
      server.forget();
      use.of(mine);
      assertThat(mine.getTransactionIsolation()).isEqualTo(level);
      mine.rollback();
      mine.setAutoCommit(true);
    }
  }

  @ParameterizedTest
  @CsvSource({
    SNAPSHOT + ", SNAPSHOT",
    TRANSACTION_SERIALIZABLE + ", SERIALIZABLE",
    TRANSACTION_READ_UNCOMMITTED + ", READ UNCOMMITTED"
  })
  void c081_c082_claimingInSuchATransactionIsRefusedWithTheReason(int level, String name)
      throws SQLException {
    Queue queue = script.queue();
    server.always(SESSION_LEVEL, Answer.of().rows(row("")));
    callersTransaction(
        level,
        mine -> {
          for (Use use : List.<Use>of(c -> queue.claim(c, 1), c -> queue.recover(c, 1))) {
            assertThatThrownBy(() -> use.of(mine))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContainingAll(name, "READPAST", "650", "READ COMMITTED");
          }
          assertThat(server.asked(CLAIM)).isEmpty();
          assertThat(server.asked(RECOVER)).isEmpty();
          assertThat(server.events()).isEmpty();
        });
  }

  /** The driver believes in READ COMMITTED, but somebody has run a SET. */
  @ParameterizedTest
  @ValueSource(strings = {"SNAPSHOT", "SERIALIZABLE"})
  void c081_aLevelThatWasSetPastTheDriverIsSeen(String name) throws SQLException {
    Queue queue = script.queue();
    server.always(SESSION_LEVEL, Answer.of().rows(row(name)));
    callersTransaction(
        TRANSACTION_READ_COMMITTED,
        mine ->
            assertThatThrownBy(() -> queue.claim(mine, 1))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(name));
    assertThat(server.asked(CLAIM)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {TRANSACTION_READ_COMMITTED, TRANSACTION_REPEATABLE_READ})
  void c081_theOtherLevelsAreFine(int level) throws SQLException {
    Queue queue = script.queue();
    server.always(SESSION_LEVEL, Answer.of().rows(row("")));
    server.once(CLAIM, Answer.of().count(1).rows(taken(1)));
    callersTransaction(level, mine -> assertThat(ids(queue.claim(mine, 1))).containsExactly(1L));
  }

  /** Only claims and recoveries pass over locked rows; the rest works at any level. */
  @Test
  void c082_completingAndEnqueuingInASnapshotTransactionWork() throws SQLException {
    Queue queue = script.queue();
    Claim claim = script.claimed(queue, 1).get(0);
    server.once(COMPLETE_ONE, Answer.of().count(1).rows(row(1)));
    server.once(ENQUEUE, Answer.of().count(1).rows(row(2L)));
    callersTransaction(
        SNAPSHOT,
        mine -> {
          queue.complete(mine, claim, Map.of());
          assertThat(queue.enqueue(mine, List.of(Map.of("Title", "x")))).hasSize(1);
        });
    assertThat(server.asked("READPAST")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {SNAPSHOT, TRANSACTION_SERIALIZABLE, TRANSACTION_READ_COMMITTED})
  void c081_ownStatementsRunAtReadCommittedAndTheConnectionComesBackAsItCame(int level) {
    Queue queue = script.queue();
    server.isolation(level);
    server.always(CLAIM, Answer.of().count(0).rows());
    server.always(RECOVER, Answer.of().count(0).rows());
    server.always(ENQUEUE, Answer.of().count(1).rows(row(1L)));
    queue.claim(1);
    queue.recover(1);
    queue.enqueue(List.of(Map.of("Title", "x")));
    assertThat(server.asked())
        .hasSize(3)
        .extracting(Asked::isolation)
        .containsOnly(TRANSACTION_READ_COMMITTED);
  }

  /** Error 650 on a connection of our own: the level is set anew, whatever the driver remembers. */
  @Test
  void c081_aLevelThatSomebodyChangedOnAPooledConnectionIsSetAnew() throws SQLException {
    SQLException wrongLevel =
        ScriptedServer.error(
            650,
            "You can only specify the READPAST lock in the READ COMMITTED or REPEATABLE READ isolation levels.");
    Queue queue = script.queue(server.pool());
    server.once(CLAIM, Answer.of().error(wrongLevel));
    server.once(CLAIM, Answer.of().count(1).rows(taken(1)));
    assertThat(ids(queue.claim(1))).containsExactly(1L);
    assertThat(script.retried).containsExactly(Fault.SERIALIZATION);
    assertThat(server.opened()).isEqualTo(1);
    assertThat(server.events()).contains("1 setTransactionIsolation " + TRANSACTION_READ_COMMITTED);
  }

  private static List<Bound> valuesFor(Asked asked, String setter) {
    return asked.values().stream().filter(b -> b.setter().equals(setter)).toList();
  }

  /** As narrow as the column, or it is the column that the server converts. */
  @Test
  void c094_numbersHaveTheirColumnsType() {
    Queue queue = script.queue();
    Claim claim = script.claimed(queue, 1).get(0);
    server.once(COMPLETE_ONE, Answer.of().rows(row(1)));
    queue.complete(claim);
    Asked asked = server.asked(COMPLETE_ONE).get(0);
    assertThat(valuesFor(asked, "setLong")).as("Id and ClaimNo are bigint").hasSize(2);
    assertThat(valuesFor(asked, "setInt")).as("RetryCount is int").hasSize(1);
    assertThat(valuesFor(asked, "setNString")).as("Status, old and new, nvarchar").hasSize(2);
    assertThat(asked.sql()).doesNotContain("CAST(? ");
  }

  /** A varchar key and state: every text that they are compared with is cast, none of them is. */
  @Test
  void c094_textsForVarcharColumnsAreCastAndTheColumnIsNot() {
    script.column("Id", "varchar", 36).column("Status", "varchar", 20);
    Queue queue = script.queue();
    server.once(CLAIM, Answer.of().rows(row("k", "1", "1", taken(1).get(3), 1, "t")));
    Claim claim = queue.claim(1).get(0);
    server.once(COMPLETE_ONE, Answer.of().rows(row(1)));
    queue.complete(claim);
    for (Asked asked : List.of(server.asked(CLAIM).get(0), server.asked(COMPLETE_ONE).get(0))) {
      assertThat(asked.sql())
          .contains("[Status] = CAST(? AS varchar(8000))")
          .doesNotContain("[Status] = ?", "[Id] = ?");
      assertThat(asked.sql()).doesNotContainPattern("(?:CAST|CONVERT)\\([qt]\\.\\[(?:Id|Status)]");
      assertThat(valuesFor(asked, "setString")).as("would depend on the URL").isEmpty();
    }
    assertThat(server.asked(COMPLETE_ONE).get(0).sql()).contains("[Id] = CAST(? AS varchar(8000))");
  }

  @Test
  void c094_missingValuesHaveATypeToo() {
    Queue queue = script.queue();
    List<Claim> claims = script.claimed(queue, 2);
    server.once(WRITE_MANY, Answer.of().rows(row(1), row(2)));
    List<Change> changes = new ArrayList<>();
    claims.forEach(c -> changes.add(new Change.Complete(c, Map.of())));
    queue.apply(changes);
    Asked asked = server.asked(WRITE_MANY).get(0);
    assertThat(valuesFor(asked, "setNull"))
        .as("two places of three values are left over")
        .hasSize(6);
    assertThat(valuesFor(asked, "setNull"))
        .extracting(Bound::value)
        .containsOnly(java.sql.Types.BIGINT);
  }

  /** In parts, each far below the 5,000 locks at which the server locks the whole table. */
  @Test
  void c088_aLargeClaimIsCutIntoParts() {
    Queue queue = script.queue();
    List<Long> limits = new ArrayList<>();
    server.always(
        CLAIM,
        asked -> {
          long limit = (Long) asked.values().get(0).value();
          limits.add(limit);
          Answer.Row[] rows = new Answer.Row[(int) limit];
          for (int i = 0; i < limit; i++) {
            rows[i] = taken(limits.size() * 100_000L + i);
          }
          return Answer.of().rows(rows);
        });
    assertThat(queue.claim(5000)).hasSize(5000);
    // The row, and in each of two indexes what is taken out and what is put in.
    assertThat(limits).hasSizeGreaterThan(5).allSatisfy(l -> assertThat(l * 6).isLessThan(5000));
    assertThat(limits.stream().mapToLong(Long::longValue).sum()).isEqualTo(5000);
  }

  @Test
  void c088_manyCompletionsAreCutIntoStatements() {
    Queue queue = script.queue();
    List<Claim> claims = script.claimed(queue, 600);
    server.always(WRITE_MANY, asked -> script.completed(asked));
    List<Change> changes = new ArrayList<>();
    claims.forEach(c -> changes.add(new Change.Complete(c, Map.of())));
    assertThat(queue.apply(changes)).noneMatch(Applied::lost);
    assertThat(script.completed()).hasSize(600).doesNotHaveDuplicates();
    assertThat(server.asked(WRITE_MANY))
        .allSatisfy(a -> assertThat(a.values().size()).as("parameters").isLessThan(2100));
  }

  @Test
  void c088_whatIsMoreThanOnePartIsNotAskedForAfterAnEmptyAnswer() {
    Queue queue = script.queue();
    server.always(CLAIM, Answer.of().rows());
    assertThat(queue.claim(5000)).isEmpty();
    assertThat(server.asked(CLAIM)).hasSize(1);
  }

  @Test
  void c089_anIndexWithoutRowLocksIsRefusedWithTheFix() {
    script.index(3, "IX_Title", false, false, "Title");
    assertThatThrownBy(script::queue)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContainingAll(
            "[IX_Title]",
            "ALLOW_ROW_LOCKS = OFF",
            "ALTER INDEX [IX_Title] ON [dbo].[Table_Queue] SET (ALLOW_ROW_LOCKS = ON)");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void c092_countingWaitsForNobody(boolean versioned) {
    if (versioned) {
      script.versioned();
    }
    Queue queue = script.queue();
    server.always("COUNT_BIG", Answer.of().rows(row("ready", 3L, null)));
    assertThat(queue.stats().count(dev.rowlock.RowState.READY)).isEqualTo(3);
    String sql = server.asked("COUNT_BIG").get(0).sql();
    assertThat(sql.contains("WITH (READCOMMITTEDLOCK, READPAST)")).isEqualTo(!versioned);
    assertThat(sql).doesNotContain("NOLOCK");
  }

  @Test
  void c093_noFilteredIndexIsEverRecommended() {
    SqlServerScript bare = new SqlServerScript().withoutIndexes();
    Queue queue = bare.queue();
    assertThat(queue.sql().advice())
        .anySatisfy(
            s -> assertThat(s.sql()).startsWith("CREATE INDEX").contains("([Status], [Id])"))
        .allSatisfy(s -> assertThat(s.sql()).doesNotContain(" WHERE "));
    bare.close();
  }
}
