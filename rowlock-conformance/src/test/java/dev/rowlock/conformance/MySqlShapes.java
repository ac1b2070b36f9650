package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.State;
import dev.rowlock.conformance.kit.Rewritten;
import dev.rowlock.conformance.kit.TestTable;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables, columns, SQL modes and driver options of MariaDB and MySQL. */
interface MySqlShapes extends MySqlHazards, P14States {

  @ParameterizedTest
  @ValueSource(strings = {"MyISAM", "MEMORY", "Aria"})
  default void p14_anEngineWithoutTransactionsIsRefused(String engine) {
    String there = mySql().mariaDb() || !engine.equals("Aria") ? engine : "MyISAM";
    TestTable t = table("jobs").key("id").state().suffix("engine = " + there).create();
    assertThatThrownBy(t::queue)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContainingAll(there, "ENGINE = InnoDB");
  }

  @Test
  default void p14_partitionsAreWorkedLikeOneTable() {
    TestTable t =
        table("jobs").full().suffix("partition by hash (id) partitions 4").create().rows(1, 40);
    List<Claim> claims = t.queue().claim(30);
    assertThat(keys(claims)).isEqualTo(List.copyOf(TestTable.ids(1, 30)));
    assertThat(t.queue().apply(claims.stream().map(Change.Complete::new).toList()))
        .noneMatch(Applied::lost);
    assertThat(t.states()).isEqualTo(Map.of("done", 30L, "ready", 10L));
  }

  @Test
  default void p14_c024_anEnumState() {
    State state = State.of("state", "ready", "processing", "done").withDead("dead");
    life(
        table("jobs")
            .key("id")
            .state(state, "enum('ready', 'processing', 'done', 'dead') default 'ready' not null")
            .with(Role.TOKEN, Role.LEASE_UNTIL, Role.ERROR)
            .create(),
        state);
    TestTable short1 =
        table("short")
            .key("id")
            .state(state, "enum('ready', 'processing', 'it''s done') default 'ready' not null")
            .create();
    assertThatThrownBy(short1::queue)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContainingAll("'done'", "it's done", "enum");
  }

  @Test
  default void p14_c025_numbersOfEveryKindAsState() {
    for (String type : List.of("tinyint(1)", "tinyint unsigned", "bigint unsigned")) {
      State state = State.of("st", "0", "1", "2").withDead("3");
      life(
          table("t_" + type)
              .key("id")
              .state(state, type + " default 0 not null")
              .with(Role.TOKEN, Role.LEASE_UNTIL, Role.ERROR)
              .create(),
          state);
    }
  }

  @Test
  default void p13_c028_unsignedNumbersUpToTheirEnd() {
    TestTable t =
        table("jobs")
            .key("id", "bigint unsigned")
            .state()
            .with(Role.TOKEN, "no", "bigint unsigned default 0 not null")
            .with(Role.ATTEMPTS, "tries", "int unsigned default 0 not null")
            .create();
    t.add("id", new TestTable.Raw("18446744073709551615"));
    Claim claim = t.queue().claim(t.queue().claim(1).get(0).token());
    assertThat(claim.key().get("id")).isEqualTo(new BigDecimal("18446744073709551615"));
    assertThat(t.queue().apply(new Change.Release(claim)).lost()).isFalse();
    t.queue().complete(claim(t.queue()));
    assertThat(t.states()).isEqualTo(Map.of("done", 1L));
  }

  @Test
  default void p14_columnsOfItsOwnAreRead() {
    TestTable t =
        table("jobs")
            .full()
            .read("s", "set('a', 'b', 'c')")
            .read("j", "json")
            .read("b", "binary(4)")
            .read("bits", "bit(5)")
            .read("y", "year")
            .read("hidden", "int /*!80023 invisible */ /*M!100300 invisible */ default 7")
            .column("odd`tick", "int")
            .with(Role.ERROR, "problem", "json")
            .create();
    t.add("id", 1, "s", "a,c", "j", "{\"k\": [1, \"é\"]}", "y", 2026);
    Claim claim = claim(t.queue());
    assertThat(claim.problem()).isEmpty();
    assertThat(claim.row().get("s")).isEqualTo("a,c");
    assertThat((String) claim.row().get("j")).contains("\"k\"", "é");
    assertThat(claim.row().get("y")).isEqualTo(2026L);
    assertThat(claim.row().get("hidden")).isEqualTo(7L);
    t.queue().apply(new Change.Fail(claim, "it's \"no\" document", Optional.of(Duration.ZERO)));
    String text = "select json_unquote(problem) from " + t.name();
    assertThat(bench().schema().value(text)).isEqualTo("it's \"no\" document");
    Claim last =
        claim(t.queue(q -> q.retry(dev.rowlock.RetryPolicy.defaults().withMaxAttempts(2))));
    assertThat(last.attempt()).hasValue(2);
    t.expireAll();
    t.queue(q -> q.retry(dev.rowlock.RetryPolicy.defaults().withMaxAttempts(2))).recover(5);
    assertThat(t.state(1)).isEqualTo("dead");
    assertThat((String) bench().schema().value(text)).contains("lease expired");
  }

