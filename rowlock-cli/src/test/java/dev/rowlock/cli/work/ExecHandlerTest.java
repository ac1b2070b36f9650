package dev.rowlock.cli.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(OS.WINDOWS)
@Timeout(30)
class ExecHandlerTest {
  @TempDir Path directory;

  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private ExecHandler handler(String command, Optional<Duration> retryIn) {
    return new ExecHandler(
        new ExecHandler.Setup(
            "films",
            command,
            Map.of("PATH", System.getenv("PATH"), "MINE", "yes"),
            directory,
            TestJobs.ROWS,
            new PrintStream(err, true, StandardCharsets.UTF_8),
            retryIn,
            Optional.empty()));
  }

  private Outcome run(String command) throws Exception {
    return handler(command, Optional.empty()).handle(TestJobs.job("The Land Girls"));
  }

  @Test
  void theRowIsOneJsonLineOnStandardInput() throws Exception {
    run("cat >row.json");
    assertThat(directory.resolve("row.json"))
        .hasContent("{\"id\":17,\"title\":\"The Land Girls\"}\n");
  }

  @Test
  void theEnvironmentNamesTheClaim() throws Exception {
    run("echo \"$ROWLOCK_QUEUE $ROWLOCK_KEY $ROWLOCK_ATTEMPT $MINE $ROWLOCK_CLAIM\" >env");
    assertThat(Files.readString(directory.resolve("env"))).startsWith("films 17 2 yes rl1.");
  }

  @Test
  void whatItPrintsAreResults() throws Exception {
    assertThat(run("echo '{\"rendered_title\": \"X\", \"length\": 3}'"))
        .isEqualTo(Outcome.done(Map.of("rendered_title", "X", "length", 3L)));
    assertThat(run("echo; true")).isEqualTo(Outcome.done());
  }

  @Test
  void whatIsNoResultIsAFailedAttempt() throws Exception {
    assertThat(run("echo hello"))
        .isEqualTo(
            Outcome.retry(
                "the command printed: is not JSON: Unrecognized token 'hello' at line 1, column 1 in hello"));
    assertThat(run("echo '[1]'"))
        .isEqualTo(
            Outcome.retry(
                "the command printed: found [1]; allowed: a JSON object {\"column\": value, …}"));
    assertThat(run("echo '{\"nope\":1}'"))
        .isEqualTo(
            Outcome.retry(
                "the command printed: column 'nope' is no write column; allowed: rendered_title, length"));
  }

  @Test
  void exitCodesSayTheOutcome() throws Exception {
    assertThat(run("echo ignored; exit 65")).isEqualTo(Outcome.dead("exit code 65"));
    assertThat(run("echo why >&2; exit 65")).isEqualTo(Outcome.dead("why"));
    assertThat(run("echo why >&2; exit 1")).isEqualTo(Outcome.retry("why"));
    assertThat(run("exit 3")).isEqualTo(Outcome.retry("exit code 3"));
    assertThat(run("kill -9 $$")).isEqualTo(Outcome.retry("killed by signal 9"));
    assertThat(run("exit 75")).isEqualTo(Outcome.retry("exit code 75"));
    Duration later = Duration.ofSeconds(7);
    assertThat(handler("exit 75", Optional.of(later)).handle(TestJobs.job("x")))
        .isEqualTo(Outcome.snooze(later));
  }

  @Test
  void standardErrorIsPassedOnAndItsEndIsTheError() throws Exception {
    Outcome outcome =
        run("i=0; while [ $i -lt 3000 ]; do echo \"line é $i\" >&2; i=$((i+1)); done; exit 1");
    String error = ((Outcome.Retry) outcome).error();
    assertThat(error).endsWith("line é 2999").hasSizeLessThan(8193);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .startsWith("line é 0\n")
        .endsWith("line é 2999\n");
  }

  @Test
  void bytesThatAreNoTextDoNotHurt() throws Exception {
    assertThat(((Outcome.Retry) run("printf '\\377\\376x' >&2; exit 1")).error()).endsWith("x");
  }

  @Test
  void aCommandThatDoesNotReadItsInputIsFine() throws Exception {
    Outcome outcome =
        handler("exec <&-; sleep 0.2; echo '{}'", Optional.empty())
            .handle(TestJobs.job("x".repeat(1 << 20)));
    assertThat(outcome).isEqualTo(Outcome.done());
  }

  @Test
  void aProcessInTheBackgroundIsNotWaitedFor() throws Exception {
    long start = System.nanoTime();
    Outcome outcome = run("sleep 20 & echo $! >pid; echo '{\"length\":1}'");
    assertThat(outcome).isEqualTo(Outcome.done("length", 1L));
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    long pid = Long.parseLong(Files.readString(directory.resolve("pid")).strip());
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
  }

  @Test
  void tooMuchOutputIsAFailedAttempt() throws Exception {
    assertThat(run("exec yes")).isEqualTo(Outcome.retry("the command printed more than 16 MB"));
  }

  @Test
  void anInterruptEndsTheWholeTree() throws Exception {
    Thread worker =
        new Thread(
            () ->
                assertThatThrownBy(
                        () ->
                            run(
                                "trap '' TERM; sh -c 'trap \"\" TERM; sleep 60' & echo $! >child; echo $$ >root; wait"))
                    .isInstanceOf(InterruptedException.class));
    worker.start();
    Path root = directory.resolve("root");
    while (!Files.exists(root) || Files.size(root) == 0) {
      Thread.sleep(20);
    }
    worker.interrupt();
    worker.join();
    for (String name : new String[] {"child", "root"}) {
      long pid = Long.parseLong(Files.readString(directory.resolve(name)).strip());
      ProcessHandle.of(pid).ifPresent(handle -> handle.onExit().join());
    }
  }
}
