package dev.rowlock.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Outcome;
import dev.rowlock.Worker;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ThreadsTest {
  private static boolean virtual(Thread thread) {
    try {
      return (boolean) Thread.class.getMethod("isVirtual").invoke(thread);
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }

  @Test
  void virtualThreadsExistFromJava21On() {
    assertThat(Threads.virtualThreadsExist()).isEqualTo(Runtime.version().feature() >= 21);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void handlersRunOnTheThreadsThatWereAskedFor(boolean wanted) throws Exception {
    FakeQueue queue = FakeQueue.full().insert(20);
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    try (Worker worker =
        queue
            .worker(
                job -> {
                  threads.add(Thread.currentThread());
                  return Outcome.done();
                })
            .virtualThreads(wanted)
            .start()) {
      assertThat(worker.awaitEmpty(Duration.ofSeconds(20))).isTrue();
    }
    boolean expected = wanted && Threads.virtualThreadsExist();
    assertThat(threads)
        .allMatch(thread -> virtual(thread) == expected)
        .allMatch(Thread::isDaemon)
        .allMatch(thread -> thread.getName().startsWith("rowlock-fake-handler-"));
  }

  @Test
  void everyThreadEndsWithItsWorker() {
    FakeQueue queue = FakeQueue.full();
    queue.worker(job -> Outcome.done()).timeLimit(Duration.ofSeconds(1)).start().close();
    Wait.until(
        "all have ended",
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("rowlock-fake-")));
  }
}
