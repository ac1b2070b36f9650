package dev.rowlock.cli.command;

import dev.rowlock.Capability;
import dev.rowlock.Handler;
import dev.rowlock.Queue;
import dev.rowlock.Worker;
import dev.rowlock.WorkerOptions;
import dev.rowlock.cli.CommandFailure;
import dev.rowlock.cli.ExitCode;
import dev.rowlock.cli.config.QueueConfig;
import dev.rowlock.cli.database.Database;
import dev.rowlock.cli.output.JsonColumns;
import dev.rowlock.cli.output.Table;
import dev.rowlock.cli.output.Words;
import dev.rowlock.cli.work.ExecHandler;
import dev.rowlock.cli.work.FailureReport;
import dev.rowlock.cli.work.HttpHandler;
import dev.rowlock.cli.work.Progress;
import dev.rowlock.cli.work.RowJson;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Runs a worker. */
@CommandLine.Command(
    name = "work",
    description = "Claim rows and run a command or call a URL for each, until stopped.",
    footer = {
      "",
      "The row is one JSON object: on standard input, or as the body of a POST. The",
      "answer, on standard output or as the body, is a JSON object of write columns,",
      "or nothing.",
      "  --exec: exit 0 done; 75 retry later; 65 dead letter; other: failed attempt,",
      "          with the end of standard error as its error. The command's",
      "          environment has ROWLOCK_CLAIM, _KEY, _ATTEMPT and _QUEUE.",
      "  --http: 2xx done; 422 dead letter; other: failed attempt (Retry-After is",
      "          honoured).",
      "SIGTERM and SIGINT drain: running rows may finish; a second one ends at once.",
      "",
      "Examples:",
      "  rowlock work films --exec 'jq -c \"{rendered_title: (.title|ascii_upcase)}\"'",
      "  rowlock work films --exec ./render.sh --workers 8 --until-empty",
      "  rowlock work outbox --http http://localhost:8080/deliver --time-limit 30s"
    })
public final class WorkCommand extends QueueCommand {
  private static final int COUNTING_AND_LEASES = 3;

  @Option(names = "--exec", paramLabel = "COMMAND", description = "Command to run for each row.")
  private String exec;

  @Option(names = "--http", paramLabel = "URL", description = "URL to post each row to.")
  private String http;

  @Option(
      names = "--workers",
      paramLabel = "N",
      description = "Rows worked on at once; the number of processors.")
  private Integer workers;

  @Option(names = "--batch", paramLabel = "N", description = "Rows that one claim takes; 10.")
  private Integer batch;

  @Option(names = "--until-empty", description = "Stop when nothing is left.")
  private boolean untilEmpty;

  @Option(
      names = "--time-limit",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "How long one row may take; without limit by default.")
  private Duration timeLimit;

  @Option(
      names = "--grace",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      defaultValue = "30s",
      description = "How long running rows may finish on stop; 30s.")
  private Duration grace;

  @Option(
      names = "--poll",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "Longest wait before looking for work again; 1s.")
  private Duration poll;

  @Option(
      names = "--retry-in",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      defaultValue = "30s",
      description = "What exit code 75 waits, where run-at is mapped; 30s.")
  private Duration retryIn;

  @Option(
      names = "--worker",
      paramLabel = "NAME",
      description = "Name for the worker column; host and process by default.")
  private String worker;

  private final FailureReport failures = new FailureReport(this::interject);
  private final AtomicBoolean empty = new AtomicBoolean();

  @Override
  public Integer call() throws Exception {
    if (exec != null && http != null) {
      throw usage("give one of --exec and --http, not both");
    }
    if (exec == null && http == null) {
      throw usage("give --exec COMMAND or --http URL");
    }
    QueueConfig config = config(queueName());
    config.mapping();
    int threads = workers == null ? Runtime.getRuntime().availableProcessors() : workers;
    int connections = config.transactional() ? threads : Math.min(threads, 4);
    try (Database database = connect(Math.max(1, connections) + COUNTING_AND_LEASES)) {
      Queue queue = builder(database, config).workerName(worker).listener(failures).build();
      JsonColumns documents = new JsonColumns(database.dataSource());
      return work(queue, handler(queue, new RowJson(queue.mapping(), documents)));
    }
  }

  @Override
  int run(Queue queue) {
    throw new IllegalStateException("call() does it");
  }

  /** Says something while the progress line may be on the terminal. */
  private void interject(String line) {
    shell().err().println((shell().terminal().err() ? "\r\033[K" : "") + "rowlock: " + line);
  }

