package dev.rowlock.cli;

import java.io.PrintStream;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Everything that is logged goes to standard error, one line each. */
final class Logs {
  /** Held here, since the log manager forgets levels of loggers that nobody holds. */
  private static final Logger OURS = Logger.getLogger("dev.rowlock");

  private static final Logger POOL = Logger.getLogger("com.zaxxer.hikari");

  /** What drivers log they also throw. */
  private static final List<Logger> DRIVERS =
      List.of(Logger.getLogger("org.postgresql"), Logger.getLogger("com.microsoft.sqlserver"));

  private Logs() {}

  static void configure(PrintStream err, boolean debug) {
    LogManager.getLogManager().reset();
    Logger root = Logger.getLogger("");
    root.setLevel(debug ? Level.INFO : Level.WARNING);
    OURS.setLevel(debug ? Level.FINE : Level.WARNING);
    POOL.setLevel(debug ? Level.WARNING : Level.OFF);
    DRIVERS.forEach(d -> d.setLevel(debug ? Level.WARNING : Level.OFF));
    root.addHandler(new LineHandler(err, debug));
  }

  private static final class LineHandler extends Handler {
    private final PrintStream err;
    private final boolean debug;
    private final SimpleFormatter formatter = new SimpleFormatter();

    LineHandler(PrintStream err, boolean debug) {
      this.err = err;
      this.debug = debug;
      setLevel(Level.ALL);
    }

    @Override
    public void publish(LogRecord entry) {
      String text = formatter.formatMessage(entry).replaceAll("\\s*[\\r\\n]+\\s*", " ");
      boolean warning = entry.getLevel().intValue() >= Level.WARNING.intValue();
      Throwable thrown = entry.getThrown();
      String reason =
          thrown == null || text.contains(String.valueOf(thrown.getMessage()))
              ? ""
              : ": " + String.valueOf(thrown.getMessage()).replaceAll("\\s+", " ");
      err.println("rowlock: " + (warning ? "" : "debug: ") + text + reason);
      if (debug && thrown != null) {
        thrown.printStackTrace(err);
      }
    }

    @Override
    public void flush() {
      err.flush();
    }

    @Override
    public void close() {}
  }
}
