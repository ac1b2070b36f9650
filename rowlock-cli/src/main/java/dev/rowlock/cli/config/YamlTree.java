package dev.rowlock.cli.config;

import dev.rowlock.ConfigurationException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.StreamReader;
import org.yaml.snakeyaml.resolver.Resolver;

/** The node tree of a YAML text. */
final class YamlTree {
  private YamlTree() {}

  /** A key, its value and its line. */
  record Entry(String key, int line, Node value) {}

  /** The root; empty for a text without content. */
  static Optional<Node> parse(String file, Reader text) {
    try {
      LoaderOptions options = new LoaderOptions();
      Composer composer =
          new Composer(new ParserImpl(new StreamReader(text), options), new Resolver(), options);
      return Optional.ofNullable(composer.getSingleNode());
    } catch (MarkedYAMLException e) {
      int line = e.getProblemMark() == null ? 1 : e.getProblemMark().getLine() + 1;
      String problem = e.getProblem() == null ? "cannot be read" : e.getProblem();
      throw new ConfigurationException(
          "%s:%d: is not YAML: %s".formatted(file, line, problem.replaceAll("\\s+", " ")), e);
    } catch (YAMLException e) {
      throw new ConfigurationException(
          "%s: is not YAML: %s".formatted(file, e.getMessage().replaceAll("\\s+", " ")), e);
    }
  }

  /** The entries of a mapping, those merged with {@code <<} included. */
  static List<Entry> entries(String file, MappingNode mapping) {
    Map<String, Entry> own = new LinkedHashMap<>();
    List<Node> merged = new ArrayList<>();
    for (NodeTuple tuple : mapping.getValue()) {
      if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
        throw new ConfigurationException(
            "%s:%d: found %s as a key; allowed: text"
                .formatted(file, line(tuple.getKeyNode()), what(tuple.getKeyNode())));
      }
      if (key.getTag().equals(Tag.MERGE)) {
        merged.add(tuple.getValueNode());
      } else if (own.put(key.getValue(), new Entry(key.getValue(), line(key), tuple.getValueNode()))
          != null) {
        throw new ConfigurationException(
            "%s:%d: key '%s' is given twice".formatted(file, line(key), key.getValue()));
      }
    }
    merged.forEach(node -> merge(file, node, own));
    return List.copyOf(own.values());
  }

  private static void merge(String file, Node node, Map<String, Entry> into) {
    if (node instanceof SequenceNode sequence) {
      sequence.getValue().forEach(item -> merge(file, item, into));
    } else if (node instanceof MappingNode mapping) {
      entries(file, mapping).forEach(entry -> into.putIfAbsent(entry.key(), entry));
    } else {
      throw new ConfigurationException(
          "%s:%d: found %s after <<; allowed: keys and values"
              .formatted(file, line(node), what(node)));
    }
  }

  static int line(Node node) {
    return node.getStartMark().getLine() + 1;
  }

  /** What a node is, in words. */
  static String what(Node node) {
    if (node instanceof ScalarNode scalar) {
      boolean nothing = scalar.isPlain() && scalar.getValue().isEmpty();
      return nothing ? "nothing" : "'" + scalar.getValue() + "'";
    }
    return node instanceof SequenceNode ? "a list" : "keys and values";
  }
}
