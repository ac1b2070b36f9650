package dev.rowlock.cli.command;

import dev.rowlock.cli.config.QueueKey;
import dev.rowlock.cli.config.QueueSettings;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.IGetter;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The mapping as flags, one for every key of the configuration file. Where a command has an option
 * of the same name, the flag goes by its longer name alone: {@code list --state-column}, {@code
 * fail --dead-value}.
 */
final class MappingFlags {
  private record Help(String parameter, String text) {}

  private static final Map<QueueKey, Help> HELP = new EnumMap<>(QueueKey.class);

  static {
    help(QueueKey.TABLE, "TABLE", "TABLE or SCHEMA.TABLE.");
    help(QueueKey.KEY, "COLUMN", "Key column; repeat or use commas.");
    help(QueueKey.STATE, "COLUMN", "The state column.");
    help(QueueKey.READY, "VALUE", "Value of a row that waits; may be repeated; null is SQL NULL.");
    help(QueueKey.PROCESSING, "VALUE", "Value of a claimed row.");
    help(QueueKey.DONE, "VALUE", "Value of a completed row.");
    help(QueueKey.FAILED, "VALUE", "Value after a failed attempt.");
    help(QueueKey.DEAD, "VALUE", "Value of a dead letter.");
    help(QueueKey.ORDER, "COLUMN", "Claim order, for example 'prio desc, id'.");
    help(QueueKey.WHERE, "SQL", "An extra predicate; trusted SQL.");
    help(QueueKey.READ, "COLUMN", "Column that a claim returns; repeat or use commas.");
    help(QueueKey.WRITE, "COLUMN", "Column that a result may set; repeat or use commas.");
    help(QueueKey.MODE, "MODE", "lease (default) or transactional.");
    help(QueueKey.ON_DONE, "WHAT", "update (default), delete, or archive:TABLE.");
    help(QueueKey.LEASE, "TIME", "How long a claim lasts; 5m.");
    help(QueueKey.MAX_ATTEMPTS, "N", "Attempts before a row is a dead letter; 5.");
    help(QueueKey.INITIAL, "TIME", "First backoff; 1s.");
    help(QueueKey.FACTOR, "X", "Growth of the backoff; 2.");
    help(QueueKey.MAX, "TIME", "Longest backoff; 1h.");
    help(QueueKey.JITTER, "X", "Random share of the backoff, 0 to 1; 0.2.");
    help(QueueKey.TIME_ZONE, "ZONE", "Zone of time columns that have none; UTC.");
  }

  private static final String COLUMN_HELP =
      "The column of a role: attempts, max-attempts, claimed-at, lease-until, token, worker, run-at,"
          + " priority, group, error, done-at or dead-at; repeat.";

  private final Map<QueueKey, List<String>> given = new EnumMap<>(QueueKey.class);
  private final List<String> columns = new ArrayList<>();

  private static void help(QueueKey key, String parameter, String text) {
    HELP.put(key, new Help(parameter, text));
  }

  /** Adds the flags to a command. */
  void addTo(CommandSpec spec) {
    ArgGroupSpec.Builder group =
        ArgGroupSpec.builder()
            .validate(false)
            .order(91)
            .heading("%nMapping (over the file's, or instead of a file)%n");
    for (QueueKey key : QueueKey.values()) {
      group.addArg(option(spec, key));
    }
    Binding ofColumns = new Binding(columns);
    group.addArg(
        OptionSpec.builder("--col")
            .paramLabel("ROLE=COLUMN")
            .description(COLUMN_HELP)
            .arity("1")
            .type(List.class)
            .auxiliaryTypes(String.class)
            .getter(ofColumns)
            .setter(ofColumns)
            .build());
    spec.addArgGroup(group.build());
  }

  private OptionSpec option(CommandSpec spec, QueueKey key) {
    String[] names =
        Stream.of(key.flag(), longName(key))
            .filter(name -> !spec.optionsMap().containsKey(name))
            .distinct()
            .toArray(String[]::new);
    List<String> texts = new ArrayList<>();
    Binding binding = new Binding(texts);
    given.put(key, texts);
    return OptionSpec.builder(names)
        .paramLabel(HELP.get(key).parameter())
        .description(HELP.get(key).text())
        .arity("1")
        .type(key.list() ? List.class : String.class)
        .auxiliaryTypes(String.class)
        .getter(binding)
        .setter(binding)
        .build();
  }

  private static String longName(QueueKey key) {
    return switch (key) {
      case STATE -> "--state-column";
      case DEAD -> "--dead-value";
      default -> key.flag();
    };
  }

  /**
   * Where picocli keeps an option's value. It reads a list back to add the next occurrence to it;
   * without a getter only the last one would be left.
   */
  private static final class Binding implements ISetter, IGetter {
    private final List<String> into;
    private Object value;

    Binding(List<String> into) {
      this.into = into;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T get() {
      return (T) value;
    }

    @Override
    public <T> T set(T next) {
      value = next;
      into.clear();
      if (next instanceof List<?> list) {
        list.forEach(item -> into.add(String.valueOf(item)));
      } else if (next != null) {
        into.add(next.toString());
      }
      return next;
    }
  }

  /** What was given. */
  QueueSettings settings() {
    QueueSettings settings = new QueueSettings();
    given.forEach(
        (key, texts) -> {
          if (!texts.isEmpty()) {
            settings.flag(key, texts);
          }
        });
    columns.forEach(settings::column);
    return settings;
  }
}
