package dev.rowlock.internal.worker;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What the worker logs while it is open. */
final class LogCapture extends Handler implements AutoCloseable {
  private final Logger logger = Logger.getLogger(WorkerLog.NAME);
  private final List<LogRecord> records = new CopyOnWriteArrayList<>();

  LogCapture() {
    logger.addHandler(this);
    logger.setUseParentHandlers(false);
  }

  List<String> warnings() {
    return messages(Level.WARNING);
  }

  List<String> infos() {
    return messages(Level.INFO);
  }

  private List<String> messages(Level level) {
    return records.stream()
        .filter(r -> r.getLevel().equals(level))
        .map(LogRecord::getMessage)
        .toList();
  }

  @Override
  public void publish(LogRecord logged) {
    records.add(logged);
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(true);
  }
}
