package dev.rowlock.dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which servers that speak PostgreSQL's protocol are PostgreSQL, played from their own answers. */
class PostgreSqlServersTest {

  /** A server that gives one value, or one error, to each statement that has a text in it. */
  private static final class Script {
    private final Map<String, Object> answers = new LinkedHashMap<>();
    private final List<String> asked = new ArrayList<>();

    /** What PostgreSQL 16 says. */
    static Script postgres(String version) {
      return new Script()
          .on("version()", version)
          .on("server_version_num", 160004)
          .on("SKIP LOCKED", 1L)
          .on("pg_try_advisory_xact_lock", true);
    }

    Script on(String part, Object answer) {
      answers.put(part, answer);
      return this;
    }

    Script fails(String part, String state, String message) {
      return on(part, new SQLException(message, state));
    }

    List<String> asked() {
      return asked;
    }

    Connection connection() {
      return proxy(
          Connection.class,
          (name, args) ->
              switch (name) {
                case "prepareStatement", "createStatement" ->
                    statement(args.length > 0 ? (String) args[0] : null);
                default -> throw new UnsupportedOperationException(name);
              });
    }

    private PreparedStatement statement(String prepared) {
      return proxy(
          PreparedStatement.class,
          (name, args) ->
              switch (name) {
                case "executeQuery" -> answer(args.length > 0 ? (String) args[0] : prepared);
                case "setQueryTimeout", "close" -> null;
                default -> throw new UnsupportedOperationException(name);
              });
    }

    private ResultSet answer(String sql) throws SQLException {
      asked.add(sql);
      Object value =
          answers.entrySet().stream()
              .filter(e -> sql.contains(e.getKey()))
              .map(Map.Entry::getValue)
              .findFirst()
              .orElseThrow(() -> new AssertionError("not in the script: " + sql));
      if (value instanceof SQLException e) {
        throw e;
      }
      int[] row = {0};
      return proxy(
          ResultSet.class,
          (name, args) ->
              switch (name) {
                case "next" -> row[0]++ == 0;
                case "getString" -> value.toString();
                case "getInt" -> ((Number) value).intValue();
                case "getLong" -> ((Number) value).longValue();
                case "getBoolean", "close", "wasNull" -> name.equals("getBoolean") ? value : null;
                default -> throw new UnsupportedOperationException(name);
              });
    }

    private interface Body {
      Object call(String name, Object[] args) throws SQLException;
    }

    private static <T> T proxy(Class<T> type, Body body) {
      return type.cast(
          Proxy.newProxyInstance(
              type.getClassLoader(),
              new Class<?>[] {type},
              (self, method, args) ->
                  body.call(method.getName(), args == null ? new Object[0] : args)));
    }
  }

  private static String refusal(Script script) throws SQLException {
    return new PostgreSql().refusal(script.connection()).orElse("accepted");
  }

