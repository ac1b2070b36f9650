package dev.rowlock.cli.config;

import java.util.Optional;

/** Every setting of a queue but the mapped columns: its path in the file and its flag. */
public enum QueueKey {
  TABLE("table", "--table", Kind.TABLE),
  KEY("key", "--key", Kind.COLUMNS),
  STATE("state.column", "--state", Kind.COLUMN),
  READY("state.ready", "--ready", Kind.VALUES),
  PROCESSING("state.processing", "--processing", Kind.VALUE),
  DONE("state.done", "--done", Kind.VALUE),
  FAILED("state.failed", "--failed", Kind.VALUE),
  DEAD("state.dead", "--dead", Kind.VALUE),
  ORDER("order", "--order", Kind.ORDER),
  WHERE("where", "--where", Kind.SQL),
  READ("read", "--read", Kind.COLUMNS),
  WRITE("write", "--write", Kind.COLUMNS),
  MODE("mode", "--mode", Kind.MODE),
  ON_DONE("on-done", "--on-done", Kind.ON_DONE),
  LEASE("lease", "--lease", Kind.LEASE),
  MAX_ATTEMPTS("retry.max-attempts", "--retry-max-attempts", Kind.COUNT),
  INITIAL("retry.initial", "--retry-initial", Kind.DURATION),
  FACTOR("retry.factor", "--retry-factor", Kind.FACTOR),
  MAX("retry.max", "--retry-max", Kind.DURATION),
  JITTER("retry.jitter", "--retry-jitter", Kind.SHARE),
  TIME_ZONE("time-zone", "--time-zone", Kind.ZONE);

  private final String path;
  private final String flag;
  final Kind kind;

  QueueKey(String path, String flag, Kind kind) {
    this.path = path;
    this.flag = flag;
    this.kind = kind;
  }

  /** The path below the queue's name in the file. */
  public String path() {
    return path;
  }

  /** The flag of the same meaning. */
  public String flag() {
    return flag;
  }

  /** Whether it holds a list. */
  public boolean list() {
    return kind.list;
  }

  static Optional<QueueKey> at(String path) {
    for (QueueKey key : values()) {
      if (key.path.equals(path)) {
        return Optional.of(key);
      }
    }
    return Optional.empty();
  }
}
