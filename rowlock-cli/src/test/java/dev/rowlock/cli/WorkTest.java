package dev.rowlock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The work command on H2: what it runs, and what it says when things go wrong. */
class WorkTest extends FilmsOnH2 {
  @Test
  @DisabledOnOs(OS.WINDOWS)
  void workRunsACommandForEachRow() throws Exception {
    enqueue(20);
    Cli.Result result =
        cli.run(
            "work",
            "films",
            "--until-empty",
            "--workers",
            "4",
            "--batch",
            "3",
            "--exec",
            "read row; case $ROWLOCK_KEY in 3) echo bad >&2; exit 1;; 4) exit 65;; esac; echo '{\"rendered_title\":\"'$ROWLOCK_KEY'\"}'");
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.err())
        .contains("rowlock: films id=3 failed: bad\n")
        .contains("rowlock: films id=4 refused for good: exit code 65\n")
        .containsPattern(
            "rowlock: films: 18 rows done, 3 failed attempts, 2 of them made dead letters; last error: id=[34]: .*\n$");
    assertThat(result.out()).isEmpty();
    assertThat(value("SELECT COUNT(*) FROM films WHERE state = 'done' AND rendered_title = id"))
        .isEqualTo("18");
    assertThat(value("SELECT state || attempts || last_error FROM films WHERE id = 3"))
        .isEqualTo("dead2bad");
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void aCommandThatEndsWhenItsTimeIsUpDidNotHang() throws Exception {
    enqueue(1);
    Cli.Result result =
        cli.run(
            "work",
            "films",
            "--until-empty",
            "--time-limit",
            "1s",
            "--exec",
            "sh -c 'sleep 30'; true");
    assertThat(result.err()).doesNotContain("hung").doesNotContain("ignored");
    assertThat(value("SELECT state || attempts || last_error FROM films"))
        .isEqualTo("dead2time limit of 1s exceeded");
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void aCommandThatIsNoneIsNoRowsFault() throws Exception {
    enqueue(3);
    Cli.Result result =
        cli.run("work", "films", "--until-empty", "--workers", "2", "--exec", "./nope.sh");
    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err())
        .contains("rowlock: films: 0 rows done")
        .containsPattern("rowlock: the command cannot be run: .*nope.sh.*\n$")
        .doesNotContain("failed attempt");
    assertThat(value("SELECT COUNT(*) FROM films WHERE state = 'ready' AND attempts = 0"))
        .isEqualTo("3");
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void whoeverStopsBeforeTheQueueIsEmptyIsToldSo() throws Exception {
    enqueue(3);
    var err = new java.io.ByteArrayOutputStream();
    Shell shell =
        new Shell(
            java.util.Map.of("PATH", System.getenv("PATH")),
            directory,
            java.io.InputStream.nullInputStream(),
            System.out,
            new java.io.PrintStream(err),
            new Shell.Terminal(false, false),
            (stop, last) -> stop.countDown());
    String[] arguments = {
      "work", "films", "--until-empty", "--workers", "1", "--exec", "sleep 0.5"
    };
    assertThat(Main.run(arguments, shell)).isEqualTo(1);
    assertThat(err.toString(java.nio.charset.StandardCharsets.UTF_8))
        .containsPattern("rowlock: stopped before the queue was empty: [23] rows left\n$");
  }
}