  // Debian's and Amazon's builds; Aurora's answer is in the AWS page "Identifying versions of
  // Amazon Aurora PostgreSQL"; EDB's is in its server's start-up log.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "PostgreSQL 15.14 (Debian 15.14-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0-14) 12.2.0, 64-bit",
        "PostgreSQL 13.3 on x86_64-pc-linux-gnu, compiled by x86_64-pc-linux-gnu-gcc (GCC) 7.4.0, 64-bit",
        "PostgreSQL 17.4 (EnterpriseDB Advanced Server 17.4.0) on x86_64-pc-linux-gnu, compiled by gcc (GCC) 11.5.0 20240719 (Red Hat 11.5.0-5), 64-bit",
        "PostgreSQL 19devel on aarch64-unknown-linux-musl, compiled by clang, 64-bit"
      })
  void postgreSqlAndItsBuildsAreAccepted(String version) throws SQLException {
    Script script = Script.postgres(version);
    assertThat(refusal(script)).isEqualTo("accepted");
    assertThat(script.asked()).hasSize(4);
  }

  // CockroachDB: its documentation shows the version in the shell's greeting.
  // YugabyteDB: yugabyte-db's documentation and tools, "PostgreSQL 15.12-YB-2025.1.0.0-b0 on …".
  // Redshift: SQLAlchemy's tests of version strings.  Greenplum: greenplum-db/gpdb#11529.
  // Cloudberry: dbeaver/dbeaver#36626.  openGauss: junjiem/dify-plugin-tools-dbquery#26.
  // QuestDB: its reference of version().  CrateDB: its Python client's documentation shows the
  // first
  // two words; the rest is made up.  Materialize: as public tools test for it.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CockroachDB | CockroachDB CCL v25.4.14 (x86_64-pc-linux-gnu, built 2026/05/04 14:00:29, go1.23.12) | SKIP LOCKED",
        "YugabyteDB | PostgreSQL 15.12-YB-2025.1.0.0-b0 on x86_64-pc-linux-gnu, compiled by clang version 17.0.6, 64-bit | SKIP LOCKED",
        "YugabyteDB | PostgreSQL 11.2-YB-2.20.1.3-b0 on x86_64-pc-linux-gnu, compiled by clang version 16.0.6, 64-bit | SKIP LOCKED",
        "Amazon Redshift | PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2 20041017 (Red Hat 3.4.2-6.fc3), Redshift 1.0.48805 | indexes",
        "Greenplum | PostgreSQL 9.4.24 (Greenplum Database 6.14.0 build commit:62d24f4a455276cab4bf2ca4538e96dcf58db8ba) on x86_64-unknown-linux-gnu | whole table",
        "Apache Cloudberry | PostgreSQL 14.4 (Cloudberry Database 1.0.0 build dev) on x86_64-pc-linux-gnu, compiled by gcc (GCC) 11.5.0 20240719, 64-bit | whole table",
        "openGauss | (openGauss 5.0.2 build 48a25b11) compiled at 2024-05-14 10:25:27 commit 0 last mr on x86_64-unknown-linux-gnu, compiled by g++ (GCC) 7.3.0, 64-bit | 9.2",
        "QuestDB | PostgreSQL 12.3, compiled by Visual C++ build 1914, 64-bit, QuestDB | row locks",
        "CrateDB | CrateDB 5.2.3 (built 5a0c9fb) | transactions",
        "Materialize | PostgreSQL 9.5 on x86_64-unknown-linux-gnu (Materialize 26.36.0) | lock nothing"
      })
  void serversThatDifferAreRefusedByNameInOneLine(String name, String version, String reason)
      throws SQLException {
    Script script = new Script().on("version()", version);
    assertThat(refusal(script))
        .startsWith(name + " speaks PostgreSQL's protocol, but ")
        .contains(reason)
        .endsWith("use PostgreSQL 12 or newer")
        .doesNotContain("\n");
    assertThat(script.asked()).as("nothing more is asked").hasSize(1);
  }

  @Test
  void aServerOfAnotherNameIsRefused() throws SQLException {
    assertThat(refusal(new Script().on("version()", "Redpanda SQL 1.2.0 (abc1234)")))
        .contains("calls itself 'Redpanda SQL 1.2.0 (abc1234)'", "use PostgreSQL 12 or newer");
  }

  @Test
  void anOldServerIsRefused() throws SQLException {
    Script script = Script.postgres("PostgreSQL 11.22 on x86_64").on("server_version_num", 110022);
    assertThat(refusal(script))
        .isEqualTo("PostgreSQL 11.22 on x86_64 is too old; use PostgreSQL 12 or newer");
  }

  // So answers Aurora DSQL, whose documentation allows FOR UPDATE by equality on the key alone; the
  // text of this error is made up.
  @ParameterizedTest
  @ValueSource(strings = {"42601", "0A000", "42883"})
  void aServerLikePostgreSqlWithoutSkipLockedIsRefused(String state) throws SQLException {
    Script script =
        Script.postgres("PostgreSQL 16")
            .fails("SKIP LOCKED", state, "ERROR: SKIP LOCKED\n  is not supported");
    assertThat(refusal(script))
        .isEqualTo(
            "this server calls itself 'PostgreSQL 16', but it has no FOR NO KEY UPDATE SKIP LOCKED:"
                + " ERROR: SKIP LOCKED is not supported; use PostgreSQL 12 or newer");
  }

  @Test
  void aServerThatLosesTheRowOfTheProbeIsRefused() throws SQLException {
    assertThat(refusal(Script.postgres("PostgreSQL 16").on("SKIP LOCKED", 0L)))
        .contains("of one row returned 0 rows");
  }

  // CockroachDB before 26.3 had such stubs: cockroachdb/cockroach#13546.
  @Test
  void advisoryLocksThatLockNothingAreFound() throws SQLException {
    assertThat(refusal(Script.postgres("PostgreSQL 16").on("pg_try_advisory_xact_lock", false)))
        .contains("its advisory locks lock nothing");
  }

  @Test
  void aServerWithoutAdvisoryLocksIsRefused() throws SQLException {
    Script script =
        Script.postgres("PostgreSQL 16")
            .fails(
                "pg_try_advisory_xact_lock",
                "0A000",
                "ERROR: advisory locks are not yet implemented");
    assertThat(refusal(script)).contains("it has no advisory locks: ERROR: advisory locks");
  }

  @ParameterizedTest
  @ValueSource(strings = {"08006", "57014", "57P01", "42501", "53300"})
  void troubleIsNoRefusal(String state) {
    for (String probe : List.of("SKIP LOCKED", "pg_try_advisory_xact_lock")) {
      Script script = Script.postgres("PostgreSQL 16").fails(probe, state, "trouble");
      assertThatThrownBy(() -> refusal(script))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(state));
    }
  }
}
