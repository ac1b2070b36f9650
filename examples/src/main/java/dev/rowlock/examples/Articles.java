package dev.rowlock.examples;

import dev.rowlock.Mapping;
import dev.rowlock.Outcome;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.Worker;
import java.time.Duration;
import java.util.Locale;
import javax.sql.DataSource;

/** The README's example: a table that already has a status, worked by eight threads. */
public final class Articles {
  private Articles() {}

  /** Renders all titles that are ready. */
  public static void renderAll(DataSource dataSource) throws InterruptedException {
    // tag::readme
    Mapping mapping =
        Mapping.table("article_claim_demo")
            .key("id")
            .state("state", "ready", "processing", "done")
            .column(Role.TOKEN, "claim_no")
            .column(Role.LEASE_UNTIL, "locked_until")
            .read("title")
            .write("rendered_title")
            .build();

    Queue articles = Queue.builder("articles", dataSource, mapping).build();

    try (Worker worker =
        articles
            .worker(
                job -> Outcome.done("rendered_title", job.text("title").toUpperCase(Locale.ROOT)))
            .threads(8)
            .batch(50)
            .start()) {
      worker.awaitEmpty(Duration.ofMinutes(10));
    }
    // end::readme
  }
}