  @Test
  default void enqueue_aKeyOfSeveralColumnsOneOfThemCounted() {
    TestTable t =
        table("jobs")
            .key("tenant", "varchar(10)")
            .key("no", "bigint unsigned auto_increment")
            .state()
            .constraint("unique (no)")
            .create();
    assertThat(t.queue().enqueue(List.of(Map.of("tenant", "b"), Map.of("tenant", "a"))))
        .containsExactly(t.queue().key("b", "1"), t.queue().key("a", "2"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"utf8mb3", "latin1", "ascii", "utf8mb4", "cp1251", "ucs2"})
  default void p11_c111_anErrorTextThatTheColumnCannotHoldIsStoredAllTheSame(String charset) {
    TestTable t =
        table("jobs")
            .full()
            .with(Role.ERROR, "err", "varchar(40) character set " + charset)
            .create()
            .rows(1, 3);
    List<Claim> claims = t.queue().claim(3);
    String error = "x\uD83D\uDE00y é 水 Ж";
    assertThat(t.queue().fail(claims.get(0), error)).isEqualTo(Applied.Status.RETRYING);
    assertThat(
            t.queue()
                .apply(
                    List.of(
                        new Change.Fail(claims.get(1), error, Optional.empty()),
                        new Change.Dead(claims.get(2), error))))
        .noneMatch(Applied::lost);
    assertThat(t.get(1, "err").toString()).startsWith("x").contains("y ");
    assertThat(t.get(3, "err")).isEqualTo(t.get(1, "err"));
    assertThat(t.get(1, "err").equals(error)).isEqualTo(charset.equals("utf8mb4"));
    assertThat(t.queue().verify().findings().toString().contains("character set"))
        .isEqualTo(!charset.equals("utf8mb4"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"tinytext", "text", "mediumtext", "varchar(16000)"})
  default void p11_c112_aLongErrorFitsEveryKindOfText(String type) {
    TestTable t = table("jobs").full().with(Role.ERROR, "err", type).create().rows(1, 1);
    assertThat(t.queue().fail(claim(t.queue()), "\uD83D\uDE00".repeat(5_000_000)))
        .isEqualTo(Applied.Status.RETRYING);
    assertThat(t.get(1, "err").toString()).startsWith("\uD83D\uDE00");
  }

  @Test
  default void p11_c112_aResultLargerThanAPacketFailsThatRowAlone() {
    TestTable t = table("jobs").full().write("result", "longtext").create().rows(1, 2);
    long packet = ((Number) bench().schema().value("select @@max_allowed_packet")).longValue();
    List<Claim> claims = t.queue().claim(2);
    String large = "x".repeat((int) Math.min(packet + 1, 80_000_000));
    assertThatThrownBy(() -> t.queue().complete(claims.get(0), Map.of("result", large)))
        .isInstanceOf(DatabaseException.class);
    t.queue().complete(claims.get(1), Map.of("result", "small"));
    assertThat(t.queue().fail(claims.get(0), "too large")).isEqualTo(Applied.Status.RETRYING);
    assertThat(t.states()).isEqualTo(Map.of("done", 1L, "ready", 1L));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "ANSI_QUOTES",
        "NO_BACKSLASH_ESCAPES",
        "ANSI,PIPES_AS_CONCAT,IGNORE_SPACE",
        "PAD_CHAR_TO_FULL_LENGTH,NO_UNSIGNED_SUBTRACTION",
        "TRADITIONAL"
      })
  default void p14_anySqlMode(String mode) {
    State state = State.of("st'ate`", "re'ady\\", "proc", "done").withDead("it's dead");
    TestTable t =
        table("select")
            .key("id", "char(8)")
            .state(state, "char(12) not null")
            .with(Role.TOKEN, "to\"ken", "bigint unsigned default 0 not null")
            .with(Role.ATTEMPTS, "tries", "int unsigned default 0 not null")
            .with(Role.LEASE_UNTIL, Role.ERROR)
            .create();
    // Told to the driver, which has to know how text is written.
    String variables = "time_zone='+00:00',sql_mode='" + mode + "'";
    DataSource source =
        mySql().dataSource(bench().schema().name(), Map.of("sessionVariables", variables));
    Queue queue = t.queue(bench().pool(source, c -> {}));
    queue.enqueue(List.of(Map.of("id", "a\\"), Map.of("id", "b"), Map.of("id", "c")));
    List<Claim> claims = queue.claim(3);
    assertThat(keys(claims)).containsExactly("a\\", "b", "c");
    queue.complete(claims.get(0));
    assertThat(
            queue.apply(
                List.of(
                    new Change.Fail(claims.get(1), "it\\'s", Optional.of(Duration.ZERO)),
                    new Change.Release(claims.get(2)))))
        .noneMatch(Applied::lost);
    assertThat(t.get("b", "last_error")).isEqualTo("it\\'s");
    assertThat(t.states().values()).containsExactlyInAnyOrder(1L, 2L);
    assertThat(queue.verify().safe()).isTrue();
  }

  /** In such a session the token would stay as it is, and two claims would have the same. */
  @Test
  default void p05_aFullCounterIsAnErrorWithoutStrictModeToo() {
    TestTable t =
        table("jobs")
            .key("id")
            .state()
            .with(Role.TOKEN, "no", "tinyint unsigned default 0 not null")
            .create();
    t.add("id", 1, "no", 255);
    Queue queue = t.queue(bench().pool(c -> c.setConnectionInitSql("set session sql_mode = ''")));
    assertThatThrownBy(() -> queue.claim(1))
        .isInstanceOfSatisfying(
            DatabaseException.class, e -> assertThat(e.fault()).isEqualTo(Fault.DATA));
    assertThat(t.states()).isEqualTo(Map.of("ready", 1L));
  }

  /** Options of either driver; each takes its own and is silent about the other's. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "useAffectedRows=true",
        "useBulkStmts=true",
        "useBulkStmts=true,useAffectedRows=true",
        "useBulkStmtsForInserts=true",
        "rewriteBatchedStatements=true",
        "rewriteBatchedStatements=true,useAffectedRows=true",
        "useServerPrepStmts=true",
        "useServerPrepStmts=true,cachePrepStmts=true,useAffectedRows=true",
        "allowMultiQueries=true",
        "tinyInt1isBit=true"
      })
  default void p05_fencesHoldWhateverTheDriverCounts(String options) {
    Map<String, String> properties = new java.util.HashMap<>();
    for (String option : options.split(",")) {
      properties.put(option.split("=")[0], option.split("=")[1]);
    }
    TestTable t =
        table("jobs")
            .key("id")
            .state()
            .with(Role.LEASE_UNTIL, "until", "datetime")
            .with(Role.TOKEN, Role.WORKER, Role.ERROR, Role.RUN_AT)
            .create();
    DataSource source = mySql().dataSource(bench().schema().name(), properties);
    Queue queue = t.queue(bench().pool(source, c -> {}));
    queue.enqueue(List.of(Map.of("id", 1), Map.of("id", 2), Map.of("id", 3), Map.of("id", 4)));
    List<Claim> claims = queue.claim(4);
    // Twice in a second: the row does not change.
    List<Applied> extended = null;
    for (int i = 0; i < 2; i++) {
      extended =
          queue.apply(
              claims.stream().map(c -> new Change.Extend(c, Duration.ofMinutes(5))).toList());
      assertThat(extended.stream().map(Applied::status)).containsOnly(Applied.Status.EXTENDED);
      claims = extended.stream().map(Applied::claim).toList();
    }
    Claim stale = claims.get(3);
    t.expireAll();
    queue.recover(9);
    assertThat(queue.apply(claims.stream().map(Change.Complete::new).toList()))
        .as("all are lost")
        .allMatch(Applied::lost);
    List<Claim> again = queue.claim(4);
    assertThat(
            queue
                .apply(
                    List.of(
                        new Change.Complete(again.get(0)),
                        new Change.Complete(stale),
                        new Change.Complete(again.get(1))))
                .stream()
                .map(Applied::lost))
        .containsExactly(false, true, false);
    assertThat(
            queue
                .apply(
                    List.of(
                        new Change.Fail(again.get(2), "x", Optional.empty()),
                        new Change.Complete(again.get(0))))
                .stream()
                .map(Applied::lost))
        .containsExactly(false, true);
    assertThat(queue.apply(new Change.Complete(again.get(3))).lost()).isFalse();
    assertThat(t.states()).isEqualTo(Map.of("done", 3L, "ready", 1L));
  }

  @Test
  default void p07_aZoneThatTheServerDoesNotKnowIsRefused() {
    TestTable t =
        table("jobs")
            .key("id")
            .state()
            .with(Role.LEASE_UNTIL, "until", "datetime(6)")
            .map(m -> m.timeZone(ZoneId.of("Europe/Berlin")))
            .create();
    DataSource without =
        Rewritten.of(
            bench().schema().dataSource(),
            sql -> sql.startsWith("SELECT CONVERT_TZ") ? "SELECT ? IS NULL" : sql);
    assertThatThrownBy(() -> t.queue(without))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContainingAll("Europe/Berlin", "tzinfo");
  }

  @Test
  default void p07_pointsInTimeOnAServerWithoutStatementSettingsAreRefused() {
    TestTable mapped =
        table("jobs").key("id").state().with(Role.LEASE_UNTIL, "until", "timestamp null").create();
    TestTable read = table("seen").key("id").state().read("at", "timestamp null").create();
    DataSource here = bench().schema().dataSource();
    boolean none = db().lacks(Facility.POINTS_IN_TIME).isPresent();
    DataSource old = none ? here : Rewritten.of(here, MySqlShapes::withoutSettings);
    assertThatThrownBy(() -> mapped.queue(old))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContainingAll("until", "8.0.17", "DATETIME");
    assertThatThrownBy(() -> read.queue(old))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContainingAll("(at)", "8.0.17");
  }

  private static String withoutSettings(String sql) {
    return sql.replaceAll("(?s)SET STATEMENT.*FOR\\n|/\\*\\+ SET_VAR.*\\*/", "")
        .replace("@@SESSION.time_zone", "'SYSTEM'");
  }
}
