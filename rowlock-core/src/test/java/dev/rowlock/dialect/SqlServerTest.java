package dev.rowlock.dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.ConfigurationException;
import dev.rowlock.Fault;
import dev.rowlock.OnDone;
import dev.rowlock.Role;
import dev.rowlock.spi.ClaimPlan;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Model;
import dev.rowlock.spi.Sql;
import dev.rowlock.spi.Write;
import dev.rowlock.spi.WritePlan;
import java.sql.SQLException;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the SQL Server dialect decides without a server. */
class SqlServerTest {
  private final SqlServer dialect = new SqlServer();

  @ParameterizedTest
  @CsvSource({
    "1205, DEADLOCK",
    "1222, LOCK_TIMEOUT",
    "650, SERIALIZATION",
    "3960, SERIALIZATION",
    "3961, SERIALIZATION",
    "41301, SERIALIZATION",
    "41302, DEADLOCK",
    "41305, DEADLOCK",
    "41325, DEADLOCK",
    "3906, READ_ONLY",
    "3908, READ_ONLY",
    "976, READ_ONLY",
    "983, READ_ONLY",
    "2601, CONSTRAINT",
    "2627, CONSTRAINT",
    "547, CONSTRAINT",
    "515, CONSTRAINT",
    "8152, DATA",
    "2628, DATA",
    "229, PRIVILEGE",
    "230, PRIVILEGE",
    "262, PRIVILEGE",
    "297, PRIVILEGE",
    "18456, PRIVILEGE",
    "4060, PRIVILEGE",
    "208, MISSING_OBJECT",
    "207, MISSING_OBJECT",
    "2812, MISSING_OBJECT",
    "4902, MISSING_OBJECT",
    "8622, MISSING_OBJECT",
    "40613, CONNECTION",
    "40197, CONNECTION",
    "40501, CONNECTION",
    "40540, CONNECTION",
    "10928, CONNECTION",
    "10929, CONNECTION",
    "49918, CONNECTION",
    "49919, CONNECTION",
    "49920, CONNECTION",
    "10053, CONNECTION",
    "10054, CONNECTION",
    "10060, CONNECTION",
    "233, CONNECTION",
    "64, CONNECTION",
    "20, CONNECTION",
    "4221, CONNECTION",
    "615, CONNECTION",
    "926, CONNECTION",
    "334, OTHER"
  })
  void everyErrorNumberHasItsKind(int number, Fault fault) {
    assertThat(dialect.classify(new SQLException("said", "S0001", number))).isEqualTo(fault);
  }

  @Test
  void timeoutsAndLostConnectionsComeWithoutANumber() {
    assertThat(dialect.classify(new SQLException("cancelled", "HY008", 0)))
        .isEqualTo(Fault.TIMEOUT);
    assertThat(dialect.classify(new SQLException("late", "HYT00", 0))).isEqualTo(Fault.TIMEOUT);
    assertThat(dialect.classify(new SQLException("reset", "08S01", 0))).isEqualTo(Fault.CONNECTION);
  }

  @ParameterizedTest
  @CsvSource({
    "3, 13.0.1601.5, ''",
    "2, 16.0.1000.6, ''",
    "5, 12.0.2000.8, ''",
    "8, 12.0.2000.8, ''",
    "3, 12.0.6024.0, 2016",
    "2, 10.50.6000.34, 2016",
    "3, unknown, 2016",
    "6, 10.0.8003.0, Synapse",
    "11, 12.0.2000.8, Synapse"
  })
  void olderVersionsAreRefusedWithTheReason(int edition, String version, String reason) {
    String refusal = SqlServer.refusal(edition, version);
    if (reason.isEmpty()) {
      assertThat(refusal).isEmpty();
    } else {
      assertThat(refusal).contains(reason).contains("use SQL Server 2016");
    }
  }

  private static boolean oneStatement(Model model) {
    return model.dialect().claim(model, 0, OptionalInt.of(1)) instanceof ClaimPlan.OneStatement;
  }

  private static SqlServerTables.Spec ordered(String... order) {
    return SqlServerTables.guide()
        .role(Role.PRIORITY, "Prio", "int not null")
        .map(m -> m.order(order));
  }

  @Test
  void p04_aClaimIsOneStatementOnlyWhereAnIndexDeliversTheOrder() {
    assertThat(oneStatement(ordered("Prio", "Id").model())).isFalse();
    assertThat(oneStatement(ordered("Prio", "Id").index("a", "Status", "Prio", "Id").model()))
        .isTrue();
    assertThat(oneStatement(ordered("Prio", "Id").index("a", "Prio", "Status", "Id").model()))
        .isFalse();
    assertThat(oneStatement(ordered("Prio desc", "Id").index("a", "Status", "Prio", "Id").model()))
        .isFalse();
    assertThat(
            oneStatement(
                ordered("Prio desc", "Id").index("a", "Status", "Prio desc", "Id").model()))
        .isTrue();
    assertThat(
            oneStatement(
                ordered("Prio desc", "Id desc").index("a", "Status", "Prio", "Id").model()))
        .as("an index is read backwards too")
        .isTrue();
  }

  @Test
  void p04_nullsThatSqlServerHasElsewhereNeedASort() {
    SqlServerTables.Spec spec =
        SqlServerTables.guide()
            .role(Role.PRIORITY, "Prio", "int null")
            .index("a", "Status", "Prio", "Id")
            .map(m -> m.order("Prio", "Id"));
    ClaimPlan plan = dialect.claim(spec.model(), 0, OptionalInt.of(1));
    assertThat(plan).isInstanceOf(ClaimPlan.LockEach.class);
    assertThat(((ClaimPlan.LockEach) plan).candidates().jdbc())
        .contains("ORDER BY CASE WHEN q.[Prio] IS NULL THEN 1 ELSE 0 END, q.[Prio], q.[Id]");
  }

