package dev.rowlock.internal.worker;

import dev.rowlock.Applied;
import dev.rowlock.Capability;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.Key;
import dev.rowlock.Outcome;
import dev.rowlock.Queue;
import dev.rowlock.internal.jdbc.Source;
import dev.rowlock.internal.jdbc.WorkTransaction;
import dev.rowlock.internal.worker.HandlerCall.Result;
import dev.rowlock.internal.worker.Row.Stage;
import java.sql.Connection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One turn of a handler thread in transactional mode: one row in one transaction. A failed
 * handler's writes are undone to the savepoint behind the claim, its failure is recorded, and both
 * commit.
 *
 * <p>Where the table cannot make a failed row wait, the row would be the first again at once. Such
 * rows are remembered and passed over for their backoff: a claim takes as many rows more, and those
 * that are to wait are given back within the transaction. Only where a claim counts nothing, or a
 * release takes the count back: with attempts as the only fence it does not, and their limit must
 * do.
 */
final class TransactionRun implements Runners.Body {
  private enum Turn {
    WORKED,
    NOTHING,
    FAILED,
    ABANDONED
  }

  /** Tries at a claim that brings one row to work on; what is first may change between them. */
  private static final int CLAIMS = 5;

  private final QueueRules rules;
  private final Queue queue;
  private final Source source;
  private final Hand<TransactionRow> hand;
  private final HandlerCall call;
  private final Polls polls;
  private final WorkerEvents events;
  private final HealthMonitor health;
  private final LocalBackoff failures;
  private final LocalBackoff passedOver;
  private final Backoff backoff;

  TransactionRun(TransactionParts parts, HandlerCall call, Polls polls) {
    this.rules = parts.rules();
    this.queue = rules.queue();
    this.source = parts.source();
    this.hand = parts.hand();
    this.call = call;
    this.polls = polls;
    this.events = parts.events();
    this.health = parts.health();
    this.failures = parts.failures();
    this.passedOver = parts.passedOver();
    this.backoff = new Backoff(parts.options().maxBackoff());
  }

  @Override
  public boolean runOne() throws InterruptedException {
    if (!hand.reserve()) {
      return false;
    }
    long ticket = polls.ticket();
    Turn turn = turn();
    switch (turn) {
      case WORKED -> backoff.reset();
      case NOTHING -> polls.afterEmpty(ticket);
      case FAILED -> polls.pause(ticket, backoff.next());
      case ABANDONED -> {}
    }
    return turn != Turn.ABANDONED;
  }

  private Turn turn() {
    TransactionRow row = null;
    boolean announced = true;
    try (WorkTransaction transaction = WorkTransaction.begin(queue.name(), source)) {
      Claim claim = claim(transaction);
      health.worked(Claimer.OPERATION);
      if (claim == null) {
        transaction.rollback();
        return Turn.NOTHING;
      }
      row = new TransactionRow(claim, queue, transaction);
      hand.add(row, Stage.RUNNING);
      hand.unreserve(0);
      announced = false;
      return workOrPassOver(row);
    } catch (Throwable t) {
      if (row == null && othersWrite(t)) {
        health.worked(Claimer.OPERATION);
        return Turn.NOTHING;
      }
      health.failed(row == null ? Claimer.OPERATION : Completer.OPERATION, t);
      return Turn.FAILED;
    } finally {
      if (announced) {
        hand.unreserve(0);
      }
      if (row != null) {
        hand.gone(row);
      }
    }
  }

  /** Where one transaction at a time writes, the handler of another row may be doing that. */
  private boolean othersWrite(Throwable t) {
    return source.dialect().oneWriter()
        && t instanceof DatabaseException e
        && e.fault() == Fault.LOCK_TIMEOUT;
  }

  /** A row whose end could not be written would be the first again as soon as it is rolled back. */
  private Turn workOrPassOver(TransactionRow row) {
    try {
      return work(row);
    } catch (RuntimeException | Error e) {
      if (passesOver()) {
        passedOver.failed(row.claim().key(), Optional.empty());
      }
      throw e;
    }
  }

