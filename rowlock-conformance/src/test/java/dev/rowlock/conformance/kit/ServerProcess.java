package dev.rowlock.conformance.kit;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** MariaDB's or MySQL's server, started by the tests; it ends with this JVM, however that ends. */
public final class ServerProcess {
  private static final Path SHELL = Path.of("/bin/sh");

  // The end of the shell's input is the end of this JVM, also of one that was killed.
  private static final String GUARD =
      """
      exec 3<&0
      "$@" 3<&- </dev/null &
      server=$!
      { read -r _ <&3; kill $server; } 2>/dev/null &
      guard=$!
      exec 3<&-
      wait $server
      status=$?
      kill $guard 2>/dev/null
      exit $status
      """;

  private final Process process;
  private final Path data;
  private final File log;

  private ServerProcess(Process process, Path data, File log) {
    this.process = process;
    this.data = data;
    this.log = log;
  }

  /** A port of the loopback interface that nobody has now. */
  public static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }

  /** Where a server may put its socket: such a path is short by law. */
  public static Path socket() throws IOException {
    Path folder = Files.createTempDirectory("rls");
    folder.toFile().deleteOnExit();
    return folder.resolve("s");
  }

  /** The log of a server, beside its data. */
  public static File log(Path data) {
    return data.resolveSibling(data.getFileName() + ".log").toFile();
  }

  /**
   * Starts it; it is stopped, and its data deleted, when this JVM ends.
   *
   * @param libraries where it looks for shared libraries first
   */
  public static ServerProcess start(List<String> command, Path libraries, Path data)
      throws IOException {
    List<String> all = new ArrayList<>();
    if (Files.exists(SHELL)) {
      all.addAll(List.of(SHELL.toString(), "-c", GUARD, "server"));
    }
    all.addAll(command);
    ProcessBuilder builder = new ProcessBuilder(all);
    builder.environment().put("LD_LIBRARY_PATH", libraries.toString());
    builder.redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log(data)));
    ServerProcess server = new ServerProcess(builder.start(), data, log(data));
    Runtime.getRuntime().addShutdownHook(new Thread(server::stop));
    return server;
  }

  /** Waits until it lets us in, and gives it the time zones of the tests. */
  public void awaitLogin(String url, Duration atMost) throws IOException, InterruptedException {
    long end = System.nanoTime() + atMost.toNanos();
    while (true) {
      try (Connection connection = DriverManager.getConnection(url);
          Statement statement = connection.createStatement()) {
        ZoneTables.load(statement);
        return;
      } catch (SQLException e) {
        if (!process.isAlive() || System.nanoTime() > end) {
          throw new IOException("no connection, see " + log, e);
        }
        TimeUnit.MILLISECONDS.sleep(100);
      }
    }
  }

  private void stop() {
    try {
      if (Files.exists(SHELL)) {
        process.getOutputStream().close();
      } else {
        process.destroy();
      }
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
      }
      try (Stream<Path> files = Files.walk(data)) {
        files.sorted((a, b) -> b.compareTo(a)).forEach(p -> p.toFile().delete());
      }
    } catch (IOException | InterruptedException e) {
      // Left to the next clean.
    }
  }
}
