package dev.rowlock.conformance.kit;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Collects what Rowlock logs at WARNING and above. */
public final class LogWatch extends Handler implements AutoCloseable {
  private final Logger logger = Logger.getLogger("dev.rowlock");
  private final List<String> warnings = new CopyOnWriteArrayList<>();

  public LogWatch() {
    logger.addHandler(this);
  }

  public List<String> warnings() {
    return List.copyOf(warnings);
  }

  @Override
  public void publish(LogRecord entry) {
    if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
      warnings.add(entry.getLoggerName() + ": " + entry.getMessage());
    }
  }

  @Override
  public void flush() {
    // Nothing is buffered.
  }

  @Override
  public void close() {
    logger.removeHandler(this);
  }
}