  private Claim claim(WorkTransaction transaction) {
    int wanted = 1 + (passesOver() ? passedOver.waiting().size() : 0);
    for (int i = 0; i < CLAIMS; i++) {
      List<Claim> claims = queue.claim(transaction.connection(), wanted);
      // Asked after the claim: a row is remembered before the transaction of its failure ends.
      Set<Key> waiting = passesOver() ? passedOver.waiting() : Set.of();
      int first = firstToWorkOn(claims, waiting);
      if (first >= 0 && first == claims.size() - 1) {
        return only(transaction.connection(), claims, first);
      } else if (first < 0 && claims.size() < wanted) {
        return null;
      }
      // Too few, or more than needed, which others should have rather than find locked.
      transaction.rollback();
      wanted = 1 + (first < 0 ? waiting.size() : first);
    }
    return null;
  }

  /** Gives back the rows before the one to work on, which are to wait. */
  private Claim only(Connection connection, List<Claim> claims, int first) {
    if (first > 0 && rules.claimWrites()) {
      queue.apply(connection, claims.subList(0, first).stream().map(Change.Release::new).toList());
    }
    events.claimed(1);
    return claims.get(first);
  }

  private static int firstToWorkOn(List<Claim> claims, Set<Key> waiting) {
    for (int i = 0; i < claims.size(); i++) {
      if (!waiting.contains(claims.get(i).key())) {
        return i;
      }
    }
    return -1;
  }

  private boolean passesOver() {
    return rules.releaseCostsNothing();
  }

  private Turn work(TransactionRow row) {
    polls.found();
    if (hand.closed()) {
      row.transaction().rollback(); // stopped meanwhile: nothing was counted, nothing is left
      events.applied(Applied.Status.RELEASED);
      return Turn.WORKED;
    }
    row.transaction().mark();
    Optional<String> problem = row.claim().problem();
    if (problem.isPresent()) {
      fail(row, new Outcome.Retry(problem.get(), Optional.empty()));
      return Turn.WORKED;
    }
    Result result = call.run(row);
    switch (result.kind()) {
      case ABANDONED -> {
        return Turn.ABANDONED;
      }
      case STOPPED -> {
        row.transaction().rollback();
        events.applied(Applied.Status.RELEASED);
      }
      case ENDED -> conclude(row, result);
    }
    return Turn.WORKED;
  }

  private void conclude(TransactionRow row, Result result) {
    row.transaction().revoke();
    if (row.completedByHandler() && result.outcome() instanceof Outcome.Done) {
      commit(row, Applied.Status.COMPLETED);
    } else if (result.outcome() instanceof Outcome.Retry retry) {
      fail(row, retry);
    } else {
      Applied applied;
      try {
        applied = apply(row, result.outcome().change(row.claim()));
      } catch (RuntimeException e) {
        String text = "the outcome was refused: " + FailureText.plain(e);
        fail(row, new Outcome.Retry(text, Optional.empty()));
        return;
      }
      commit(row, applied.status());
    }
  }

  private void commit(TransactionRow row, Applied.Status status) {
    row.transaction().commit();
    health.worked(Completer.OPERATION);
    events.applied(status);
    failures.succeeded(row.claim().key());
    passedOver.succeeded(row.claim().key());
  }

  private void fail(TransactionRow row, Outcome.Retry failure) {
    Outcome.Retry retry = rules.timed(row.claim(), failure, failures);
    Applied.Status status = Applied.Status.RETRYING;
    if (rules.failureWrites()) {
      row.transaction().undo();
      status = apply(row, retry.change(row.claim())).status();
      passOver(row, retry, status);
      row.transaction().commit();
    } else {
      passOver(row, retry, status);
      row.transaction().rollback();
    }
    health.worked(Completer.OPERATION);
    events.applied(status);
  }

  /** Before the transaction ends: after it another thread may have the row at once. */
  private void passOver(TransactionRow row, Outcome.Retry retry, Applied.Status status) {
    boolean waits = status == Applied.Status.RETRYING && !rules.has(Capability.DELAY);
    if (waits && passesOver()) {
      passedOver.failed(row.claim().key(), Optional.of(rules.delay(row.claim(), retry)));
    }
  }

  /** The row is locked by this transaction: only an intruder could have made it lost. */
  private Applied apply(TransactionRow row, Change change) {
    return queue.apply(row.transaction().connection(), change);
  }
}
