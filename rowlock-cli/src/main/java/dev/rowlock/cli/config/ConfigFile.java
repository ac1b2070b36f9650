package dev.rowlock.cli.config;

import dev.rowlock.ConfigurationException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A configuration file, checked as far as that is possible without the environment.
 *
 * @param file its name for messages; empty if there is none
 * @param database how to connect
 * @param queues by name, in the order of the file
 */
public record ConfigFile(
    Optional<String> file, DatabaseSettings database, Map<String, QueueSettings> queues) {
  /** The name that is looked for in the current directory. */
  public static final String DEFAULT_NAME = "rowlock.yaml";

  /** Copies the queues. */
  public ConfigFile {
    queues = Collections.unmodifiableMap(new LinkedHashMap<>(queues));
  }

  /** No file at all. */
  public static ConfigFile none() {
    return new ConfigFile(Optional.empty(), DatabaseSettings.NONE, Map.of());
  }

  /** Reads the file that is named, else the one in the directory, else none. */
  public static ConfigFile find(Optional<String> named, Path directory) {
    Path usual = directory.resolve(DEFAULT_NAME);
    if (named.isPresent()) {
      return read(directory.resolve(named.get()), named.get());
    }
    return Files.exists(usual) ? read(usual, DEFAULT_NAME) : none();
  }

  private static ConfigFile read(Path path, String shown) {
    if (!Files.isRegularFile(path)) {
      throw new ConfigurationException(shown + ": there is no such file");
    }
    try {
      return new ConfigReader(shown).read(Files.readString(path));
    } catch (CharacterCodingException e) {
      throw new ConfigurationException(shown + ": is not UTF-8 text", e);
    } catch (IOException e) {
      throw new ConfigurationException(shown + ": cannot be read: " + e.getMessage(), e);
    }
  }

  /** The settings of a queue by name. */
  public Optional<QueueSettings> queue(String name) {
    return Optional.ofNullable(queues.get(name));
  }

  /** The names of all queues. */
  public List<String> names() {
    return List.copyOf(queues.keySet());
  }
}
