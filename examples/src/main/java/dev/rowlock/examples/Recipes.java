package dev.rowlock.examples;

import dev.rowlock.Job;
import dev.rowlock.Listener;
import dev.rowlock.Mapping;
import dev.rowlock.OnDone;
import dev.rowlock.Outcome;
import dev.rowlock.Queue;
import dev.rowlock.RetryPolicy;
import dev.rowlock.Role;
import dev.rowlock.State;
import dev.rowlock.Verification;
import dev.rowlock.Worker;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;

/** Short pieces that the documentation shows. */
public final class Recipes {
  private Recipes() {}

  /** A table with everything. */
  public static Mapping everything() {
    // tag::everything
    Mapping mapping =
        Mapping.table("app.article")
            .key("tenant", "id")
            .state(
                State.of("state", "ready", "processing", "done")
                    .withReady("ready", "again")
                    .withFailed("again")
                    .withDead("dead"))
            .column(Role.TOKEN, "claim_no")
            .column(Role.LEASE_UNTIL, "locked_until")
            .column(Role.WORKER, "locked_by")
            .column(Role.ATTEMPTS, "tries")
            .column(Role.MAX_ATTEMPTS, "max_tries")
            .column(Role.RUN_AT, "run_after")
            .column(Role.PRIORITY, "prio")
            .column(Role.GROUP, "author")
            .column(Role.ERROR, "last_error")
            .column(Role.DONE_AT, "done_at")
            .order("prio desc", "run_after")
            .where("lang = 'ru'")
            .read("title")
            .write("rendered_title")
            .build();
    // end::everything
    return mapping;
  }

  /** A table whose rows are invisible while they are worked on. */
  public static Mapping visibilityTimeout() {
    // tag::visibility
    Mapping mapping =
        Mapping.table("message")
            .key("id")
            .column(Role.RUN_AT, "visible_at")
            .column(Role.LEASE_UNTIL, "visible_at")
            .column(Role.TOKEN, "receipt")
            .read("body")
            .onDone(OnDone.delete())
            .build();
    // end::visibility
    return mapping;
  }

  /** How often and how soon. */
  public static Queue patient(DataSource dataSource, Mapping mapping) {
    // tag::retry
    RetryPolicy retry =
        RetryPolicy.defaults()
            .withMaxAttempts(10)
            .withBackoff(Duration.ofSeconds(5), Duration.ofMinutes(30))
            .withJitter(0.5);

    Queue queue = Queue.builder("articles", dataSource, mapping).retry(retry).build();
    // end::retry
    return queue;
  }

  // tag::outcomes
  /** Every outcome that a handler can give; what it throws is a retry too. */
  public static Outcome judge(Job job) {
    return switch (job.text("title")) {
      case "good" -> Outcome.done(Map.of("rendered_title", "GOOD"));
      case "broken" -> Outcome.dead("no such language");
      case "busy" -> Outcome.retry("the printer is busy", Duration.ofSeconds(30));
      case "early" -> Outcome.snooze(Duration.ofHours(1));
      default -> throw new IllegalStateException("tried again after the policy's backoff");
    };
  }

  // end::outcomes

  /** A worker with every option. */
  public static Worker worker(Queue queue, DataSource small) {
    // tag::worker
    Worker worker =
        queue
            .worker(Recipes::judge)
            .threads(16)
            .batch(50)
            .poll(Duration.ofMillis(25), Duration.ofSeconds(1))
            .timeLimit(Duration.ofMinutes(2))
            .recoverEvery(Duration.ofSeconds(20))
            .maxBackoff(Duration.ofSeconds(30))
            .grace(Duration.ofSeconds(30))
            .leaseDataSource(small)
            .start();
    // end::worker
    return worker;
  }

  /** A handler that looks up between two steps. */
  public static Outcome steps(Job job) {
    // tag::cancelled
    for (int page = 0; page < 100; page++) {
      if (job.cancelled()) {
        return Outcome.retry("stopped at page " + page); // refused if the row is no longer ours
      }
      // ... one page ...
    }
    // end::cancelled
    return Outcome.done();
  }

  /** Tells what goes wrong. */
  public static Queue told(DataSource dataSource, Mapping mapping) {
    // tag::listener
    Listener alarms =
        new Listener() {
          @Override
          public void failed(String queue, String operation, RuntimeException e, int failures) {
            System.err.println(queue + ": " + operation + " failed: " + e.getMessage());
          }

          @Override
          public void health(String queue, Worker.Health health) {
            System.err.println(queue + " is " + health);
          }
        };

    Queue queue = Queue.builder("articles", dataSource, mapping).listener(alarms).build();
    // end::listener
    return queue;
  }

  /** The two-session check. */
  public static boolean check(Queue queue) {
    // tag::verify
    Verification seen = queue.verify();
    for (Verification.Finding finding : seen.findings()) {
      System.out.println(finding.severity() + " " + finding.check() + ": " + finding.text());
    }
    // end::verify
    return seen.safe();
  }
}
