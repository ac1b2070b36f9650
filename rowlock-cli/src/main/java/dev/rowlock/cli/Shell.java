package dev.rowlock.cli;

import dev.rowlock.cli.work.StopSignals;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * All that a command sees of the world around it.
 *
 * @param environment variables
 * @param directory the current directory
 * @param in standard input
 * @param out standard output, for results
 * @param err standard error, for messages
 * @param terminal which streams are a terminal
 * @param signals how a command is asked to stop
 */
public record Shell(
    Map<String, String> environment,
    Path directory,
    InputStream in,
    PrintStream out,
    PrintStream err,
    Terminal terminal,
    Signals signals) {

  /**
   * Which streams are a terminal.
   *
   * @param in whether a person can answer
   * @param err whether a person sees progress
   */
  public record Terminal(boolean in, boolean err) {}

  /** How a command is asked to stop. */
  @FunctionalInterface
  public interface Signals {
    /**
     * Listens.
     *
     * @param stop counted down when the process is asked to stop
     * @param last done before a second signal ends the process; must be quick
     */
    void listen(CountDownLatch stop, Runnable last);
  }

  /** The real one; output is UTF-8 and flushed by line. */
  static Shell system() {
    return new Shell(
        System.getenv(),
        Path.of("").toAbsolutePath(),
        System.in,
        stream(FileDescriptor.out),
        stream(FileDescriptor.err),
        terminals(),
        StopSignals::install);
  }

  private static PrintStream stream(FileDescriptor descriptor) {
    return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
  }

  /** Java tells only whether both input and output are a terminal; Linux also says which. */
  private static Terminal terminals() {
    boolean console = System.console() != null;
    return new Terminal(isTerminal(0, console), isTerminal(2, console));
  }

  private static boolean isTerminal(int descriptor, boolean otherwise) {
    try {
      Path device = Path.of("/proc/self/fd/" + descriptor).toRealPath();
      return device.startsWith("/dev/pts") || device.toString().matches("/dev/(tty|console).*");
    } catch (java.io.IOException e) {
      return java.nio.file.Files.isDirectory(Path.of("/proc/self/fd")) ? false : otherwise;
    }
  }

  /** Stops a command whose output nobody reads any more. */
  public void checkOutput() {
    if (out.checkError()) {
      throw new BrokenPipeException();
    }
  }

  /** Standard output was closed by its reader. */
  public static final class BrokenPipeException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }
}
