package dev.rowlock.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.Mapping;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.RowState;
import dev.rowlock.State;
import dev.rowlock.Verification;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The store on the embedded database: what only one kind of table can get wrong. */
class OnH2Test {
  private static final AtomicInteger NUMBERS = new AtomicInteger();

  private JdbcConnectionPool pool;

  @BeforeEach
  void open() {
    pool = JdbcConnectionPool.create("jdbc:h2:mem:store" + NUMBERS.incrementAndGet(), "sa", "");
    pool.setMaxConnections(2);
    pool.setLoginTimeout(3);
  }

  @AfterEach
  void close() {
    assertThat(pool.getActiveConnections()).isZero();
    pool.dispose();
  }

  private void sql(String... statements) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private Queue queue(Mapping.Builder mapping) {
    return Queue.builder("q", pool, mapping.build()).build();
  }

  @Test
  void verifyNeedsTwoConnections() throws SQLException {
    sql(
        "create table t (id int primary key, state varchar(20))",
        "create index t_claim on t (state, id)",
        "insert into t values (1, 'ready'), (2, 'ready')");
    Queue queue = queue(Mapping.table("t").key("id").state("state", "ready", "busy", "done"));
    for (int left = 2; left >= 1; left--) {
      Verification seen = queue.verify();
      assertThat(seen.safe()).as(seen.toString()).isTrue();
      assertThat(seen.conclusive()).isTrue();
      assertThat(seen.findings())
          .anySatisfy(f -> assertThat(f.text()).contains("the rows are as before"));
      assertThat(queue.stats().count(RowState.READY)).isEqualTo(left);
      sql("delete from t where id = " + left);
    }
  }

  @Test
  void deadAtBesideAStateWithoutADeadValueIsTheEnd() throws SQLException {
    sql(
        "create table t (id int primary key, state varchar(20), dead_at timestamp with time zone)",
        "insert into t (id, state) values (1, 'ready')");
    Queue queue =
        queue(
            Mapping.table("t")
                .key("id")
                .state("state", "ready", "busy", "done")
                .column(Role.DEAD_AT, "dead_at"));
    Claim claim = queue.claim(1).get(0);
    queue.apply(new Change.Dead(claim, "refused"));
    assertThat(queue.claim(1)).isEmpty();
    assertThat(queue.stats().counts()).containsOnly(Map.entry(RowState.DEAD, 1L));
  }

  @Test
  void aDeadLetterOutlastsItsOwnLimitOfAttempts() throws SQLException {
    sql(
        "create table t (id int primary key, state varchar(20), n int default 0, most int)",
        "insert into t (id, state, most) values (1, 'ready', 10)");
    Queue queue =
        queue(
            Mapping.table("t")
                .key("id")
                .state("state", "ready", "busy", "done")
                .column(Role.ATTEMPTS, "n")
                .column(Role.MAX_ATTEMPTS, "most"));
    queue.apply(new Change.Dead(queue.claim(1).get(0), "refused"));
    assertThat(queue.claim(1)).isEmpty();
  }

  @Test
  void aStampBesideAStateWithoutADoneValueIsNoCompletion() {
    State state =
        new State(
            "state",
            List.of("ready"),
            Optional.of("busy"),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    Mapping.Builder mapping =
        Mapping.table("t").key("id").state(state).column(Role.DONE_AT, "done_at");
    assertThatThrownBy(mapping::build)
        .isInstanceOf(ConfigurationException.class)
        .hasMessage("table 't': state has no done value; give one, or choose on-done: delete");
  }

  @Test
  void rowsOutsideThePredicateHoldNoGroupBack() throws SQLException {
    sql(
        "create table t (id int primary key, state varchar(20), author int, lang varchar(2))",
        "insert into t values (1, 'ready', 7, 'en'), (2, 'ready', 7, 'ru'), (3, 'ready', 7, 'ru')");
    Queue queue =
        queue(
            Mapping.table("t")
                .key("id")
                .state("state", "ready", "busy", "done")
                .column(Role.GROUP, "author")
                .where("lang = 'ru'"));
    List<Claim> claims = queue.claim(3);
    assertThat(claims).hasSize(1);
    assertThat(claims.get(0).key().get("ID")).isEqualTo(2L);
  }
}
