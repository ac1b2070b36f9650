package dev.rowlock.cli.config;

import dev.rowlock.ConfigurationException;
import dev.rowlock.Mapping;
import dev.rowlock.Mode;
import dev.rowlock.OnDone;
import dev.rowlock.QueueBuilder;
import dev.rowlock.RetryPolicy;
import dev.rowlock.State;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;

/** What Rowlock's engine needs to know about one queue, made of {@link QueueSettings}. */
public final class QueueConfig {
  private final String name;
  private final QueueSettings settings;
  private final Variables variables;

  /** Nothing is looked at yet. */
  public QueueConfig(String name, QueueSettings settings, Variables variables) {
    this.name = name;
    this.settings = settings;
    this.variables = variables;
  }

  /** The queue's name. */
  public String name() {
    return name;
  }

  /** The mapping. */
  public Mapping mapping() {
    Mapping.Builder builder = Mapping.table(text(QueueKey.TABLE).orElseThrow(this::noTable));
    builder.key(list(QueueKey.KEY));
    state().ifPresent(builder::state);
    settings
        .columns()
        .forEach((role, value) -> builder.column(role, value.resolve(variables).text()));
    builder.order(list(QueueKey.ORDER));
    text(QueueKey.WHERE).ifPresent(builder::where);
    builder.read(list(QueueKey.READ));
    builder.write(list(QueueKey.WRITE));
    text(QueueKey.ON_DONE).map(QueueConfig::onDone).ifPresent(builder::onDone);
    text(QueueKey.TIME_ZONE).map(ZoneId::of).ifPresent(builder::timeZone);
    return builder.build();
  }

  /** Sets what does not belong to the mapping. */
  public QueueBuilder configure(QueueBuilder builder) {
    text(QueueKey.MODE).map(Kind::mode).ifPresent(builder::mode);
    lease().ifPresent(builder::lease);
    return builder.retry(retry());
  }

  /** Whether the mode is transactional. */
  public boolean transactional() {
    return text(QueueKey.MODE).map(Kind::mode).filter(Mode.TRANSACTIONAL::equals).isPresent();
  }

  private ConfigurationException noTable() {
    return new ConfigurationException(
        "queue '%s': no table; give table: TABLE in the configuration, or --table".formatted(name));
  }

  private Optional<State> state() {
    Optional<String> column = text(QueueKey.STATE);
    if (column.isEmpty()) {
      for (QueueKey key : QueueKey.values()) {
        if (key.path().startsWith("state.") && settings.has(key)) {
          throw settings
              .values()
              .get(key)
              .origin()
              .refuse(
                  "there is no state column; give state: { column: COLUMN, … }, or --state COLUMN");
        }
      }
      return Optional.empty();
    }
    List<String> ready =
        settings
            .get(QueueKey.READY, variables)
            .map(Value::items)
            .orElseThrow(
                () ->
                    settings
                        .values()
                        .get(QueueKey.STATE)
                        .origin()
                        .refuse(
                            "no ready value; give ready: VALUE (or a list, or null) in the configuration, or --ready"));
    return Optional.of(
        new State(
            column.get(),
            ready,
            text(QueueKey.PROCESSING),
            text(QueueKey.DONE),
            text(QueueKey.FAILED),
            text(QueueKey.DEAD)));
  }

  private static OnDone onDone(String text) {
    return switch (text) {
      case "update" -> OnDone.update();
      case "delete" -> OnDone.delete();
      default -> OnDone.archive(text.substring("archive:".length()).strip());
    };
  }

  /** How long a claim lasts, where that is configured. */
  public Optional<Duration> lease() {
    return duration(QueueKey.LEASE);
  }

  /** How failed attempts are tried again. */
  public RetryPolicy retry() {
    RetryPolicy usual = RetryPolicy.defaults();
    Duration initial = duration(QueueKey.INITIAL).orElse(usual.initial());
    Duration longest = usual.max().compareTo(initial) < 0 ? initial : usual.max();
    return new RetryPolicy(
        text(QueueKey.MAX_ATTEMPTS).map(Integer::valueOf).orElse(usual.maxAttempts()),
        initial,
        text(QueueKey.FACTOR).map(Double::valueOf).orElse(usual.factor()),
        duration(QueueKey.MAX).orElse(longest),
        text(QueueKey.JITTER).map(Double::valueOf).orElse(usual.jitter()));
  }

  private Optional<String> text(QueueKey key) {
    return settings.get(key, variables).map(Value::text);
  }

  private Optional<Duration> duration(QueueKey key) {
    return text(key).flatMap(Durations::parse);
  }

  private String[] list(QueueKey key) {
    return settings
        .get(key, variables)
        .map(value -> value.items().toArray(String[]::new))
        .orElse(new String[0]);
  }
}
