package dev.rowlock.conformance.kit;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.Queue;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Every operation that changes rows, on row 1 of a fully mapped table, and what it leaves behind.
 */
public enum Op {
  CLAIM("processing", false),
  COMPLETE("done", true),
  FAIL("ready", true),
  DEAD("dead", true),
  SNOOZE("ready", true),
  RELEASE("ready", true),
  EXTEND("processing", true),
  RECOVER("ready", true),
  ENQUEUE("ready", false);

  /** The state of row 1 afterwards. */
  public final String after;

  private final boolean held;

  Op(String after, boolean held) {
    this.after = after;
    this.held = held;
  }

  /** Makes the table ready for the operation; gives the claim that it needs, if any. */
  public Claim prepare(TestTable t) {
    t.sql("delete from " + t.name());
    if (this != ENQUEUE) {
      t.rows(1, 1);
    }
    if (!held) {
      return null;
    }
    Claim claim = t.queue().claim(1).get(0);
    if (this == RECOVER) {
      t.expireAll();
    }
    return claim;
  }

  /** Runs it; gives what it returned. */
  public Object run(Queue queue, Claim claim) {
    return switch (this) {
      case CLAIM -> queue.claim(1);
      case RECOVER -> queue.recover(1);
      case ENQUEUE -> queue.enqueue(List.of(Map.of("id", 1)));
      default -> queue.apply(change(claim));
    };
  }

  /** Runs it in the caller's transaction. */
  public Object run(Queue queue, Connection connection, Claim claim) {
    return switch (this) {
      case CLAIM -> queue.claim(connection, 1);
      case RECOVER -> queue.recover(connection, 1);
      case ENQUEUE -> queue.enqueue(connection, List.of(Map.of("id", 1)));
      default -> queue.apply(connection, change(claim));
    };
  }

  private Change change(Claim claim) {
    return switch (this) {
      case COMPLETE -> new Change.Complete(claim);
      case FAIL -> new Change.Fail(claim, "failed", Optional.empty());
      case DEAD -> new Change.Dead(claim, "refused");
      case SNOOZE -> new Change.Snooze(claim, Duration.ofHours(1));
      case RELEASE -> new Change.Release(claim);
      case EXTEND -> new Change.Extend(claim, Duration.ofHours(1));
      default -> throw new IllegalStateException(name());
    };
  }

  /** Whether what {@link #run} returned says that it was done. */
  public static boolean succeeded(Object result) {
    if (result instanceof List<?> list) {
      return list.size() == 1;
    } else if (result instanceof dev.rowlock.Recovery recovery) {
      return recovery.size() == 1;
    }
    Applied.Status status = ((Applied) result).status();
    return status != Applied.Status.LOST && status != Applied.Status.BUSY;
  }
}
