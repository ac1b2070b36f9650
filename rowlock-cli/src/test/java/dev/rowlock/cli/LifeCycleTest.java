package dev.rowlock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Rows from enqueue to done, through the command line, on H2. */
class LifeCycleTest extends FilmsOnH2 {
  @Test
  void claimPrintsWhatTheContractSays() {
    enqueue(2);
    Cli.Result result = cli.run("claim", "films", "--limit", "5", "--worker", "me");
    assertThat(result.code()).isZero();
    assertThat(result.lines()).hasSize(2);
    JsonNode line = json(result.lines().get(0));
    assertThat(line.propertyNames())
        .containsExactly("claim", "key", "row", "attempt", "leaseUntil");
    assertThat(line.get("claim").stringValue()).startsWith("rl1.");
    assertThat(line.get("key").toString()).isEqualTo("{\"id\":1}");
    assertThat(line.get("row").toString())
        .isEqualTo("{\"title\":\"film 1\",\"extra\":{\"n\":[1]}}");
    assertThat(line.get("attempt").intValue()).isEqualTo(1);
    assertThat(line.get("leaseUntil").stringValue()).matches("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z");
    Cli.Result nothing = cli.run("claim", "films");
    assertThat(nothing.code()).isEqualTo(3);
    assertThat(nothing.out() + nothing.err()).isEmpty();
  }

  @Test
  void aClaimIsCompletedOnceAndLostTheSecondTime() throws Exception {
    enqueue(1);
    String claim = claim();
    Cli.Result done = cli.run("complete", "films", "--claim", claim, "--set", "rendered_title=");
    assertThat(done.out()).isEqualTo("films id=1: completed\n");
    assertThat(value("SELECT '[' || rendered_title || ']' || state FROM films"))
        .isEqualTo("[]done");
    Cli.Result again = cli.run("complete", "films", "--claim", claim);
    assertThat(again.code()).isEqualTo(4);
    assertThat(again.err())
        .startsWith("rowlock: queue 'films': complete of row id=1 was refused:")
        .hasLineCount(1);
    Cli.Result json = cli.run("complete", "films", "--claim", claim, "--json");
    assertThat(json.code()).isEqualTo(4);
    assertThat(json.out()).isEqualTo("{\"claim\":\"%s\",\"result\":\"lost\"}\n".formatted(claim));
  }

  @Test
  void severalClaimsAreALineEach() {
    enqueue(3);
    String first = claim();
    cli.run("complete", "films", "--claim", first);
    String two = cli.run("claim", "films", "--limit", "2").out();
    Cli.Result result = cli.input(two).run("complete", "films", "--claim", first, "--claim", "-");
    assertThat(result.code()).isEqualTo(4);
    assertThat(result.lines().stream().map(l -> json(l).get("result").stringValue()))
        .containsExactly("lost", "completed", "completed");
    assertThat(cli.input("").run("complete", "films", "--claim", "-").code()).isEqualTo(3);
  }

  @Test
  void failuresAreRetriedUntilTheAttemptsAreUsedUp() throws Exception {
    enqueue(1);
    String claim = claim();
    assertThat(
            cli.input("went\nwrong\n")
                .run("fail", "films", "--claim", claim, "--error", "-", "--retry-in", "0")
                .out())
        .isEqualTo("films id=1: failed; will be tried again\n");
    assertThat(value("SELECT last_error FROM films")).isEqualTo("went\nwrong");
    Cli.Result dead = cli.run("fail", "films", "--claim", claim(), "--error", "again", "--json");
    assertThat(json(dead.out()).get("result").stringValue()).isEqualTo("dead");
    assertThat(value("SELECT state FROM films")).isEqualTo("dead");
  }

