package dev.rowlock.internal.worker;

import dev.rowlock.Handler;
import dev.rowlock.Key;
import dev.rowlock.WorkerOptions;
import dev.rowlock.internal.jdbc.HeldConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A worker in lease mode: puts its threads together, starts them and ends them. */
final class LeaseWorker extends BaseWorker {
  private final WorkerContext context;
  private final LeaseParts parts;
  private final Runners runners;
  private final Completer completer;
  private final Backoff completerBackoff;
  private final HeldConnection keeperConnection;
  private final Loop completing;
  private final Loop claiming;
  private final List<Loop> others = new ArrayList<>();

  LeaseWorker(WorkerContext context, LeaseParts parts, Handler handler) {
    super(context, parts.options(), parts.hand(), parts.events(), parts.health(), parts.log());
    this.context = context;
    this.parts = parts;
    WorkerOptions options = parts.options();
    HandlerCall call = new HandlerCall(handler, parts.events(), parts.log(), options.timeLimit());
    runners = new Runners(threadName("handler"), options, new LeaseRun(parts, call), parts.log());
    completer = new Completer(parts);
    completerBackoff = new Backoff(options.maxBackoff());
    completing = loop("write", Completer.OPERATION, completer, completerBackoff);
    claiming =
        loop(
            "claim",
            Claimer.OPERATION,
            new Claimer(parts, polls),
            new Backoff(options.maxBackoff()));
    keeperConnection =
        new HeldConnection(
            context.queue().name(),
            context.source().with(options.leaseDataSource().orElse(context.source().dataSource())),
            networkTimeout());
    Loop keeping = parts.rules().expires() ? keeperLoop() : null;
    watch(call, keeping);
  }

  private Loop keeperLoop() {
    long longest = Math.min(parts.rules().lease() / 6, Nanos.of(parts.options().maxBackoff()));
    Loop keeping =
        loop(
                "lease",
                LeaseKeeper.OPERATION,
                new LeaseKeeper(parts, keeperConnection),
                new Backoff(longest))
            .priority(Thread.MAX_PRIORITY)
            .atEnd(keeperConnection::close);
    Recoverer recoverer =
        new Recoverer(context.queue(), parts.options(), parts.events(), parts.health(), polls);
    others.add(keeping);
    others.add(
        loop("recover", Recoverer.OPERATION, recoverer, new Backoff(parts.options().maxBackoff())));
    return keeping;
  }

  /** Only if there is anything to watch: leases that end, or a time limit. */
  private void watch(HandlerCall call, Loop keeping) {
    boolean limited = parts.options().timeLimit().isPresent();
    if (keeping == null && !limited) {
      return;
    }
    Loop.Step leases = keeping == null ? () -> Nanos.FOREVER : new LeaseWatch(parts, keeping::wake);
    Loop.Step more =
        () -> {
          runners.fill(); // if a replacement could not be started
          return leases.run();
        };
    Watchdog<LeaseRow> watchdog =
        new Watchdog<>(
            parts.hand()::running,
            parts.options().timeLimit(),
            LeaseRow::extendNoMore,
            row -> giveUp(row, call),
            more,
            parts.events(),
            parts.log());
    Loop watching = loop("watch", Watchdog.OPERATION, watchdog, new Backoff(Duration.ofSeconds(1)));
    others.add(watching.priority(Thread.MAX_PRIORITY));
  }

  private void giveUp(LeaseRow row, HandlerCall call) {
    row.extendNoMore();
    parts.settlement().failNow(row, call.timeLimit());
    runners.replaceOne();
  }

  private Loop loop(String role, String operation, Loop.Step step, Backoff backoff) {
    return new Loop(threadName(role), operation, step, parts.health(), backoff);
  }

  /** Shorter than the lease, so that a silent server is noticed while leases can still be saved. */
  private Duration networkTimeout() {
    long wanted = parts.rules().lease() / 2;
    return Duration.ofNanos(Nanos.clamp(wanted, Nanos.ofMillis(500), Nanos.ofMillis(20_000)));
  }

  LeaseWorker start() {
    try {
      if (parts.rules().expires()) {
        keeperConnection.get();
      }
      completing.start();
      others.forEach(Loop::start);
      runners.fill();
      claiming.start();
      context.wakeups().add(polls);
      return this;
    } catch (RuntimeException | Error e) {
      stop(Duration.ZERO);
      keeperConnection.close();
      throw e;
    }
  }

  @Override
  public void stopClaiming() {
    claiming.end();
    parts.hand().close().forEach(parts.settlement()::release);
    super.stopClaiming(); // after that: a poll that it ends must find no demand
    completerBackoff.hasten(Nanos.ofMillis(200));
    parts.outbox().hurry();
    completing.wake();
  }

  @Override
  public void end(long deadline) {
    others.forEach(Loop::end);
    completing.end();
    parts.outbox().close();
    others.forEach(loop -> loop.join(deadline));
    completing.join(deadline);
    claiming.join(deadline);
  }

  @Override
  public Report report() {
    Set<Key> unfinished = new LinkedHashSet<>(parts.hand().keys());
    unfinished.addAll(completer.givenUp());
    return new Report(counts(), List.copyOf(unfinished));
  }
}
