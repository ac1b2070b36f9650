package dev.rowlock.cli.work;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Stream;

/** A process and all that it started: ended together. */
final class ProcessTree {
  private final Process root;
  private final Duration patience;

  /**
   * A tree.
   *
   * @param root the process that was started
   * @param patience how long they may take to end when asked to
   */
  ProcessTree(Process root, Duration patience) {
    this.root = root;
    this.patience = patience;
  }

  /** Asks all of them to end, and ends those that are still there after a while. */
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

  private boolean waitFor(Set<ProcessHandle> all) {
    long end = System.nanoTime() + patience.toNanos();
    boolean interrupted = false;
    while (all.stream().anyMatch(ProcessTree::runs) && System.nanoTime() < end) {
      try {
        Thread.sleep(10);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    return interrupted;
  }

  /** A process that has ended but that nobody has waited for counts as alive in Java. */
  private static boolean runs(ProcessHandle process) {
    if (!process.isAlive()) {
      return false;
    }
    try {
      String stat =
          Files.readString(Path.of("/proc", String.valueOf(process.pid()), "stat"), ISO_8859_1);
      return !stat.startsWith("Z", stat.lastIndexOf(')') + 2);
    } catch (IOException e) {
      return process.isAlive(); // gone by now, or no Linux
    }
  }
}
