package dev.rowlock.cli.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TargetsTest {
  @TempDir Path directory;

  private final Map<String, String> environment = new HashMap<>();

  private Target find(Credentials flags, Credentials file) {
    return new Targets(environment, directory).find(flags, () -> file);
  }

  private Target find() {
    return find(Credentials.NONE, Credentials.NONE);
  }

  private Target url(String url) {
    return find(of(url), Credentials.NONE);
  }

  private static Credentials of(String url) {
    return new Credentials(Optional.of(url), Optional.empty(), Optional.empty());
  }

  @Test
  void theFirstPlaceThatNamesADatabaseWins() throws Exception {
    Files.createDirectories(directory.resolve(".rowlock"));
    Files.createFile(directory.resolve(".rowlock/rowlock.mv.db"));
    assertThat(find().jdbcUrl())
        .startsWith("jdbc:h2:file:")
        .endsWith("/.rowlock/rowlock;AUTO_SERVER=TRUE;DATABASE_TO_LOWER=TRUE;TRACE_LEVEL_FILE=0");
    environment.put("PGHOST", "pg");
    assertThat(find().jdbcUrl()).startsWith("jdbc:postgresql://pg:5432/");
    assertThat(find(Credentials.NONE, of("jdbc:h2:mem:file")).jdbcUrl())
        .isEqualTo("jdbc:h2:mem:file");
    environment.put("ROWLOCK_URL", "jdbc:h2:mem:variable");
    assertThat(find(Credentials.NONE, of("jdbc:h2:mem:file")).jdbcUrl())
        .isEqualTo("jdbc:h2:mem:variable");
    assertThat(url("jdbc:h2:mem:flag").jdbcUrl()).isEqualTo("jdbc:h2:mem:flag");
  }

  @Test
  void withoutAnyDatabaseOneLineSaysHowToNameOne() {
    assertThatThrownBy(this::find)
        .hasMessage(
            "no database is named, and there is none in ./.rowlock/; give --url, ROWLOCK_URL, database: in the configuration, or the PG* variables; or make one: rowlock sql --run FILE");
  }

  @Test
  void userAndPasswordComeFromTheSamePlaceOrOneBeforeIt() {
    Credentials file =
        new Credentials(Optional.of("jdbc:h2:mem:x"), Optional.of("fu"), Optional.of("fp"));
    assertThat(find(Credentials.NONE, file).properties())
        .containsEntry("user", "fu")
        .containsEntry("password", "fp");
    environment.put("ROWLOCK_PASSWORD", "vp");
    assertThat(find(Credentials.NONE, file).properties())
        .containsEntry("user", "fu")
        .containsEntry("password", "vp");
    environment.put("ROWLOCK_URL", "jdbc:h2:mem:y");
    assertThat(find(Credentials.NONE, file).properties())
        .containsEntry("user", "sa")
        .containsEntry("password", "vp");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "postgres://u:p%40w@h/db | jdbc:postgresql://h:5432/db | u | p@w",
        "postgresql://u@h:6000/db?sslmode=require | jdbc:postgresql://h:6000/db | u |",
        "postgres://a,b:2/db?user=u | jdbc:postgresql://a:5432,b:2/db | u |",
        "postgres://u@[::1]:7/a%20b | jdbc:postgresql://[::1]:7/a%20b | u |",
        "postgres://u:p:q@h | jdbc:postgresql://h:5432/u | u | p:q",
      })
  void postgresUrls(String url, String jdbc, String user, String password) {
    Target target = url(url);
    assertThat(target.jdbcUrl()).isEqualTo(jdbc);
    assertThat(target.properties()).containsEntry("user", user);
    assertThat(target.properties().get("password")).isEqualTo(password);
    assertThat(target.shown()).doesNotContain("p@w", "p:q");
  }

  @Test
  void pgVariablesAreReadAsPsqlDoes() {
    environment.putAll(
        Map.of(
            "PGHOST",
            "a,b",
            "PGPORT",
            "1,2",
            "PGDATABASE",
            "d",
            "PGUSER",
            "u",
            "PGPASSWORD",
            "p",
            "PGSSLMODE",
            "verify-full",
            "PGOPTIONS",
            "-c search_path=x",
            "PGCONNECT_TIMEOUT",
            "3",
            "PGAPPNAME",
            "me",
            "PGTARGETSESSIONATTRS",
            "read-write"));
    Target target = find();
    assertThat(target.jdbcUrl()).isEqualTo("jdbc:postgresql://a:1,b:2/d");
    assertThat(target.properties())
        .isEqualTo(
            Map.of(
                "user",
                "u",
                "password",
                "p",
                "sslmode",
                "verify-full",
                "options",
                "-c search_path=x",
                "connectTimeout",
                "3",
                "ApplicationName",
                "me",
                "targetServerType",
                "primary"));
    assertThat(target.shown()).isEqualTo("postgres://u@a:1,b:2/d");
  }

  @Test
  void theUsersNameIsTheDefaultAsInPsql() {
    environment.put("PGHOST", "h");
    String me = System.getProperty("user.name");
    assertThat(find().jdbcUrl()).isEqualTo("jdbc:postgresql://h:5432/" + me);
    environment.put("PGUSER", "u");
    assertThat(find().jdbcUrl()).isEqualTo("jdbc:postgresql://h:5432/u");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "jdbc:db2://u:secret@h/d | 'jdbc:db2://u:***@h/d' is no database that Rowlock knows; allowed: postgres://…, jdbc:postgresql://…, sqlserver://…, jdbc:sqlserver://…, mariadb://…, mysql://…, jdbc:mariadb://…, jdbc:mysql://…, jdbc:h2:…, sqlite:FILE and jdbc:sqlite:…",
        "postgres://u:secret@h/d?sslmod=x | postgres://u:***@h/d?sslmod=x: parameter 'sslmod' is not known; did you mean 'sslmode'?",
        "postgres://h/d?host=/tmp | the host '/tmp' is a Unix socket; Rowlock connects over TCP: set PGHOST=localhost, or give --url",
        "postgres://%2Ftmp/d | the host '/tmp' is a Unix socket; Rowlock connects over TCP: set PGHOST=localhost, or give --url",
        "postgres://h:99999/d | port '99999'; allowed: 1 to 65535",
        "postgres://h:x/d | port 'x'; allowed: 1 to 65535",
        "postgres://h/d%zz | postgres://h/d%zz: a % is not followed by two hexadecimal digits; write % itself as %25",
      })
  void mistakesAreOneLineWithoutSecrets(String url, String message) {
    assertThatThrownBy(() -> url(url)).hasMessage(message);
  }
}
