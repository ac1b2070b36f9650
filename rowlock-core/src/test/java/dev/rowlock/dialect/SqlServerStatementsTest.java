package dev.rowlock.dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.alibaba.druid.DbType;
import com.alibaba.druid.sql.SQLUtils;
import com.alibaba.druid.sql.ast.SQLStatement;
import com.alibaba.druid.sql.parser.ParserException;
import dev.rowlock.Capability;
import dev.rowlock.Role;
import dev.rowlock.RowState;
import dev.rowlock.spi.ClaimPlan;
import dev.rowlock.spi.ExtendPlan;
import dev.rowlock.spi.Model;
import dev.rowlock.spi.RecoverPlan;
import dev.rowlock.spi.Sql;
import dev.rowlock.spi.Write;
import dev.rowlock.spi.WritePlan;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every T-SQL statement that the dialect can make, for a matrix of mappings: compared with reviewed
 * files, and parsed by a grammar of T-SQL. To write the files anew after a change, and then to look
 * at what git says has changed:
 *
 * <pre>
 * ./mvnw -B test -pl rowlock-core -Dtest=SqlServerStatementsTest -Drowlock.test.args=-Drowlock.golden=write
 * </pre>
 */
class SqlServerStatementsTest {
  private static final Path FOLDER = Path.of("src/test/resources/sqlserver");

  static Stream<String> mappings() {
    return SqlServerTables.all().keySet().stream();
  }

  /** All statements of a queue by name. */
  static Map<String, Sql> statements(Model model) {
    Map<String, Sql> all = new LinkedHashMap<>();
    SqlServer dialect = (SqlServer) model.dialect();
    for (int i = 0; i < model.readyValues(); i++) {
      claim("claim " + (i + 1), dialect.claim(model, i, OptionalInt.of(1)), all);
    }
    for (Write.Kind kind : Write.Kind.values()) {
      Write write = kind == Write.Kind.COMPLETE ? new Write(kind, model.write()) : Write.of(kind);
      if (kind != Write.Kind.SNOOZE || model.has(Role.RUN_AT)) {
        write(kind.name().toLowerCase(java.util.Locale.ROOT), dialect.write(model, write), all);
      }
    }
    if (model.mapping().capabilities().contains(Capability.EXPIRY)) {
      ExtendPlan.Lists extend = (ExtendPlan.Lists) dialect.extend(model);
      all.put("extend", extend.many().firstEntry().getValue());
      all.put("extend, the others", extend.current());
      all.put(
          "recover", ((RecoverPlan.OneStatement) dialect.recover(model, OptionalInt.of(1))).sql());
    }
    if (model.state().isPresent() || model.has(Role.CLAIMED_AT) || model.has(Role.LEASE_UNTIL)) {
      all.put("reset", dialect.reset(model));
    }
    all.put(
        "insert",
        dialect
            .insert(model, model.everything().stream().filter(c -> c.writable()).toList())
            .sql());
    all.put("insert of nothing", dialect.insert(model, List.of()).sql());
    all.put("stats", dialect.stats(model));
    List<Sql> left = dialect.left(model);
    for (int i = 0; i < left.size(); i++) {
      all.put("left " + (i + 1), left.get(i));
    }
    all.put("list", dialect.list(model, RowState.READY));
    all.put("show", dialect.show(model));
    dialect
        .advice(model)
        .forEach(a -> all.put("advice: " + a.name(), new Sql(a.sql(), a.sql(), List.of())));
    return all;
  }

  private static void claim(String name, ClaimPlan plan, Map<String, Sql> all) {
    if (plan instanceof ClaimPlan.OneStatement one) {
      all.put(name, one.sql());
    } else if (plan instanceof ClaimPlan.LockEach each) {
      all.put(name + ", candidates", each.candidates());
      all.put(name + ", lock", each.lock());
      each.update().ifPresent(sql -> all.put(name + ", update", sql));
      all.put(name + ", read", each.read());
    }
  }

  private static void write(String name, WritePlan plan, Map<String, Sql> all) {
    for (int i = 0; i < plan.one().size(); i++) {
      all.put(plan.one().size() == 1 ? name : name + ", step " + (i + 1), plan.one().get(i));
    }
    if (plan instanceof WritePlan.Lists lists) {
      all.put(name + " (many)", lists.many().firstEntry().getValue());
    }
  }

  private static String text(Model model) {
    StringBuilder out = new StringBuilder();
    statements(model)
        .forEach(
            (name, sql) ->
                out.append("-- ").append(name).append('\n').append(sql.named()).append("\n\n"));
    return out.toString().stripTrailing() + "\n";
  }

  @ParameterizedTest
  @MethodSource("mappings")
  void everyStatementIsAsReviewed(String mapping) throws IOException {
    Path file = FOLDER.resolve(mapping + ".sql");
    String now = text(SqlServerTables.all().get(mapping));
    if ("write".equals(System.getProperty("rowlock.golden"))) {
      Files.createDirectories(FOLDER);
      Files.writeString(file, now);
    }
    assertThat(file).exists();
    assertThat(now).isEqualTo(Files.readString(file, StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @MethodSource("mappings")
  void everyStatementIsTSql(String mapping) {
    statements(SqlServerTables.all().get(mapping))
        .forEach(
            (name, sql) -> {
              try {
                assertThat(parse(forTheParser(sql.jdbc()))).isNotEmpty();
              } catch (ParserException e) {
                throw new AssertionError(mapping + ", " + name + ":\n" + sql.jdbc(), e);
              }
            });
  }

  /**
   * What the grammar lacks of T-SQL, and nothing else, is said otherwise before it is parsed. As
   * they are, these statements are in the golden files, and the suite runs them on a server.
   */
  private static String forTheParser(String sql) {
    // No OUTPUT in a DELETE.
    String deleting =
        sql.contains("DELETE t") ? sql.replace("OUTPUT g.rowlock_n INTO @current\n", "") : sql;
    return deleting
        // No TRY and CATCH, no THROW.
        .replace("BEGIN TRY", "BEGIN")
        .replace("END TRY", "END;")
        .replace("BEGIN CATCH", "BEGIN")
        .replace("END CATCH", "END")
        .replace("IF ERROR_NUMBER() <> 1222 THROW;", "SET @error = ERROR_NUMBER();")
        // No time zones, and no closing bracket in a name.
        .replaceAll(" AT TIME ZONE '[^']*'", "")
        .replace("]]", "__");
  }

  private static List<SQLStatement> parse(String sql) {
    return SQLUtils.parseStatements(sql, DbType.sqlserver);
  }

  /**
   * That the parser can refuse at all: statements that people copy, and that SQL Server refuses.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE TOP (10) t SET a = 1 OUTPUT inserted.id WHERE b = 2 ORDER BY id",
        "UPDATE t SET a = 1 WHERE id = 2 FOR UPDATE SKIP LOCKED",
        "WITH next AS (SELECT TOP (1) id FROM t ORDER BY id UPDATE next SET a = 1"
      })
  void c087_whatSqlServerRefusesIsRefused(String sql) {
    assertThatThrownBy(() -> parse(sql)).isInstanceOf(ParserException.class);
  }
}
