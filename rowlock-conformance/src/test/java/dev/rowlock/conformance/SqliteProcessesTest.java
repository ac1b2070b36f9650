package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.cli.Main;
import dev.rowlock.conformance.kit.JavaProcesses;
import dev.rowlock.conformance.kit.Threads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Several processes on one file of SQLite; a trigger keeps the record of what happened. */
@DisabledOnOs(OS.WINDOWS) // signals
class SqliteProcessesTest {
  private static final Duration DEADLINE = Duration.ofSeconds(150);

  @TempDir Path directory;
  private final JavaProcesses processes = new JavaProcesses();
  private SqliteDatabase database;
  private Schema schema;
  private Path starts;
  private String file;

  @BeforeEach
  void open() throws IOException {
    database = new SqliteDatabase();
    schema = database.fresh();
    processes.in(directory);
    starts = Files.createFile(directory.resolve("starts.log"));
    schema.execute(
        "create table films(id integer primary key, title text, state text not null default 'ready',"
            + " rendered_title text, attempts integer not null default 0,"
            + " claim_no integer not null default 0, locked_until text, last_error text)",
        "create index films_state on films(state)",
        "create table moves(id integer, old text, new text)",
        "create trigger audit after update of state on films when old.state <> new.state"
            + " begin insert into moves values (new.id, old.state, new.state); end");
    file = schema.value("select file from pragma_database_list limit 1").toString();
  }

  @AfterEach
  void end() throws InterruptedException {
    processes.end();
    schema.close();
    database.close();
  }

  private void fill(List<String> titles) throws SQLException {
    try (Connection connection = schema.dataSource().getConnection();
        PreparedStatement insert =
            connection.prepareStatement("insert into films (id, title) values (?, ?)")) {
      connection.setAutoCommit(false);
      for (int id = 1; id <= titles.size(); id++) {
        insert.setInt(1, id);
        insert.setString(2, titles.get(id - 1));
        insert.addBatch();
      }
      insert.executeBatch();
      connection.commit();
    }
  }

  private static List<String> films(int rows) {
    return IntStream.rangeClosed(1, rows).mapToObj(i -> "film " + i).toList();
  }

  @Test
  void c121_eightProcessesHandleTwoThousandRowsOnceEach() throws Exception {
    fill(films(2000));
    for (int i = 0; i < 8; i++) {
      startJava("60000");
    }
    processes.endBySelfFrom(0, DEADLINE.toSeconds());
    List<String> log = Files.readAllLines(starts);
    assertThat(log).hasSize(2000).doesNotHaveDuplicates();
    assertThat(number("select count(*) from films where state = 'done' and attempts = 1"))
        .isEqualTo(2000);
    assertThat(number("select count(*) from moves")).isEqualTo(4000);
  }

  @Test
  void c132_c139_killedAndStoppedJavaWorkersLoseNothingAndRepeatNothing() throws Exception {
    fill(films(1500)); // many seconds of work, so that there is a middle
    startJava("3000");
    Threads.until(
        "the first is at work",
        DEADLINE,
        () -> number("select count(*) from films where state = 'done'") > 0);
    for (int i = 1; i < 4; i++) {
      startJava("3000");
    }
    killOneAndStopOne();
    everyRowIsDoneOnce();
  }

  @Test
  void c132_c139_killedAndStoppedCommandLineWorkersLoseNothingAndRepeatNothing() throws Exception {
    fill(Samples.titles());
    Path config = directory.resolve("rowlock.yaml");
    Files.writeString(
        config,
        """
        queues:
          films:
            table: films
            key: id
            state: { column: state, ready: ready, processing: processing, done: done }
            columns: { attempts: attempts, token: claim_no, lease-until: locked_until, error: last_error }
            read: [title]
            write: [rendered_title]
            lease: 3s
        """);
    Path render = directory.resolve("render.sh");
    Files.writeString(
        render,
        """
        read -r row
        echo "start $ROWLOCK_KEY" >>'%s'
        title=${row#*\\"title\\":}
        title=${title%%\\}}
        printf '{"rendered_title":%%s}' "$(printf %%s "$title" | tr a-z A-Z)"
        """
            .formatted(starts));
    for (int i = 0; i < 4; i++) {
      processes.start(
          Main.class.getName(),
          "work",
          "films",
          "--config",
          config.toString(),
          "--url",
          "sqlite://" + file,
          "--exec",
          "sh '" + render + "'",
          "--workers",
          "2",
          "--batch",
          "6",
          "--until-empty");
    }
    killOneAndStopOne();
    everyRowIsDoneOnce();
  }

  private void killOneAndStopOne() throws Exception {
    Threads.until(
        "every worker has rows: " + processes.output(),
        DEADLINE,
        () -> number("select count(*) from films where state = 'done'") > 20);
    processes.kill(0);
    Process stopped = processes.get(1);
    stopOutsideOfATransaction(stopped);
    Threads.until(
        "the others have done what can be done, and recovered the rest",
        DEADLINE,
        () -> number("select count(*) from films where state <> 'done'") == 0);
    JavaProcesses.signal("CONT", stopped);
    processes.endBySelfFrom(1, 60);
  }

  /** A process that is stopped while it has the write lock holds up all others: a known limit. */
  private void stopOutsideOfATransaction(Process process) {
    Threads.until(
        "the process is stopped and has not the lock",
        DEADLINE,
        () -> {
          JavaProcesses.signal("STOP", process);
          try {
            schema.execute("update films set title = title where 1 = 0");
            return true;
          } catch (IllegalStateException locked) {
            JavaProcesses.signal("CONT", process);
            return false;
          }
        });
  }

  private void everyRowIsDoneOnce() throws IOException {
    int rows = (int) number("select count(*) from films");
    assertThat(number("select count(*) from films where state = 'done'")).isEqualTo(rows);
    assertThat(number("select count(*) from films where rendered_title is not upper(title)"))
        .as("wrong titles")
        .isZero();
    assertThat(
            number(
                "select count(*) from (select id from moves where new = 'done' group by id having count(*) > 1)"))
        .as("rows completed twice")
        .isZero();
    assertThat(number("select count(*) from moves where old = 'processing' and new = 'ready'"))
        .as("rows recovered")
        .isPositive();
    List<String> log = Files.readAllLines(starts);
    assertThat(log.stream().distinct()).hasSize(rows);
    assertThat((long) log.size())
        .as("handler starts")
        .isLessThanOrEqualTo(number("select sum(attempts) from films"));
  }

  private void startJava(String leaseMillis) throws IOException {
    processes.start(
        FilmsWorker.class.getName(),
        "jdbc:sqlite:" + file + "?journal_mode=WAL&busy_timeout=5000",
        "films",
        starts.toString(),
        leaseMillis);
  }

  private long number(String sql) {
    return ((Number) schema.value(sql)).longValue();
  }
}
