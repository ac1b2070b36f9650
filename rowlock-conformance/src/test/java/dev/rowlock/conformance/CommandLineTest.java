package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.cli.Main;
import dev.rowlock.cli.Shell;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The command line on every database: rows from enqueue to done. */
@Timeout(120)
class CommandLineTest {
  private static final String CONFIG =
      """
      queues:
        films:
          table: films
          key: id
          state: { column: state, ready: ready, processing: processing, done: done, dead: dead }
          columns: { attempts: attempts, token: claim_no, lease-until: locked_until, run-at: run_after, error: last_error }
          read: [title]
          write: [rendered_title]
          retry: { initial: 10ms, max: 20ms, max-attempts: 2 }
      """;

  @TempDir Path directory;

  private String out;
  private String err;
  private String url;
  private String user;

  private int run(String input, String... arguments) {
    ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
    ByteArrayOutputStream errBytes = new ByteArrayOutputStream();
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("ROWLOCK_URL", url);
    if (user != null) {
      environment.put("ROWLOCK_USER", user);
    }
    Shell shell =
        new Shell(
            environment,
            directory,
            new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
            new PrintStream(outBytes, true, StandardCharsets.UTF_8),
            new PrintStream(errBytes, true, StandardCharsets.UTF_8),
            new Shell.Terminal(false, false),
            (stop, last) -> {});
    int code = Main.run(arguments, shell);
    out = outBytes.toString(StandardCharsets.UTF_8);
    err = errBytes.toString(StandardCharsets.UTF_8);
    return code;
  }

  private void prepare(Schema schema) throws Exception {
    TestDatabase db = schema.database();
    schema.execute(
        "create table films (id %s primary key, title %s, state %s default 'ready' not null,"
                .formatted(db.intType(), db.textType(), db.varcharType(20))
            + " rendered_title %s, attempts %s default 0 not null, claim_no %s default 0 not null,"
                .formatted(db.textType(), db.intType(), db.bigintType())
            + " locked_until %s, run_after %s, last_error %s)"
                .formatted(db.timestampType(), db.timestampType(), db.varcharType(200)));
    Files.writeString(
        directory.resolve("rowlock.yaml"),
        CONFIG.replace("table: films", "table: " + schema.name() + ".films"));
    try (Connection connection = schema.dataSource().getConnection()) {
      url = connection.getMetaData().getURL();
      user = connection.getMetaData().getUserName();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rowlock.conformance.Databases#all")
  @DisabledOnOs(OS.WINDOWS)
  void rowsGoFromEnqueueToDone(TestDatabase database) throws Exception {
    try (Schema schema = database.fresh()) {
      prepare(schema);
      StringBuilder csv = new StringBuilder("id,title\n");
      for (int i = 1; i <= 40; i++) {
        csv.append(i).append(",film ").append(i).append('\n');
      }
      assertThat(run(csv.toString(), "enqueue", "films", "-")).as(() -> err).isZero();
      assertThat(run("", "verify", "films")).as(() -> out + err).isZero();
      assertThat(run("", "claim", "films", "--limit", "2")).as(() -> err).isZero();
      assertThat(out).hasLineCount(2).contains("\"key\":{", "film 1", "\"attempt\":1");
      String claims = out;
      assertThat(run(claims, "complete", "films", "--claim", "-", "--set", "rendered_title=X"))
          .isZero();
      assertThat(run(claims, "complete", "films", "--claim", "-")).isEqualTo(4);
      assertThat(out).hasLineCount(2).contains("\"result\":\"lost\"").doesNotContain("completed");
      String command =
          "read row; [ $ROWLOCK_KEY = 7 ] && { echo bad >&2; exit 1; };"
              + " echo \"{\\\"rendered_title\\\":\\\"$ROWLOCK_KEY\\\"}\"";
      int code = run("", "work", "films", "--exec", command, "--workers", "4", "--until-empty");
      String said = err;
      assertThat(code).as(said).isZero();
      assertThat(run("", "stats", "films", "--json")).isZero();
      assertThat(out).as(said).contains("\"ready\":0,", "\"done\":39,", "\"dead\":1,");
      assertThat(schema.value("select last_error from films where id = 7")).isEqualTo("bad");
      assertThat(run("", "claim", "films")).isEqualTo(3);
      assertThat(run("", "sql", "films")).isZero();
      boolean locks = database.lacks(Facility.ROW_LOCKS).isEmpty();
      assertThat(out).contains("-- claim", locks ? "SKIP LOCKED" : "RETURNING");
    }
  }
}
