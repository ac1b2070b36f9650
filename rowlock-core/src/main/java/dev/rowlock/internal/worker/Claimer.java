package dev.rowlock.internal.worker;

import dev.rowlock.Claim;
import dev.rowlock.Queue;
import dev.rowlock.internal.worker.Row.Stage;
import java.util.List;

/**
 * Claims rows as there is room for them. Handlers start only after the claim has committed (C-105).
 * A step of one thread, which waits inside the step.
 */
final class Claimer implements Loop.Step {
  static final String OPERATION = "claim";

  private final LeaseParts parts;
  private final Polls polls;
  private final Backoff backoff;
  private final long shortestPoll;

  Claimer(LeaseParts parts, Polls polls) {
    this.parts = parts;
    this.polls = polls;
    this.backoff = new Backoff(parts.options().maxBackoff());
    this.shortestPoll = Nanos.of(parts.options().minPoll());
  }

  @Override
  public long run() throws InterruptedException {
    int wanted = parts.hand().awaitDemand();
    if (wanted == 0) {
      return Nanos.FOREVER; // closed; the loop is about to be ended
    }
    long ticket = polls.ticket();
    int got;
    try {
      got = claim(wanted);
    } catch (Throwable t) {
      // Waits with the polls, so that a wake-up is heard: whoever sent it has reached the database.
      parts.health().failed(OPERATION, t);
      polls.pause(ticket, backoff.next());
      return 0;
    }
    backoff.reset();
    if (got == 0) {
      polls.afterEmpty(ticket);
    } else {
      polls.found();
      if (got < wanted) {
        polls.pause(ticket, Nanos.jittered(shortestPoll));
      }
    }
    return 0;
  }

  private int claim(int wanted) {
    try {
      Queue queue = parts.rules().queue();
      long started = System.nanoTime();
      List<Claim> claims = queue.claim(wanted);
      parts.health().worked(OPERATION);
      parts.events().claimed(claims.size());
      claims.forEach(claim -> take(new LeaseRow(claim, parts.rules(), started)));
      return claims.size();
    } finally {
      parts.hand().unreserve(wanted);
    }
  }

  private void take(LeaseRow row) {
    row.claim()
        .problem()
        .ifPresentOrElse(
            problem -> {
              parts.hand().add(row, Stage.WRITING);
              parts.settlement().fail(row, problem);
            },
            () -> {
              if (!parts.hand().add(row, Stage.WAITING)) {
                parts.settlement().release(row);
              }
            });
  }
}
