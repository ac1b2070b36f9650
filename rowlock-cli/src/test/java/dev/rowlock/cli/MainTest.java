package dev.rowlock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.cli.config.QueueKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Use, mistakes and exit codes; no database. */
@Timeout(60)
class MainTest {
  private static final List<String> COMMANDS =
      List.of(
          "demo",
          "verify",
          "sql",
          "enqueue",
          "claim",
          "complete",
          "fail",
          "snooze",
          "release",
          "extend",
          "recover",
          "work",
          "stats",
          "list",
          "show");

  @TempDir Path directory;
  private Cli cli;

  @BeforeEach
  void start() throws Exception {
    cli = new Cli(directory);
    Files.writeString(
        directory.resolve("two.yaml"),
        "queues: { films: { table: f, key: id, columns: { done-at: d } }, songs: { table: s, key: id, columns: { done-at: d } } }");
  }

  @Test
  void withoutArgumentsItPrintsHelp() {
    Cli.Result result = cli.run();
    assertThat(result.code()).isZero();
    assertThat(result.err()).isEmpty();
    assertThat(result.out()).contains(COMMANDS).contains("Exit codes: 0 done");
  }

  @Test
  void helpIsACommandToo() {
    assertThat(cli.run("help").out()).isEqualTo(cli.run("--help").out());
    assertThat(cli.run("help", "work").out()).isEqualTo(cli.run("work", "--help").out());
  }

  @Test
  void versionIsOneLine() {
    assertThat(cli.run("--version").out()).startsWith("rowlock ").hasLineCount(1);
  }

  @Test
  void everyCommandHasHelpThatFitsATerminal() {
    for (String command : COMMANDS) {
      Cli.Result result = cli.run(command, "--help");
      assertThat(result.code()).as(command).isZero();
      assertThat(result.out()).as(command).startsWith("Usage: rowlock " + command);
      assertThat(result.lines())
          .as(command)
          .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(82));
      if (!command.equals("demo")) {
        assertThat(result.out()).as(command).containsPattern("Examples?:");
      }
    }
  }

  @Test
  void everyKeyOfTheFileIsAFlagOfEveryQueueCommand() {
    for (String command : COMMANDS.subList(1, COMMANDS.size())) {
      String help = cli.run(command, "--help").out();
      for (QueueKey key : QueueKey.values()) {
        assertThat(help).as(command).contains(key.flag());
      }
      assertThat(help).contains("--col=ROLE=COLUMN", "--url", "--config");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "clam | unknown command 'clam'; did you mean 'claim'?; see 'rowlock --help'",
        "help wrok | unknown command 'wrok'; did you mean 'work'?; see 'rowlock --help'",
        "claim --limt 1 q | Unknown option: '--limt'; did you mean --limit?; see 'rowlock claim --help'",
        "claim q --limit x | --limit: found 'x'; allowed: a whole number; see 'rowlock claim --help'",
        "claim q --limit 0 | --limit is 0; allowed: 1 or more; see 'rowlock claim --help'",
        "complete q | Missing required option: '--claim=CLAIM'; see 'rowlock complete --help'",
        "complete q --claim c --set x | --set: found 'x'; allowed: COLUMN=VALUE (for SQL NULL: --set-null COLUMN)",
        "complete q --claim c --set a=1 --set-null a | column 'a' is set twice",
        "complete q --claim c --set-json [] | --set-json: found []; allowed: a JSON object {\"column\": value, …}",
        "fail q --claim c --dead --retry-in 1s | --dead and --retry-in exclude each other; see 'rowlock fail --help'",
        "fail q --claim c --retry-in 5 | --retry-in: found '5'; allowed: a duration such as 500ms, 30s, 5m, 2h, 1d or PT5M; see 'rowlock fail --help'",
        "snooze q --claim c | Missing required option: '--for=TIME'; see 'rowlock snooze --help'",
        "extend q --claim c --by 0 | --by is 0; allowed: more than 0; see 'rowlock extend --help'",
        "enqueue q | no row is given; add --set COLUMN=VALUE, --file FILE, or -; see 'rowlock enqueue --help'",
        "enqueue q --file f --set a=b | rows come from --set, --file or -; give one of them; see 'rowlock enqueue --help'",
        "work q | give --exec COMMAND or --http URL; see 'rowlock work --help'",
        "work q --exec a --http b | give one of --exec and --http, not both; see 'rowlock work --help'",
        "list q --state dea | --state: found 'dea'; did you mean 'dead'?; allowed: ready, scheduled, processing, expired, stuck, done, failed, dead, other; the state column is --state-column here; see 'rowlock list --help'",
        "stats | no queue is given, and none is configured: give --table, --key and --state, or write rowlock.yaml; see 'rowlock stats --help'",
        "stats q | queue 'q' is not configured here: there is no rowlock.yaml; or give the mapping as flags: --table, --key, --state …",
        "stats filsm --config two.yaml | queue 'filsm' is not configured in two.yaml; did you mean 'films'?; configured: films, songs; or give the mapping as flags: --table, --key, --state …",
        "claim --config two.yaml | give a queue: films, songs; see 'rowlock claim --help'",
        "stats q --config none.yaml | none.yaml: there is no such file",
        "stats --table t --key id --lease 5x | --lease: found '5x'; allowed: a duration such as 500ms, 30s, 5m, 2h, 1d or PT5M, 1 ms or more",
        "stats --table t --key id --col tokn=x | --col: unknown role 'tokn'; did you mean 'token'? allowed: attempts, max-attempts, claimed-at, lease-until, token, worker, run-at, priority, group, error, done-at, dead-at",
        "stats --table t --key id --col token | --col: found 'token'; allowed: ROLE=COLUMN, for example attempts=retry_count",
        "stats --table t --key id --ready r | --ready: there is no state column; give state: { column: COLUMN, … }, or --state COLUMN",
        "stats --table t --key id | table 't': nothing says that a row is done; give a done state, map done-at, or choose on-done: delete",
        "stats films --config two.yaml | no database is named, and there is none in ./.rowlock/; give --url, ROWLOCK_URL, database: in the configuration, or the PG* variables; or make one: rowlock sql --run FILE",
      })
  void aMistakeIsOneLineAndExit2(String arguments, String message) {
    Cli.Result result = cli.run(arguments.split(" "));
    assertThat(result.err()).isEqualTo("rowlock: " + message + "\n");
    assertThat(result.code()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
  }

  @Test
  void anUnreachableDatabaseIsExit5AndShowsNoPassword() {
    Cli.Result result =
        cli.run(
            "stats",
            "films",
            "--config",
            "two.yaml",
            "--url",
            "postgres://u:secret@localhost:1/db");
    assertThat(result.code()).isEqualTo(5);
    assertThat(result.err())
        .startsWith(
            "rowlock: cannot connect to postgres://u@localhost:1/db: Connection to localhost:1 refused.")
        .hasLineCount(1)
        .doesNotContain("secret");
  }

  @Test
  void theDemoKeepsItsPromises() {
    Cli.Result result = cli.run("demo");
    assertThat(result.err()).isEmpty();
    assertThat(result.code()).as(result.out()).isZero();
    assertThat(result.out())
        .contains("ok    three workers have three different rows")
        .contains("ok    two open transactions were given different rows")
        .contains("ok    the row is listed as stuck")
        .contains("ok    her late completion is refused and changes nothing")
        .contains("Every promise was kept.")
        .doesNotContain("   NOT   ");
    assertThat(result.lines())
        .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
    assertThat(directory.toFile().list()).containsExactly("two.yaml");
  }
}
