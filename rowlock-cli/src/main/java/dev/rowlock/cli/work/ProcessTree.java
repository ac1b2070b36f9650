package dev.rowlock.cli.work;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Stream;

/** A process and all that it started: ended together. */
final class ProcessTree {
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final Process root;

  ProcessTree(Process root) {
    this.root = root;
  }

  /** Asks all of them to end, and ends those that are still there after two seconds. */
  void kill() {
    Set<ProcessHandle> all = members();
    all.forEach(ProcessHandle::destroy);
    boolean interrupted = waitFor(all);
    all.addAll(members());
    for (ProcessHandle one : Set.copyOf(all)) {
      one.descendants().forEach(all::add);
    }
    all.forEach(ProcessHandle::destroyForcibly);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends all of them without asking. */
  void killNow() {
    members().forEach(ProcessHandle::destroyForcibly);
  }

  private Set<ProcessHandle> members() {
    Set<ProcessHandle> all = new LinkedHashSet<>();
    Stream.concat(root.descendants(), Stream.of(root.toHandle())).forEach(all::add);
    return all;
  }

  private static boolean waitFor(Set<ProcessHandle> all) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    boolean interrupted = false;
    while (all.stream().anyMatch(ProcessHandle::isAlive) && System.nanoTime() < end) {
      try {
        Thread.sleep(20);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    return interrupted;
  }
}
