package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.Mapping;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.UrlDataSource;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables, types and values as only SQLite has them. */
interface SqliteShapes extends Suite {

  private void sql(String... statements) {
    bench().schema().execute(statements);
  }

  private Queue queue(String table, String... key) {
    return Queue.builder(
            "test",
            bench().pool(),
            Mapping.table(table)
                .key(key)
                .state("state", "ready", "processing", "done")
                .column(Role.TOKEN, "claim_no")
                .build())
        .build();
  }

  private static String columns() {
    return "state text not null default 'ready', claim_no integer not null default 0";
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "without rowid", "strict", "strict, without rowid"})
  default void p14_sqlite_everyKindOfTable(String options) {
    sql(
        "create table jobs(tenant text not null, no integer not null, %s, primary key (tenant, no)) %s"
            .formatted(columns(), options),
        "insert into jobs(tenant, no) values ('b', 1), ('a', 2), ('a', 1)");
    Queue queue = queue("jobs", "tenant", "no");
    List<Claim> claims = queue.claim(2);
    assertThat(claims.stream().map(c -> c.key().toString()))
        .containsExactly("tenant=a, no=1", "tenant=a, no=2");
    queue.complete(claims.get(0));
    queue.release(claims.get(1));
    assertThat(queue.claim(5)).hasSize(2);
  }

  @Test
  default void p14_sqlite_theRowidByAnyName() {
    sql(
        "create table jobs(Id integer primary key autoincrement, %s)".formatted(columns()),
        "insert into jobs(state) values ('ready'), ('ready')");
    Queue queue = queue("jobs", "id");
    assertThat(queue.enqueue(List.of(Map.of())).get(0).get("Id")).isEqualTo(3L);
    assertThat(keys(queue.claim(5))).containsExactly(1L, 2L, 3L);
  }

  @Test
  default void p14_sqlite_aPrimaryKeyThatAcceptsNull() {
    sql("create table jobs(code text primary key, %s)".formatted(columns()));
    sql("insert into jobs(code) values ('b'), ('a')");
    Queue queue = queue("jobs", "code");
    assertThat(queue.verify().findings().toString()).contains("not declared NOT NULL");
    sql("insert into jobs(code) values (null)");
    assertThat(keys(queue.claim(2))).as("NULL would come first").containsExactly("a", "b");
    assertThatThrownBy(() -> queue("jobs", "code"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("may be NULL");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "create view jobs as select * from real | view | table under it",
        "create virtual table jobs using fts5(id, state, claim_no) | virtual table | table of its own",
      })
  default void p14_sqlite_whatIsNoTableIsRefused(String ddl, String what, String fix) {
    sql("create table real(id integer primary key, %s)".formatted(columns()), ddl);
    assertThatThrownBy(() -> queue("jobs", "id"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(what)
        .hasMessageContaining(fix);
  }

  @Test
  default void p14_sqlite_aTemporaryTableIsRefused() {
    DataSource source =
        bench()
            .pool(
                c ->
                    c.setConnectionInitSql(
                        "create temp table if not exists jobs(id integer primary key, state text, claim_no integer)"));
    assertThatThrownBy(
            () ->
                Queue.builder(
                        "test",
                        source,
                        Mapping.table("jobs").key("id").state("state", "a", "b", "c").build())
                    .build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("temporary");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:sqlite::memory:",
        "jdbc:sqlite:",
        "jdbc:sqlite:file:x?mode=memory&cache=shared"
      })
  default void refuse_sqlite_aDatabaseInMemory(String url) {
    TestTable t = table("jobs").full().create();
    assertThatThrownBy(() -> t.queue(new UrlDataSource(url, new Properties())))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("in memory")
        .hasMessageContaining("use a file");
  }

  /** Connections whose parser does not know RETURNING. */
  private static <T> T old(Class<T> type, Object real) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, args) -> {
              if (method.getName().equals("prepareStatement")
                  && args[0].toString().contains("RETURNING")) {
                throw new SQLException("(near \"RETURNING\": syntax error)", null, 1);
              }
              Object result = method.invoke(real, args);
              return result instanceof Connection ? old(Connection.class, result) : result;
            }));
  }

  @Test
  default void refuse_sqlite_aLibraryWithoutReturning() {
    TestTable t = table("jobs").full().create();
    DataSource source = old(DataSource.class, bench().schema().dataSource());
    assertThatThrownBy(() -> t.queue(source))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("3.35");
  }

  @Test
  default void p14_sqlite_triggersCountNothingAndMayKeepARow() {
    TestTable t = table("jobs").full().create().rows(1, 3);
    sql(
        "create table log(id integer)",
        "create trigger twice after update on jobs begin insert into log values (new.id); insert into log values (new.id); end",
        "create trigger keep before update on jobs when old.id = 2 begin select raise(ignore); end");
    List<Claim> claims = t.queue().claim(5);
    assertThat(keys(claims))
        .as("a row that stays as it is was not claimed")
        .containsExactly(1L, 3L);
    assertThat(t.queue().apply(claims.stream().map(Change.Complete::new).toList()))
        .extracting(Applied::status)
        .containsOnly(Applied.Status.COMPLETED);
    assertThat(t.state(2)).isEqualTo("ready");
    assertThat(bench().schema().count("log")).isEqualTo(8);
  }

  @Test
  default void p13_sqlite_keysWithoutCaseSortAsTheColumnDoes() {
    sql(
        "create table jobs(code text collate nocase not null primary key, %s)".formatted(columns()),
        "insert into jobs(code) values ('b'), ('A'), ('C'), ('a2')");
    Queue queue = queue("jobs", "code");
    List<Claim> claims = queue.claim(4);
    assertThat(keys(claims)).containsExactly("A", "a2", "b", "C");
    queue.complete(claims.get(3));
  }

  @Test
  default void p13_sqlite_uuidsAsTheyAreStored() {
    String uuid = "1b4e28ba-2fa1-11d2-883f-0016d3cca427";
    String hex = uuid.replace("-", "");
    for (String[] c :
        new String[][] {
          {"uuid", "'" + uuid + "'"},
          {"uuid", "'" + uuid.toUpperCase(java.util.Locale.ROOT) + "'"},
          {"uuid", "x'" + hex + "'"},
          {"text", "'" + uuid + "'"},
          {"blob", "x'" + hex + "'"}
        }) {
      sql(
          "drop table if exists jobs",
          "create table jobs(id %s not null primary key, %s)".formatted(c[0], columns()),
          "insert into jobs(id) values (%s)".formatted(c[1]));
      Queue queue = queue("jobs", "id");
      queue.complete(claim(queue));
      assertThat(bench().schema().value("select state from jobs")).as(c[1]).isEqualTo("done");
    }
    assertThat(queue("jobs", "id").key(hex).get("id")).isEqualTo(HexFormat.of().parseHex(hex));
  }

  @ParameterizedTest
  @ValueSource(strings = {"7", "'seven'", "x'07'"})
  default void p13_sqlite_aColumnWithoutATypeIsWhatItHolds(String value) {
    sql(
        "create table jobs(id not null primary key, %s)".formatted(columns()),
        "insert into jobs(id) values (%s)".formatted(value));
    Queue queue = queue("jobs", "id");
    queue.complete(claim(queue));
    assertThat(bench().schema().value("select state from jobs")).isEqualTo("done");
  }

  @Test
  default void p11_sqlite_aValueThatIsNotOfItsColumnsTypeIsThatRowsTroubleAlone() {
    TestTable t = table("jobs").full().read("n", "integer").read("d", "decimal(8,2)").create();
    t.add("id", 1, "n", "many", "d", 1).add("id", 2, "n", 5, "d", "x").add("id", 3, "n", 5, "d", 2);
    List<Claim> claims = t.queue().claim(3);
    assertThat(claims.get(0).problem().orElseThrow()).contains("'n'", "many");
    assertThat(claims.get(1).problem().orElseThrow()).contains("'d'", "decimal(8,2)");
    assertThat(claims.get(2).row().get("d")).isEqualTo(new BigDecimal("2.00"));
  }

  @Test
  default void p11_sqlite_lengthsAreNotKeptButChecksAre() {
    TestTable t =
        table("jobs")
            .full()
            .write("loose", db().varcharType(5))
            .write("checked", db().varcharType(5) + " check (length(checked) <= 5)")
            .create()
            .rows(1, 2);
    List<Claim> claims = t.queue().claim(2);
    t.queue().complete(claims.get(0), Map.of("loose", "much too long"));
    assertThat(t.get(1, "loose")).isEqualTo("much too long");
    assertThatThrownBy(() -> t.queue().complete(claims.get(1), Map.of("checked", "much too long")))
        .isInstanceOfSatisfying(
            DatabaseException.class, e -> assertThat(e.fault()).isEqualTo(Fault.CONSTRAINT));
    assertThat(t.state(2)).isEqualTo("processing");
  }

  @Test
  default void p13_sqlite_columnsThatDifferInCaseCannotBe() {
    assertThatThrownBy(() -> sql("create table jobs(state text, State text)"))
        .hasRootCauseInstanceOf(SQLException.class)
        .rootCause()
        .hasMessageContaining("duplicate column name");
  }

  @Test
  default void p14_sqlite_aStrictTableRefusesAWrongResult() {
    sql(
        "create table jobs(id integer primary key, %s, n integer) strict".formatted(columns()),
        "insert into jobs(id) values (1)");
    Queue queue =
        Queue.builder(
                "test",
                bench().pool(),
                Mapping.table("jobs")
                    .key("id")
                    .state("state", "ready", "processing", "done")
                    .column(Role.TOKEN, "claim_no")
                    .write("n")
                    .build())
            .build();
    Claim claim = claim(queue);
    assertThatThrownBy(() -> queue.complete(claim, Map.of("n", "many")))
        .isInstanceOfSatisfying(
            DatabaseException.class, e -> assertThat(e.fault()).isEqualTo(Fault.DATA));
    queue.complete(claim, Map.of("n", 5));
  }

  @Test
  default void p09_sqlite_aDatabaseThatWasOpenedReadOnlyIsToldSo() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    String file =
        bench().schema().value("select file from pragma_database_list limit 1").toString();
    Properties readOnly = new Properties();
    readOnly.setProperty("open_mode", "1");
    Queue queue = t.queue(new UrlDataSource("jdbc:sqlite:" + file, readOnly));
    assertThatThrownBy(() -> queue.claim(1))
        .isInstanceOfSatisfying(
            DatabaseException.class, e -> assertThat(e.fault()).isEqualTo(Fault.READ_ONLY));
    assertThat(queue.verify().safe()).isFalse();
  }
}
