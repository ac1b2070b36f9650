package dev.rowlock.conformance.kit;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Throws what a test wants, where it wants it; remembers every call. Harmless until told. */
public final class Faults implements Tap {
  private final List<Fault> plan = new CopyOnWriteArrayList<>();
  private final List<Call> calls = new CopyOnWriteArrayList<>();

  private record Fault(
      Predicate<Call> where,
      boolean afterwards,
      AtomicInteger skip,
      AtomicInteger times,
      Supplier<SQLException> what) {

    void strike(Call call) throws SQLException {
      if (where.test(call) && skip.getAndDecrement() <= 0 && times.getAndDecrement() > 0) {
        throw what.get();
      }
    }
  }

  /** Instead of the next {@code times} calls of a kind. */
  public Faults instead(Kind kind, int times, Supplier<SQLException> what) {
    return instead(call -> call.kind() == kind, 0, times, what);
  }

  /** Instead of calls, after some have passed unharmed. */
  public Faults instead(Predicate<Call> where, int skip, int times, Supplier<SQLException> what) {
    plan.add(new Fault(where, false, new AtomicInteger(skip), new AtomicInteger(times), what));
    return this;
  }

  /** After the driver has done the next {@code times} calls of a kind: the answer is lost. */
  public Faults afterwards(Kind kind, int times, Supplier<SQLException> what) {
    Predicate<Call> where = call -> call.kind() == kind;
    plan.add(new Fault(where, true, new AtomicInteger(), new AtomicInteger(times), what));
    return this;
  }

  /** No more faults, nothing remembered. */
  public void clear() {
    plan.clear();
    calls.clear();
  }

  /** Every call so far. */
  public List<Call> calls() {
    return new ArrayList<>(calls);
  }

  /** How many calls of a kind there were. */
  public long count(Kind kind) {
    return calls.stream().filter(call -> call.kind() == kind).count();
  }

  /** An exception as a driver throws it. */
  public static Supplier<SQLException> sqlState(String sqlState, int code) {
    return () -> new SQLException("injected " + sqlState, sqlState, code);
  }

  @Override
  public void before(Call call) throws SQLException {
    calls.add(call);
    for (Fault fault : plan) {
      if (!fault.afterwards()) {
        fault.strike(call);
      }
    }
  }

  @Override
  public void after(Call call) throws SQLException {
    for (Fault fault : plan) {
      if (fault.afterwards()) {
        fault.strike(call);
      }
    }
  }
}
