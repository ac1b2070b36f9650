package dev.rowlock.conformance;

import dev.rowlock.Mapping;
import dev.rowlock.Outcome;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.Worker;
import dev.rowlock.conformance.kit.UrlDataSource;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * A program of its own for {@link FilmProcesses}: a Java handler on 16 threads, until nothing is
 * left.
 */
final class FilmsWorker {
  private FilmsWorker() {}

  /** Arguments: JDBC URL, table, file to log starts to, and milliseconds of lease if not 3000. */
  public static void main(String[] args) throws Exception {
    DataSource dataSource = new UrlDataSource(args[0], new Properties());
    Path log = Path.of(args[2]);
    Mapping mapping =
        Mapping.table(args[1])
            .key("id")
            .state("state", "ready", "processing", "done")
            .column(Role.ATTEMPTS, "attempts")
            .column(Role.TOKEN, "claim_no")
            .column(Role.LEASE_UNTIL, "locked_until")
            .column(Role.ERROR, "last_error")
            .read("title")
            .write("rendered_title")
            .build();
    Duration lease = Duration.ofMillis(args.length > 3 ? Long.parseLong(args[3]) : 3000);
    Queue queue = Queue.builder("films", dataSource, mapping).lease(lease).build();
    try (Worker worker =
        queue
            .worker(
                job -> {
                  String line = "start " + job.get("id") + "\n";
                  Files.write(
                      log, line.getBytes(StandardCharsets.UTF_8), StandardOpenOption.APPEND);
                  TimeUnit.MILLISECONDS.sleep(100); // so that there is a middle to be killed in
                  return Outcome.done("rendered_title", upper(job.text("title")));
                })
            .threads(16)
            .batch(8)
            .start()) {
      if (!worker.awaitEmpty(Duration.ofMinutes(2))) {
        throw new IllegalStateException("not drained: " + queue.stats());
      }
    }
  }

  /** Letters of ASCII alone, as tr does. */
  static String upper(Object title) {
    if (title == null) {
      return null;
    }
    StringBuilder upper = new StringBuilder(title.toString());
    for (int i = 0; i < upper.length(); i++) {
      char c = upper.charAt(i);
      if (c >= 'a' && c <= 'z') {
        upper.setCharAt(i, (char) (c - 32));
      }
    }
    return upper.toString();
  }
}
