package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.cli.Main;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Four worker processes on one table of a real PostgreSQL. One is killed in the middle, one is
 * stopped for longer than its lease and then goes on (C-132, C-139, C-143). Triggers in the
 * database keep the record of what happened to every row.
 */
@DisabledOnOs(OS.WINDOWS) // signals
class ProcessesTest {
  private static final int WORKERS = 4;

  @TempDir Path directory;
  private final List<Process> processes = new ArrayList<>();
  private Schema schema;
  private Path starts;

  @BeforeEach
  void fill() throws Exception {
    schema = EmbeddedPostgresDatabase.shared("newest").fresh();
    starts = Files.createFile(directory.resolve("starts.log"));
    schema.execute(
        "create table films(id int primary key, title text, state text default 'ready',"
            + " rendered_title text, attempts int default 0, claim_no bigint default 0,"
            + " locked_until timestamptz, last_error text)",
        "create index on films (state, id)",
        "create table moves(n bigserial, id int, old text, new text, lease_end timestamptz,"
            + " at timestamptz default clock_timestamp())",
        """
        create function audit() returns trigger language plpgsql as $$ begin
          if old.state is distinct from new.state then
            insert into %s.moves (id, old, new, lease_end)
            values (new.id, old.state,
              -- given back before its handler started, at no cost: neither a failure nor a recovery
              case when new.attempts < old.attempts then 'released' else new.state end,
              old.locked_until);
          end if;
          return null; end $$
        """
            .formatted(schema.name()),
        "create trigger audit after update on films for each row execute function audit()");
    try (Connection connection = schema.dataSource().getConnection();
        PreparedStatement insert =
            connection.prepareStatement("insert into films (id, title) values (?, ?)")) {
      int id = 0;
      for (String title : Samples.titles()) {
        insert.setInt(1, ++id);
        insert.setString(2, title);
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  @AfterEach
  void end() throws InterruptedException {
    for (Process process : processes) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
    schema.close();
  }

  @Test
  void c132_c139_killedAndStoppedCommandLineWorkersLoseNothingAndRepeatNothing() throws Exception {
    Path config = directory.resolve("rowlock.yaml");
    Files.writeString(
        config,
        """
        queues:
          films:
            table: %s.films
            key: id
            state: { column: state, ready: ready, processing: processing, done: done }
            columns: { attempts: attempts, token: claim_no, lease-until: locked_until, error: last_error }
            read: [title]
            write: [rendered_title]
            lease: 3s
        """
            .formatted(schema.name()));
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
    for (int i = 0; i < WORKERS; i++) {
      start(
          Main.class.getName(),
          "work",
          "films",
          "--config",
          config.toString(),
          "--url",
          url(),
          "--exec",
          "sh '" + render + "'",
          "--workers",
          "2",
          "--batch",
          "6",
          "--until-empty");
    }
    killOneAndStopOne();
    everyRowIsDoneOnceAndEverySecondStartIsExplained();
  }

  @Test
  void c132_c139_killedAndStoppedJavaWorkersLoseNothingAndRepeatNothing() throws Exception {
    for (int i = 0; i < WORKERS; i++) {
      start(FilmsWorker.class.getName(), url(), schema.name() + ".films", starts.toString());
    }
    killOneAndStopOne();
    everyRowIsDoneOnceAndEverySecondStartIsExplained();
  }

  private void killOneAndStopOne() throws Exception {
    await(
        "every worker has rows",
        () -> number("select count(*) from films where state = 'done'") > 20);
    processes.get(0).destroyForcibly().waitFor();
    Process stopped = processes.get(1);
    signal("STOP", stopped);
    // Whatever the stopped process holds must have been recovered before it goes on.
    await(
        "the others have done what can be done, and recovered the rest",
        () -> number("select count(*) from films where state <> 'done'") == 0);
    signal("CONT", stopped);
    for (Process process : processes.subList(1, WORKERS)) {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("a worker ends by itself").isTrue();
      assertThat(process.exitValue()).as(this::logs).isZero();
    }
  }

  private void everyRowIsDoneOnceAndEverySecondStartIsExplained() throws IOException {
    int rows = Samples.titles().size();
    assertThat(number("select count(*) from films where state = 'done'")).isEqualTo(rows);
    assertThat(
            number("select count(*) from films where rendered_title is distinct from upper(title)"))
        .as("wrong titles")
        .isZero();
    assertThat(
            number(
                "select count(*) from (select id from moves where new = 'done' group by id having count(*) > 1) t"))
        .as("rows completed twice")
        .isZero();
    assertThat(number("select count(*) from moves where old = 'processing' and new = 'ready'"))
        .as("rows recovered")
        .isPositive();
    assertThat(
            number(
                "select count(*) from moves where old = 'processing' and new = 'ready' and at < lease_end"))
        .as("rows recovered before their lease had ended")
        .isZero();
    assertThat(
            number(
                "select count(*) from films f where attempts - 1 <> (select count(*) from moves m"
                    + " where m.id = f.id and m.old = 'processing' and m.new = 'ready')"))
        .as("claims that no expired lease explains")
        .isZero();
    List<String> log = Files.readAllLines(starts);
    assertThat(log.stream().distinct()).hasSize(rows);
    assertThat((long) log.size())
        .as("handler starts")
        .isLessThanOrEqualTo(number("select sum(attempts) from films"));
  }

  private void start(String... mainAndArguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.addAll(Arrays.asList(mainAndArguments));
    File log = directory.resolve("worker-" + processes.size() + ".log").toFile();
    processes.add(
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log)
            .start());
  }

  private static void signal(String name, Process process) throws Exception {
    assertThat(
            new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start().waitFor())
        .isZero();
  }

  private String url() throws SQLException {
    try (Connection connection = schema.dataSource().getConnection()) {
      String url = connection.getMetaData().getURL();
      return url.contains("user=")
          ? url
          : url
              + (url.contains("?") ? "&" : "?")
              + "user="
              + connection.getMetaData().getUserName();
    }
  }

  private long number(String sql) {
    return ((Number) schema.query(sql).get(0).get(0)).longValue();
  }

  private interface Condition {
    boolean holds();
  }

  private void await(String what, Condition condition) throws InterruptedException {
    long end = System.nanoTime() + Duration.ofSeconds(90).toNanos();
    while (!condition.holds()) {
      assertThat(System.nanoTime()).as("waiting until %s; %s", what, logs()).isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  private String logs() {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < processes.size(); i++) {
      try {
        all.append(Files.readString(directory.resolve("worker-" + i + ".log"))).append('\n');
      } catch (IOException e) {
        all.append(e);
      }
    }
    return all.toString();
  }
}