  private Handler handler(Queue queue, RowJson rows) {
    boolean delay = queue.mapping().capabilities().contains(Capability.DELAY);
    if (http != null) {
      return new HttpHandler(
          queue.name(),
          url(),
          rows,
          timeLimit == null ? queue.lease() : timeLimit,
          new HttpHandler.Outage(
              this::interject,
              Optional.ofNullable(timeLimit)
                  .filter(limit -> delay)
                  .map(l -> l.multipliedBy(9).dividedBy(10))));
    }
    return new ExecHandler(
        new ExecHandler.Setup(
            queue.name(),
            exec,
            shell().environment(),
            shell().directory(),
            rows,
            shell().err(),
            delay ? Optional.of(retryIn) : Optional.empty(),
            Optional.ofNullable(timeLimit)));
  }

  private URI url() {
    try {
      URI url = URI.create(http);
      if (url.getHost() != null && url.getScheme().matches("https?")) {
        return url;
      }
    } catch (IllegalArgumentException e) {
      // Refused below.
    }
    throw usage("--http: found '%s'; allowed: http://HOST/… or https://HOST/…".formatted(http));
  }

  private WorkerOptions options(Queue queue, Handler handler) {
    WorkerOptions options = queue.worker(handler).grace(grace);
    if (workers != null) {
      options.threads(workers);
    }
    if (batch != null) {
      options.batch(batch);
    }
    if (timeLimit != null) {
      options.timeLimit(timeLimit);
    }
    if (poll != null) {
      options.poll(poll.compareTo(options.minPoll()) < 0 ? poll : options.minPoll(), poll);
    }
    return options;
  }

  private int work(Queue queue, Handler handler) throws InterruptedException {
    CountDownLatch stop = new CountDownLatch(1);
    shell().signals().listen(stop, () -> exec(handler).ifPresent(ExecHandler::killNow));
    Worker running = options(queue, handler).start();
    if (untilEmpty) {
      stopWhenEmpty(running, stop);
    }
    Optional<Progress> progress =
        shell().terminal().err()
            ? Optional.of(Progress.start(queue, running, shell().err()))
            : Optional.empty();
    Worker.Report report;
    exec(handler).ifPresent(e -> e.broken().thenRun(stop::countDown));
    try {
      stop.await();
      report = stop(running, handler);
    } finally {
      progress.ifPresent(Progress::close);
      exec(handler).ifPresent(ExecHandler::close);
    }
    say(summary(queue, report) + failures.last().map(e -> "; last error: " + e).orElse(""));
    report.unfinished().forEach(key -> say("not finished: " + Table.text(key)));
    broken(handler)
        .ifPresent(
            reason -> {
              throw new CommandFailure(ExitCode.USAGE, reason);
            });
    long left = untilEmpty && !empty.get() ? queue.stats().left() : 0;
    if (left > 0) {
      throw new CommandFailure(
          ExitCode.FAILED,
          "stopped before the queue was empty: %s left".formatted(Words.rows(left)));
    }
    return report.unfinished().isEmpty() ? ExitCode.DONE : ExitCode.FAILED;
  }

  /** Where the command cannot be run, the rows that wait in vain are given back at once. */
  private Worker.Report stop(Worker running, Handler handler) throws InterruptedException {
    if (broken(handler).isEmpty()) {
      return running.stop(grace);
    }
    exec(handler).orElseThrow().awaitIdle(grace);
    return running.stop(Duration.ZERO);
  }

  private static Optional<String> broken(Handler handler) {
    return exec(handler).map(ExecHandler::broken).map(broken -> broken.getNow(null));
  }

  private static Optional<ExecHandler> exec(Handler handler) {
    return handler instanceof ExecHandler exec ? Optional.of(exec) : Optional.empty();
  }

  private void stopWhenEmpty(Worker running, CountDownLatch stop) {
    Thread thread =
        new Thread(
            () -> {
              try {
                empty.set(running.awaitEmpty(Duration.ofDays(3650)));
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              } finally {
                stop.countDown();
              }
            },
            "rowlock-until-empty");
    thread.setDaemon(true);
    thread.start();
  }

  private static String summary(Queue queue, Worker.Report report) {
    Worker.Counts counts = report.counts();
    StringBuilder text = new StringBuilder(queue.name());
    text.append(": ").append(Words.rows(counts.completed())).append(" done");
    add(text, counts.retried() + counts.dead(), "failed attempt", "failed attempts");
    add(text, counts.dead(), "of them made a dead letter", "of them made dead letters");
    add(text, counts.snoozed(), "snoozed", "snoozed");
    add(text, counts.released(), "given back", "given back");
    add(text, counts.recovered(), "recovered", "recovered");
    add(text, counts.lost(), "lease lost", "leases lost");
    add(text, counts.stuck(), "hung", "hung");
    add(text, report.unfinished().size(), "not finished", "not finished");
    return text.toString();
  }

  private static void add(StringBuilder text, long count, String one, String many) {
    if (count > 0) {
      text.append(", ").append(Words.count(count)).append(' ').append(count == 1 ? one : many);
    }
  }
}
