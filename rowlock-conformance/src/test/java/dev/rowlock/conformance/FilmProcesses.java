package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.cli.Main;
import dev.rowlock.conformance.kit.JavaProcesses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Four worker processes on one table of a real server. One is killed in the middle, one is stopped
 * for longer than its lease and then goes on (C-132, C-139, C-143). Triggers in the database keep
 * the record of what happened to every row. A subclass names the server.
 */
@DisabledOnOs(OS.WINDOWS) // signals
abstract class FilmProcesses {
  private static final int WORKERS = 4;

  @TempDir Path directory;
  private final JavaProcesses processes = new JavaProcesses();
  private final TestDatabase database;
  private Schema schema;
  private Path starts;

  FilmProcesses(TestDatabase database) {
    this.database = database;
  }

  /**
   * Makes {@code films} (id, title, state, rendered_title, attempts, claim_no, locked_until,
   * last_error; ready at first) and {@code moves} (id, was, became, lease_end, at), and a trigger
   * that writes down each change of state; one that gives an attempt back became "released": before
   * its handler started, at no cost, neither a failure nor a recovery.
   */
  abstract void create(Schema schema);

  @BeforeEach
  void fill() throws Exception {
    schema = database.fresh();
    processes.in(directory);
    starts = Files.createFile(directory.resolve("starts.log"));
    create(schema);
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
    processes.end();
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
      processes.start(
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
      processes.start(
          FilmsWorker.class.getName(), url(), schema.name() + ".films", starts.toString());
    }
    killOneAndStopOne();
    everyRowIsDoneOnceAndEverySecondStartIsExplained();
  }

  private void killOneAndStopOne() throws Exception {
    await(
        "every worker has rows",
        () -> number("select count(*) from films where state = 'done'") > 60);
    processes.kill(0);
    Process stopped = processes.get(1);
    JavaProcesses.signal("STOP", stopped);
    // Whatever the stopped process holds must have been recovered before it goes on.
    await(
        "the others have done what can be done, and recovered the rest",
        () -> schema.query(leftForOthers()).isEmpty());
    JavaProcesses.signal("CONT", stopped);
    processes.endBySelfFrom(1, 60);
  }

  /** The rows that are not done, as far as a stopped process leaves them to others. */
  String leftForOthers() {
    return "select id from films where state <> 'done'";
  }

  private void everyRowIsDoneOnceAndEverySecondStartIsExplained() throws IOException {
    int rows = Samples.titles().size();
    assertThat(number("select count(*) from films where state = 'done'")).isEqualTo(rows);
    assertThat(schema.query("select title, rendered_title from films"))
        .as("wrong titles")
        .filteredOn(
            film ->
                !Objects.equals(
                    film.get(1), film.get(0) == null ? null : FilmsWorker.upper(film.get(0))))
        .isEmpty();
    assertThat(
            number(
                "select count(*) from (select id from moves where became = 'done' group by id having count(*) > 1) t"))
        .as("rows completed twice")
        .isZero();
    assertThat(number("select count(*) from moves where was = 'processing' and became = 'ready'"))
        .as("rows recovered")
        .isPositive();
    assertThat(
            number(
                "select count(*) from moves where was = 'processing' and became = 'ready' and at < lease_end"))
        .as("rows recovered before their lease had ended")
        .isZero();
    assertThat(
            number(
                "select count(*) from films f where attempts - 1 <> (select count(*) from moves m"
                    + " where m.id = f.id and m.was = 'processing' and m.became = 'ready')"))
        .as("claims that no expired lease explains")
        .isZero();
    List<String> log = Files.readAllLines(starts);
    assertThat(log.stream().distinct()).hasSize(rows);
    assertThat((long) log.size())
        .as("handler starts")
        .isLessThanOrEqualTo(number("select sum(attempts) from films"));
  }

  private String url() throws SQLException {
    try (Connection connection = schema.dataSource().getConnection()) {
      String url = connection.getMetaData().getURL();
      return url.contains("user=")
          ? url
          : url
              + (url.contains("?") ? "&" : "?")
              + "user="
              + connection.getMetaData().getUserName().split("@")[0];
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
      assertThat(System.nanoTime())
          .as("waiting until %s; %s", what, processes.output())
          .isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }
}