  @Test
  void deadSnoozeReleaseAndExtend() throws Exception {
    enqueue(1);
    cli.run("release", "films", "--claim", claim());
    assertThat(value("SELECT state || attempts FROM films")).isEqualTo("ready0");
    String claim = claim();
    JsonNode extended =
        json(cli.run("extend", "films", "--claim", claim, "--by", "1h", "--json").out());
    assertThat(extended.propertyNames())
        .containsExactly("claim", "result", "newClaim", "leaseUntil");
    String current = extended.get("newClaim").stringValue();
    assertThat(cli.run("snooze", "films", "--claim", current, "--for", "1h").out())
        .isEqualTo("films id=1: snoozed\n");
    assertThat(cli.run("stats", "films", "--json").out()).contains("\"scheduled\":1");
    execute("UPDATE films SET run_after = NULL");
    assertThat(cli.run("fail", "films", "--claim", claim(), "--error", "no", "--dead").out())
        .isEqualTo("films id=1: dead letter\n");
  }

  @Test
  void statsAreWhatTheContractSays() {
    enqueue(2);
    claim();
    assertThat(cli.run("stats", "films", "--json").out())
        .isEqualTo(
            "{\"queue\":\"films\",\"ready\":1,\"scheduled\":0,\"processing\":1,\"expired\":0,\"stuck\":0,\"done\":0,\"failed\":0,\"dead\":0,\"other\":0,\"oldestReadySeconds\":null}\n");
    assertThat(cli.run("stats").lines()).hasSize(3);
  }

  @Test
  void rowsCanBeLookedAt() {
    enqueue(3);
    claim();
    assertThat(cli.run("list", "films", "--state", "ready", "--json").lines()).hasSize(2);
    assertThat(cli.run("list", "films", "--limit", "1").out()).contains("processing  ", "film 1");
    JsonNode row = json(cli.run("show", "films", "1", "--json").out());
    assertThat(row.get("state").stringValue()).isEqualTo("processing");
    assertThat(row.get("columns").get("title").stringValue()).isEqualTo("film 1");
    assertThat(cli.run("show", "films", "9").err())
        .isEqualTo("rowlock: queue 'films' has no row id=9\n");
    assertThat(cli.run("show", "films", "x").code()).isEqualTo(2);
  }

  @Test
  void expiredRowsAreRecovered() throws Exception {
    enqueue(1);
    claim();
    assertThat(cli.run("recover", "films").out())
        .isEqualTo("films: no lease has ended; nothing to recover\n");
    execute("UPDATE films SET locked_until = CURRENT_TIMESTAMP - INTERVAL '1' MINUTE");
    assertThat(cli.run("recover", "films", "--json").out())
        .isEqualTo("{\"key\":{\"id\":1},\"result\":\"ready\"}\n");
  }

  @Test
  void stuckRowsAreResetOnlyByAPersonWhoSaysSo() throws Exception {
    cli.run("enqueue", "plain", "--set", "id=1");
    cli.run("claim", "plain");
    Cli.Result listed = cli.run("recover", "plain");
    assertThat(listed.code()).isEqualTo(1);
    assertThat(listed.out()).contains("stuck");
    assertThat(listed.err())
        .contains("1 row is claimed", "map lease-until or claimed-at", "--unfenced")
        .hasLineCount(1);
    assertThat(cli.run("recover", "plain", "--unfenced").code()).isEqualTo(2);
    assertThat(cli.answer("n\n").run("recover", "plain", "--unfenced").code()).isEqualTo(1);
    assertThat(value("SELECT state FROM plain")).isEqualTo("busy");
    assertThat(cli.answer("y\n").run("recover", "plain", "--unfenced").code()).isZero();
    assertThat(value("SELECT state FROM plain")).isEqualTo("ready");
    cli.run("claim", "plain");
    assertThat(cli.run("recover", "plain", "--unfenced", "--yes").out())
        .isEqualTo("plain: 1 row ready again\n");
  }

  @Test
  void csvKnowsEmptyFromNull() throws Exception {
    Files.writeString(
        directory.resolve("f.csv"), "\uFEFFid,title\r\n1,\r\n2,\"\"\r\n3,\"a, \"\"b\"\"\nc\"\r\n");
    assertThat(cli.run("enqueue", "films", "--file", "f.csv").out())
        .isEqualTo("films: 3 rows enqueued\n");
    assertThat(value("SELECT title FROM films WHERE id = 1")).isNull();
    assertThat(value("SELECT title FROM films WHERE id = 2")).isEmpty();
    assertThat(value("SELECT title FROM films WHERE id = 3")).isEqualTo("a, \"b\"\nc");
  }