  @Test
  void p04_aTransactionThatLastsAsLongAsAHandlerLocksItsRowAlone() {
    assertThat(oneStatement(SqlServerTables.guide().transactional().model())).isFalse();
  }

  @Test
  void c091_noStatementLocksGapsOrTables() {
    SqlServerTables.all()
        .forEach(
            (name, model) ->
                SqlServerStatementsTest.statements(model)
                    .forEach(
                        (statement, sql) ->
                            assertThat(sql.jdbc())
                                .as("%s, %s", name, statement)
                                .doesNotContainIgnoringCase("HOLDLOCK")
                                .doesNotContainIgnoringCase("SERIALIZABLE")
                                .doesNotContainIgnoringCase("TABLOCK")
                                .doesNotContainIgnoringCase("NOLOCK")));
  }

  @Test
  void c084_outputAlwaysGoesIntoAVariable() {
    SqlServerTables.all()
        .forEach(
            (name, model) ->
                SqlServerStatementsTest.statements(model)
                    .forEach(
                        (statement, sql) ->
                            assertThat(sql.jdbc().contains("OUTPUT "))
                                .as("%s, %s", name, statement)
                                .isEqualTo(sql.jdbc().contains("INTO @"))));
  }

  @Test
  void c088_noStatementTouchesSoManyRowsThatTheTableIsLocked() {
    SqlServerTables.Spec spec = SqlServerTables.fenced();
    for (int i = 0; i < 20; i++) {
      spec.index("more" + i, "ClaimNo");
    }
    Model model = spec.model();
    int locksOfARow = 2 + 2 * 22;
    assertThat(dialect.mostRows(model)).isPositive();
    assertThat(dialect.mostRows(model) * locksOfARow).isLessThan(5000);
    for (Model each : List.of(model, SqlServerTables.fenced().model())) {
      WritePlan.Lists plan = (WritePlan.Lists) dialect.write(each, Write.of(Write.Kind.RETRY));
      assertThat(plan.many().lastKey()).isLessThanOrEqualTo(dialect.mostRows(each));
      plan.many()
          .forEach((rows, sql) -> assertThat(sql.parameters()).hasSizeLessThanOrEqualTo(2090));
    }
  }

  @Test
  void c094_parametersAreOfTheColumnsType() {
    Map<String, Model> all = SqlServerTables.all();
    assertThat(complete(all.get("key-varchar-36"))).contains("t.[id] = CAST(? AS varchar(8000))");
    assertThat(complete(all.get("key-nvarchar-36"))).contains("t.[id] = ?\n");
    assertThat(complete(all.get("key-varchar-20-collate-Cyrillic-General-CI-AS")))
        .contains("t.[id] = CAST(? COLLATE Cyrillic_General_CI_AS AS varchar(8000))");
  }

  private String complete(Model model) {
    return dialect.write(model, Write.of(Write.Kind.COMPLETE)).one().get(0).jdbc();
  }

  @ParameterizedTest
  @ValueSource(strings = {"sql_variant", "text", "ntext", "image"})
  void columnsOfTypesThatCannotBeTrustedAreRefused(String type) {
    assertThatThrownBy(
            () -> SqlServerTables.guide().column("Doc", type).map(m -> m.read("Doc")).model())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("'Doc' is " + type);
  }

  @Test
  void p07_aLeaseInWholeMinutesIsRefused() {
    assertThatThrownBy(
            () -> SqlServerTables.guide().role(Role.LEASE_UNTIL, "Until", "smalldatetime").model())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("smalldatetime")
        .hasMessageContaining("make it datetime2");
  }

  @Test
  void p07_aZoneThatWindowsMayNotKnowIsRefused() {
    Model model =
        SqlServerTables.guide().map(m -> m.timeZone(ZoneId.of("Antarctica/Troll"))).model();
    assertThatThrownBy(() -> dialect.claim(model, 0, OptionalInt.of(1)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("Antarctica/Troll")
        .hasMessageContaining("UTC");
  }

  @Test
  void p14_anArchiveThatWouldNumberItsRowsAnewIsRefused() {
    SqlServerTables.Spec kept =
        new SqlServerTables.Spec("dbo", "kept").column("Id", "bigint not null identity");
    Model model =
        SqlServerTables.guide()
            .archive(kept.table())
            .map(m -> m.onDone(OnDone.archive("dbo.kept")))
            .model();
    assertThatThrownBy(() -> dialect.claim(model, 0, OptionalInt.of(1)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("'Id' is an identity");
  }

  @Test
  void p13_bracketsInNamesAreDoubled() {
    assertThat(Sql.of("{n}", Map.of("n", dialect.quote("a]b?:c"))).jdbc()).isEqualTo("[a]]b?:c]");
  }

  @Test
  void errorTextsAreMeasuredAsTheColumnMeasuresThem() {
    Column utf8 =
        SqlServerTables.guide()
            .column("E", "varchar(20) collate Latin1_General_100_CI_AS_SC_UTF8")
            .table()
            .columns()
            .get("E");
    Column wide = SqlServerTables.guide().column("E", "nvarchar(20)").table().columns().get("E");
    assertThat(dialect.textUnit(utf8)).isEqualTo(SqlServer.TextUnit.BYTES);
    assertThat(dialect.textUnit(wide)).isEqualTo(SqlServer.TextUnit.UTF16);
  }
}
