package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.Mapping;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.RowState;
import dev.rowlock.conformance.kit.Answer;
import dev.rowlock.conformance.kit.ScriptedServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** H2 speaks in the manner of other databases, and learned to pass over locked rows late. */
class H2ModesTest {
  private static final String CREATE =
      "create table jobs (id bigint primary key, state varchar(20) default 'ready' not null,"
          + " claim_no bigint default 0 not null, attempts integer default 0 not null,"
          + " locked_until timestamp with time zone, run_after timestamp, last_error varchar(200))";
  private static final Mapping JOBS =
      Mapping.table("jobs")
          .key("id")
          .state("state", "ready", "processing", "done")
          .column(Role.TOKEN, "claim_no")
          .column(Role.ATTEMPTS, "attempts")
          .column(Role.LEASE_UNTIL, "locked_until")
          .column(Role.RUN_AT, "run_after")
          .column(Role.ERROR, "last_error")
          .build();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "REGULAR",
        "PostgreSQL",
        "MSSQLServer",
        "MariaDB",
        "MySQL",
        "Oracle",
        "DB2;DATABASE_TO_UPPER=FALSE"
      })
  void c118_twoOpenClaimsPassEachOther(String mode) throws SQLException {
    DataSource database = database(mode);
    try (Connection one = database.getConnection();
        Connection two = database.getConnection()) {
      Schema.run(database, CREATE, "insert into jobs (id) values (1), (2), (3)");
      Queue queue = Queue.builder("jobs", database, JOBS).build();
      one.setAutoCommit(false);
      two.setAutoCommit(false);
      List<Claim> first = queue.claim(one, 1);
      List<Claim> second = queue.claim(two, 1);
      assertThat(key(first)).isEqualTo(1L);
      assertThat(key(second)).isEqualTo(2L);
      one.commit();
      two.rollback();
      assertThat(queue.apply(new Change.Complete(first.get(0))).lost()).isFalse();
      assertThat(key(queue.claim(1))).isEqualTo(2L);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "REGULAR",
        "PostgreSQL",
        "MSSQLServer",
        "MariaDB",
        "MySQL",
        "Oracle",
        "DB2;DATABASE_TO_UPPER=FALSE"
      })
  void c118_aRowsWholeLife(String mode) {
    DataSource database = database(mode);
    Schema.run(database, CREATE);
    Queue queue = Queue.builder("jobs", database, JOBS).build();
    queue.enqueue(List.of(Map.of("id", 1), Map.of("id", 2)));
    List<Claim> claims = queue.claim(2);
    assertThat(claims).hasSize(2);
    assertThat(queue.apply(new Change.Extend(claims.get(0), Duration.ofMinutes(5))).lost())
        .isFalse();
    assertThat(
            queue.apply(
                List.of(
                    new Change.Complete(claims.get(0)),
                    new Change.Fail(claims.get(1), "x", Optional.of(Duration.ZERO)))))
        .noneMatch(Applied::lost);
    assertThat(queue.stats().count(RowState.DONE)).isEqualTo(1);
    assertThat(queue.drained()).isFalse();
    assertThat(queue.claim(5)).hasSize(1);
    Schema.run(database, "update jobs set locked_until = timestamp '2000-01-01 00:00:00'");
    assertThat(queue.recover(5).ready()).hasSize(1);
    assertThat(queue.list(RowState.READY, 5)).hasSize(1);
    assertThat(queue.show(queue.key("2"))).isPresent();
    assertThat(queue.verify().safe()).isTrue();
  }

  @Test
  void c118_anH2ThatCannotPassOverLockedRowsIsRefused() {
    try (ScriptedServer old = new ScriptedServer("H2")) {
      old.always("H2VERSION()", Answer.of().rows(Answer.row("2.1.214")))
          .always(
              "SKIP LOCKED",
              Answer.of().error(new SQLException("Syntax error in SQL statement", "42001", 42001)));
      assertThatThrownBy(() -> Queue.builder("jobs", old.dataSource(), JOBS).build())
          .isInstanceOf(ConfigurationException.class)
          .hasMessage(
              "database not supported: H2 2.1.214 has no SKIP LOCKED; use 2.2.220 or newer");
    }
  }

  private static Object key(List<Claim> claims) {
    assertThat(claims).hasSize(1);
    return claims.get(0).key().values().values().iterator().next();
  }

  private static DataSource database(String mode) {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;MODE=" + mode);
    source.setUser("sa");
    source.setPassword("");
    return source;
  }
}