  @Test
  void aBadFileSaysWhereAndHowMuchIsIn() throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int i = 1; i <= 501; i++) {
      lines.append("{\"id\":").append(i).append("}\n");
    }
    Cli.Result result = cli.input(lines + "{\"id\":\n").run("enqueue", "films", "-");
    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err())
        .startsWith("rowlock: standard input:502: is not JSON:")
        .endsWith("; the first 500 rows had been enqueued, nothing after them\n")
        .hasLineCount(1);
    assertThat(value("SELECT COUNT(*) FROM films")).isEqualTo("500");
    Cli.Result twice = cli.input("{\"id\":601}\n\n{\"id\":1}\n").run("enqueue", "films", "-");
    assertThat(twice.code()).isEqualTo(1);
    assertThat(twice.err())
        .startsWith("rowlock: standard input:3: queue 'films': enqueue failed: ")
        .endsWith("; nothing was enqueued\n")
        .hasLineCount(1);
    Cli.Result header = cli.input("id;title\n1;x\n").run("enqueue", "films", "-");
    assertThat(header.code()).isEqualTo(2);
    assertThat(header.err())
        .startsWith(
            "rowlock: standard input:1: queue 'films': table films has no column 'id;title'")
        .contains("; the header has semicolons: separate the columns by commas")
        .hasLineCount(1);
    Cli.Result short1 = cli.input("id,title\n1\n").run("enqueue", "films", "-");
    assertThat(short1.err())
        .endsWith(
            "rowlock: standard input:2: 1 cells, but the header has 2; nothing was enqueued\n");
  }

  @Test
  void verifySaysWhatItSees() {
    assertThat(cli.run("verify", "films").code()).isEqualTo(3);
    enqueue(5);
    Cli.Result result = cli.run("verify", "films");
    assertThat(result.code()).as(result.out() + result.err()).isZero();
    assertThat(result.out())
        .endsWith("films can be claimed; 1 warning, see above; the table is as it was\n");
    assertThat(cli.run("stats", "films", "--json").out()).contains("\"ready\":5,");
    Cli.Result all = cli.run("verify");
    assertThat(all.code()).isEqualTo(3);
    assertThat(all.out()).contains("films can be claimed");
    assertThat(all.err())
        .startsWith("rowlock: queue 'plain': nothing is wrong, but too few")
        .hasLineCount(1);
    cli.input("{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n").run("enqueue", "plain", "-");
    assertThat(cli.run("verify").code()).isZero();
    assertThat(cli.run("verify", "plain").out())
        .containsPattern(
            "plain can be claimed; \\d+ warnings?, see above; the table is as it was\n$");
    assertThat(cli.run("verify", "films", "--table", "nope").code()).isEqualTo(2);
  }

  @Test
  void peopleAreToldWhatTheyMayNotExpect() throws Exception {
    cli.run("enqueue", "plain", "--set", "id=1");
    String line = cli.run("claim", "plain").out();
    assertThat(cli.run("fail", "plain", "--claim", line, "--error", "no").out())
        .isEqualTo(
            "plain id=1: failed; will be tried again (the error text was not kept: map error)\n");
    assertThat(cli.run("fail", "plain", "--claim", "{}").err())
        .isEqualTo("rowlock: --claim is neither a claim nor a line that claim printed\n");
    assertThat(cli.run("enqueue", "plain", "--set", "id=2", "--set", "STATE=held").out())
        .isEqualTo("plain: enqueued id=2, in state 'held', which is not ready\n");
    Cli.Result claim = cli.run("claim", "plain", "--mode", "transactional");
    assertThat(claim.code()).isEqualTo(2);
    assertThat(claim.err()).endsWith("use rowlock work plain, or mode: lease\n").hasLineCount(1);
  }

  @Test
  void theFixedParametersHaveTheirValues() {
    String line =
        "\n-- :ready = 'ready', :processing = 'processing', :done = 'done', :dead = 'dead', :retry = 'ready', :max_attempts = 2, :lease_ms = 300000\n";
    assertThat(cli.run("sql", "films").out()).contains(line).doesNotContain("without a database");
    assertThat(cli.run("sql", "films", "--dialect", "postgresql").out()).contains(line);
  }

  @Test
  void aFirstTableIsMadeInTheEmbeddedDatabase() throws Exception {
    Path folder = Files.createDirectories(directory.resolve("new"));
    Cli fresh = new Cli(folder);
    Files.writeString(
        folder.resolve("t.sql"),
        "CREATE TABLE t (id INT PRIMARY KEY, state VARCHAR(20) DEFAULT 'ready; set');\n-- look;\nCREATE INDEX t_state ON t (state, id);\n");
    assertThat(fresh.run("sql", "--run", "t.sql").out())
        .isEqualTo("t.sql was run on the embedded database in ./.rowlock\n");
    Cli.Result again = fresh.input("SELECT 1; CREATE TABLE t (id INT)").run("sql", "--run", "-");
    assertThat(again.code()).isEqualTo(1);
    assertThat(again.err()).startsWith("rowlock: standard input: ").hasLineCount(1);
    String[] mapping = {
      "--table",
      "t",
      "--key",
      "id",
      "--state",
      "state",
      "--ready",
      "ready; set",
      "--processing",
      "busy",
      "--done",
      "done"
    };
    fresh.always(mapping);
    assertThat(fresh.run("enqueue", "--set", "id=1").out()).isEqualTo("t: enqueued id=1\n");
    assertThat(fresh.run("claim").code()).isZero();
    assertThat(folder.resolve(".rowlock").toFile().list())
        .containsExactlyInAnyOrder("rowlock.mv.db", "rowlock.opening");
  }

  @Test
  void nobodyReadsTheClaimsSoTheyAreReleased() throws Exception {
    enqueue(3);
    var broken =
        new java.io.PrintStream(
            new java.io.OutputStream() {
              @Override
              public void write(int b) throws java.io.IOException {
                throw new java.io.IOException("Broken pipe");
              }
            });
    var err = new java.io.ByteArrayOutputStream();
    Shell shell =
        new Shell(
            java.util.Map.of(),
            directory,
            java.io.InputStream.nullInputStream(),
            broken,
            new java.io.PrintStream(err),
            new Shell.Terminal(false, false),
            (stop, last) -> {});
    assertThat(Main.run(new String[] {"claim", "films", "--limit", "3"}, shell)).isEqualTo(1);
    assertThat(err.toString(java.nio.charset.StandardCharsets.UTF_8)).isEmpty();
    assertThat(value("SELECT COUNT(*) FROM films WHERE state = 'ready' AND attempts = 0"))
        .isEqualTo("3");
  }

  @Test
  void theEmbeddedDatabaseIsSharedByProcesses() throws Exception {
    Files.createDirectories(directory.resolve(".rowlock"));
    String url =
        "jdbc:h2:file:%s/.rowlock/rowlock;AUTO_SERVER=TRUE;DATABASE_TO_LOWER=TRUE"
            .formatted(directory);
    System.setProperty("h2.bindAddress", "127.0.0.1");
    try (Connection other = DriverManager.getConnection(url, "sa", "")) {
      other
          .createStatement()
          .execute("CREATE TABLE t (id INT PRIMARY KEY, done_at TIMESTAMP WITH TIME ZONE)");
      Files.writeString(
          directory.resolve("rowlock.yaml"),
          "queues: { t: { table: t, key: id, columns: { done-at: done_at }, mode: transactional } }");
      assertThat(cli.run("enqueue", "t", "--set", "id=5").out()).isEqualTo("t: enqueued id=5\n");
      assertThat(cli.run("stats", "--json").out()).contains("\"ready\":1,");
    }
  }
}
