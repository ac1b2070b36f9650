package dev.rowlock.conformance.kit;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The tests run in several JVMs, which unpack the same files. */
public final class OneAtATime {
  private OneAtATime() {}

  /** What is done. */
  public interface Work {
    void run() throws IOException, InterruptedException;
  }

  /** Does something while no other JVM does it in that folder. */
  public static void in(Path folder, Work work) throws IOException, InterruptedException {
    Files.createDirectories(folder);
    try (FileChannel file =
            FileChannel.open(
                folder.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = file.lock()) {
      if (lock.isValid()) {
        work.run();
      }
    }
  }
}
