package dev.rowlock.cli.config;

import dev.rowlock.ConfigurationException;
import dev.rowlock.Role;
import java.io.StringReader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * Reads a configuration file from its YAML nodes, so that {@code no}, {@code 1.0} and {@code 0777}
 * arrive as they are written and every message can name file, line and key.
 */
final class ConfigReader {
  private static final List<String> TOP = List.of("database", "queues");
  private static final List<String> DATABASE = List.of("url", "user", "password");
  private static final List<String> SECTIONS = List.of("state", "columns", "retry");

  private final String file;

  ConfigReader(String file) {
    this.file = file;
  }

  ConfigFile read(String text) {
    Optional<Node> root = YamlTree.parse(file, new StringReader(text));
    if (root.isEmpty()) {
      return new ConfigFile(Optional.of(file), DatabaseSettings.NONE, Map.of());
    }
    DatabaseSettings database = DatabaseSettings.NONE;
    Map<String, QueueSettings> queues = new LinkedHashMap<>();
    for (YamlTree.Entry entry : section(root.get(), "", TOP)) {
      switch (entry.key()) {
        case "database" -> database = database(entry);
        case "queues" -> queues(entry, queues);
        default -> throw unknown(entry, "", TOP);
      }
    }
    return new ConfigFile(Optional.of(file), database, queues);
  }

  private DatabaseSettings database(YamlTree.Entry database) {
    Map<String, Value> values = new LinkedHashMap<>();
    for (YamlTree.Entry entry : section(database.value(), "database", DATABASE)) {
      if (!DATABASE.contains(entry.key())) {
        throw unknown(entry, "database.", DATABASE);
      }
      Origin origin = origin(entry, "database." + entry.key());
      Value value = new Value(texts(entry.value(), false, "text", origin), origin);
      if (value.items().contains(null)) {
        throw origin.refuse("null", "text");
      }
      values.put(entry.key(), value);
    }
    return new DatabaseSettings(values);
  }

  private void queues(YamlTree.Entry queues, Map<String, QueueSettings> into) {
    for (YamlTree.Entry entry : section(queues.value(), "queues", List.of("the names of queues"))) {
      into.put(entry.key(), queue(entry));
    }
  }

  private QueueSettings queue(YamlTree.Entry queue) {
    String path = "queues." + queue.key();
    List<String> allowed = keysBelow("");
    QueueSettings settings = new QueueSettings();
    for (YamlTree.Entry entry : section(queue.value(), path, allowed)) {
      if (SECTIONS.contains(entry.key())) {
        for (YamlTree.Entry inner :
            section(entry.value(), path + "." + entry.key(), keysBelow(entry.key()))) {
          setting(settings, path, entry.key() + ".", inner);
        }
      } else {
        setting(settings, path, "", entry);
      }
    }
    return settings;
  }

  private void setting(QueueSettings into, String path, String section, YamlTree.Entry entry) {
    String below = section + entry.key();
    Origin origin = origin(entry, path + "." + below);
    Optional<Role> role = QueueSettings.role(entry.key());
    if (section.equals("columns.") && role.isPresent()) {
      List<String> column = texts(entry.value(), false, Kind.COLUMN.allowed, origin);
      into.put(role.get(), new Value(column, origin));
      return;
    }
    QueueKey key =
        QueueKey.at(below)
            .orElseThrow(
                () -> unknown(entry, path + "." + section, keysBelow(section.replace(".", ""))));
    into.put(key, new Value(items(key, entry.value(), origin), origin));
  }

  private List<String> items(QueueKey key, Node node, Origin origin) {
    if (key == QueueKey.ON_DONE && node instanceof MappingNode) {
      return List.of("archive:" + archive(node, origin));
    }
    List<String> texts = texts(node, key.kind.list, key.kind.allowed, origin);
    boolean one = node instanceof ScalarNode && key.kind == Kind.ORDER && !texts.contains(null);
    return one ? Names.split(texts.get(0)) : texts;
  }

  private String archive(Node node, Origin origin) {
    List<YamlTree.Entry> entries = YamlTree.entries(file, (MappingNode) node);
    if (entries.size() != 1 || !entries.get(0).key().equals("archive")) {
      throw origin.refuse("other keys", Kind.ON_DONE.allowed);
    }
    Origin inner =
        origin(entries.get(0), origin.place().replaceFirst("^.*:\\d+: ", "") + ".archive");
    String table = texts(entries.get(0).value(), false, Kind.TABLE.allowed, inner).get(0);
    if (table == null || table.isBlank()) {
      throw inner.refuse("null", Kind.TABLE.allowed);
    }
    return table;
  }

  /** The texts of a scalar or of a list; null for a plain {@code null}. */
  private List<String> texts(Node node, boolean list, String allowed, Origin origin) {
    if (node instanceof ScalarNode scalar) {
      return java.util.Collections.singletonList(text(scalar, origin, allowed));
    }
    if (list && node instanceof SequenceNode sequence) {
      List<String> texts = new java.util.ArrayList<>();
      for (Node item : sequence.getValue()) {
        if (!(item instanceof ScalarNode scalar)) {
          throw origin.refuse(YamlTree.what(item) + " in the list", allowed);
        }
        texts.add(text(scalar, origin, allowed));
      }
      return texts;
    }
    throw origin.refuse(YamlTree.what(node), allowed);
  }

  private static String text(ScalarNode scalar, Origin origin, String allowed) {
    String text = scalar.getValue();
    if (scalar.isPlain() && text.isEmpty()) {
      throw origin.refuse("nothing", allowed);
    }
    boolean isNull = scalar.isPlain() && (text.equalsIgnoreCase("null") || text.equals("~"));
    return isNull ? null : text;
  }

  private List<YamlTree.Entry> section(Node node, String path, List<String> allowed) {
    if (node instanceof MappingNode mapping) {
      return YamlTree.entries(file, mapping);
    }
    String place = path.isEmpty() ? file + ":" + YamlTree.line(node) : at(node, path);
    throw new ConfigurationException(
        "%s: found %s; allowed: keys and values: %s"
            .formatted(place, YamlTree.what(node), String.join(", ", allowed)));
  }

  private String at(Node node, String path) {
    return Origin.of(file, YamlTree.line(node), path).place();
  }

  private Origin origin(YamlTree.Entry entry, String path) {
    return Origin.of(file, entry.line(), path);
  }

  private ConfigurationException unknown(
      YamlTree.Entry entry, String prefix, List<String> allowed) {
    return origin(entry, prefix + entry.key())
        .refuse(
            "unknown key%s allowed: %s"
                .formatted(QueueSettings.meant(entry.key(), allowed), String.join(", ", allowed)));
  }

  /** The keys of a section of a queue; of the queue itself for "". */
  private static List<String> keysBelow(String section) {
    if (section.equals("columns")) {
      return QueueSettings.roles();
    }
    String prefix = section.isEmpty() ? "" : section + ".";
    java.util.Set<String> keys = new java.util.LinkedHashSet<>();
    for (QueueKey key : QueueKey.values()) {
      if (key.path().startsWith(prefix)) {
        keys.add(key.path().substring(prefix.length()).replaceFirst("\\..*", ""));
      }
    }
    if (section.isEmpty()) {
      keys.add("columns");
    }
    return List.copyOf(keys);
  }
}
