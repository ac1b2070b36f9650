package dev.rowlock.conformance.kit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/** Work on several threads, started at the same moment, with a deadline. */
public final class Threads {
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  private Threads() {}

  /** Runs one task a thread; throws what the first of them threw. */
  public static <T> List<T> race(List<? extends Callable<T>> tasks) {
    CyclicBarrier start = new CyclicBarrier(tasks.size());
    ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
    try {
      List<Future<T>> futures = new ArrayList<>();
      for (Callable<T> task : tasks) {
        futures.add(
            threads.submit(
                () -> {
                  start.await(DEADLINE.toSeconds(), TimeUnit.SECONDS);
                  return task.call();
                }));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : futures) {
        results.add(get(future));
      }
      return results;
    } finally {
      threads.shutdownNow();
    }
  }

  /** The same task on {@code count} threads. */
  public static <T> List<T> race(int count, IntFunction<T> task) {
    List<Callable<T>> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = i;
      tasks.add(() -> task.apply(number));
    }
    return race(tasks);
  }

  /** Runs a task on a thread of its own while this one goes on. */
  public static <T> Future<T> start(Callable<T> task) {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    Future<T> future = thread.submit(task);
    thread.shutdown();
    return future;
  }

  /** The result, within the deadline. */
  public static <T> T get(Future<T> future) {
    try {
      return future.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException r) {
        throw r;
      }
      if (e.getCause() instanceof Error r) {
        throw r;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException | TimeoutException e) {
      throw new IllegalStateException("not done within " + DEADLINE, e);
    }
  }

  /** Looks until something is so, at most for the deadline. */
  public static void until(String what, BooleanSupplier condition) {
    until(what, DEADLINE, condition);
  }

  /** Looks until something is so, at most for a time. */
  public static void until(String what, Duration atMost, BooleanSupplier condition) {
    long end = System.nanoTime() + atMost.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("not within " + atMost + ": " + what);
      }
      try {
        TimeUnit.MILLISECONDS.sleep(2);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
