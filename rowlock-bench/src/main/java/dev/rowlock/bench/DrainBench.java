package dev.rowlock.bench;

import dev.rowlock.Outcome;
import dev.rowlock.Queue;
import dev.rowlock.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Drains a table with Rowlock and with raw SQL, in turn, on one server, and prints rows per second
 * and their ratio. Arguments: {@code [url=jdbc:…] [rows=100000] [threads=8] [batch=100] [runs=5]
 * [textbook=0]}; with {@code textbook=1} the raw claim is written as in most tutorials.
 */
public final class DrainBench {
  private DrainBench() {}

  /** Runs it. */
  public static void main(String[] args) throws Exception {
    Options options = new Options(args);
    int rows = options.number("rows", 100_000);
    int threads = options.number("threads", 8);
    int batch = options.number("batch", 100);
    int runs = options.number("runs", 5);
    boolean textbook = options.number("textbook", 0) == 1;
    try (Server server = new Server(options.text("url"), threads + 4)) {
      System.out.println(server.lines("SELECT version()").get(0));
      System.out.printf(
          Locale.ROOT, "%d rows, %d threads, claims of %d, %d runs%n", rows, threads, batch, runs);
      List<Double> raw = new ArrayList<>();
      List<Double> ours = new ArrayList<>();
      for (int run = 0; run <= runs; run++) {
        double rawRate =
            measure(server, rows, () -> RawDrain.run(server.pool(), threads, batch, textbook));
        double ourRate = measure(server, rows, () -> rowlock(server, threads, batch));
        if (run > 0) {
          raw.add(rawRate);
          ours.add(ourRate);
          System.out.printf(
              Locale.ROOT,
              "run %d: raw %,.0f rows/s, rowlock %,.0f rows/s, ratio %.2f%n",
              run,
              rawRate,
              ourRate,
              ourRate / rawRate);
        }
      }
      System.out.printf(
          Locale.ROOT,
          "median: raw %,.0f rows/s, rowlock %,.0f rows/s, ratio %.2f%n",
          median(raw),
          median(ours),
          median(ours) / median(raw));
    }
  }

  private interface Drain {
    void run() throws Exception;
  }

  private static double measure(Server server, int rows, Drain drain) throws Exception {
    Films.fill(server, rows, 1);
    long start = System.nanoTime();
    drain.run();
    double seconds = (System.nanoTime() - start) / 1e9;
    long done =
        server.number(
            "SELECT count(*) FROM films WHERE state = 'done' AND rendered_title = upper(title) AND attempts = 1");
    if (done != rows) {
      throw new IllegalStateException(done + " of " + rows + " rows are done as they should be");
    }
    return rows / seconds;
  }

  private static void rowlock(Server server, int threads, int batch) throws InterruptedException {
    Queue queue = Queue.builder("films", server.pool(), Films.MAPPING).build();
    try (Worker worker =
        queue
            .worker(
                job -> Outcome.done("rendered_title", job.text("title").toUpperCase(Locale.ROOT)))
            .threads(threads)
            .batch(batch)
            .start()) {
      if (!worker.awaitEmpty(Duration.ofMinutes(5))) {
        throw new IllegalStateException("not drained: " + queue.stats());
      }
    }
  }

  private static double median(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(d -> d).toArray();
    Arrays.sort(sorted);
    return (sorted[sorted.length / 2] + sorted[(sorted.length - 1) / 2]) / 2;
  }
}
