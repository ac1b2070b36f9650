package dev.rowlock.cli.work;

import dev.rowlock.Claim;
import dev.rowlock.Handler;
import dev.rowlock.Job;
import dev.rowlock.Outcome;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * Runs a command for each row: the row as JSON on standard input, results as JSON on standard
 * output. The exit code says the outcome: 0 done, 75 retry later, 65 dead letter, other failed.
 * Thread-safe.
 */
public final class ExecHandler implements Handler, AutoCloseable {
  /** {@code EX_TEMPFAIL} of sysexits.h. */
  static final int RETRY_LATER = 75;

  /** {@code EX_DATAERR} of sysexits.h. */
  static final int DEAD_LETTER = 65;

  /** The shell found the command but cannot run it, or did not find it. */
  private static final Set<Integer> NO_COMMAND = Set.of(126, 127);

  private static final int MOST_OUTPUT = 16 << 20;
  private static final int MOST_ERROR = 8 << 10;
  private static final Duration STRAGGLERS = Duration.ofMillis(500);
  private static final Duration PATIENCE = Duration.ofMillis(700);

  private final Setup setup;
  private final Set<ProcessTree> running = ConcurrentHashMap.newKeySet();

  private final CompletableFuture<String> broken = new CompletableFuture<>();

  /**
   * How commands are run.
   *
   * @param queue the queue's name
   * @param command a line for the shell
   * @param environment variables for the command, to which those of the row are added
   * @param directory where it runs
   * @param rows how rows become JSON
   * @param err where what the command says on standard error is passed on to
   * @param retryIn the snooze that exit code 75 asks for; empty where the table has no place for it
   * @param timeLimit how long one row may take
   */
  public record Setup(
      String queue,
      String command,
      Map<String, String> environment,
      Path directory,
      RowJson rows,
      PrintStream err,
      Optional<Duration> retryIn,
      Optional<Duration> timeLimit) {}

  /** With a setup. */
  public ExecHandler(Setup setup) {
    this.setup = setup;
  }

  @Override
  public Outcome handle(Job job) throws IOException, InterruptedException {
    if (broken.isDone()) {
      return untilStopped();
    }
    Claim claim = job.claim();
    Process process = start(claim);
    ProcessTree tree = new ProcessTree(process, patience());
    running.add(tree);
    Pump out = Pump.head(process.getInputStream(), MOST_OUTPUT, tree::kill);
    Pump err = Pump.tail(process.getErrorStream(), MOST_ERROR, setup.err);
    Thread feeder = feed(process, setup.rows.input(claim));
    try {
      int code = process.waitFor();
      out.await(STRAGGLERS);
      err.await(STRAGGLERS);
      if (!NO_COMMAND.contains(code)) {
        return outcome(code, out, err);
      }
      String said = lastLine(err.text());
      broken.complete(
          "the command cannot be run: " + (said.isEmpty() ? "exit code " + code : said));
    } catch (InterruptedException e) {
      tree.kill();
      throw e;
    } finally {
      running.remove(tree);
      feeder.interrupt();
      out.abandon();
      err.abandon();
    }
    return untilStopped();
  }

  /** Completed with the reason when the command turns out not to be one: no row is at fault. */
  public CompletableFuture<String> broken() {
    return broken;
  }

  /** Waits until the commands that run have ended. */
  public void awaitIdle(Duration most) throws InterruptedException {
    long end = System.nanoTime() + most.toNanos();
    while (!running.isEmpty() && System.nanoTime() < end) {
      Thread.sleep(20);
    }
  }

  /** Holds the row until the worker stops, which interrupts this and gives the row back. */
  private static Outcome untilStopped() throws InterruptedException {
    new CountDownLatch(1).await();
    throw new IllegalStateException("nobody counts down");
  }

  private static String lastLine(String text) {
    return text.strip().replaceFirst("(?s)^.*[\\r\\n]", "").strip();
  }

  /** Ends commands that still run, with what they have started; waits a moment at most. */
  @Override
  public void close() {
    List<Thread> killers = running.stream().map(tree -> new Thread(tree::kill)).toList();
    killers.forEach(Thread::start);
    for (Thread killer : killers) {
      try {
        killer.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** Ends commands that still run at once. */
  public void killNow() {
    running.forEach(ProcessTree::killNow);
  }

  /**
   * How long a command may take to end. A worker gives a thread up that goes on after its time
   * limit for as long again, so a command must be gone before.
   */
  private Duration patience() {
    return setup
        .timeLimit
        .map(limit -> Duration.ofMillis(Math.max(50, limit.toMillis() * 6 / 10)))
        .filter(most -> most.compareTo(PATIENCE) < 0)
        .orElse(PATIENCE);
  }

  private Process start(Claim claim) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(shell());
    Map<String, String> variables = builder.environment();
    variables.clear();
    variables.putAll(setup.environment);
    variables.put("ROWLOCK_QUEUE", setup.queue);
    variables.put("ROWLOCK_CLAIM", claim.token());
    variables.put("ROWLOCK_KEY", RowJson.key(claim));
    if (claim.attempt().isPresent()) {
      variables.put("ROWLOCK_ATTEMPT", String.valueOf(claim.attempt().getAsInt()));
    }
    return builder.directory(setup.directory.toFile()).start();
  }

  private List<String> shell() {
    boolean windows = System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("windows");
    return windows ? List.of("cmd.exe", "/c", setup.command) : List.of("sh", "-c", setup.command);
  }

  /** Writes the row; a command that does not read it is fine. */
  private static Thread feed(Process process, String row) {
    Thread thread =
        new Thread(
            () -> {
              try (OutputStream in = process.getOutputStream()) {
                in.write((row + "\n").getBytes(StandardCharsets.UTF_8));
              } catch (IOException e) {
                // The command has closed its input or is gone: it did not want the row.
              }
            },
            "rowlock-exec-in");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private Outcome outcome(int code, Pump out, Pump err) {
    if (out.overflowed()) {
      return Outcome.retry("the command printed more than %d MB".formatted(MOST_OUTPUT >> 20));
    }
    String said = err.text().strip();
    return switch (code) {
      case 0 -> setup.rows.done(out.text(), "the command printed");
      case DEAD_LETTER -> Outcome.dead(said.isEmpty() ? "exit code 65" : said);
      case RETRY_LATER ->
          setup
              .retryIn
              .map(Outcome::snooze)
              .orElseGet(() -> Outcome.retry(said.isEmpty() ? "exit code 75" : said));
      default -> Outcome.retry(said.isEmpty() ? died(code) : said);
    };
  }

  private static String died(int code) {
    return code > 128 && code < 160 ? "killed by signal " + (code - 128) : "exit code " + code;
  }
}
