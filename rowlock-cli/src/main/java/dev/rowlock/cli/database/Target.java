package dev.rowlock.cli.database;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which database to connect to.
 *
 * @param jdbcUrl without user and password
 * @param properties for the driver, user and password among them
 * @param shown what people are told; holds no secret
 */
public record Target(String jdbcUrl, Map<String, String> properties, String shown) {

  /** Copies the properties. */
  public Target {
    properties = Collections.unmodifiableMap(new TreeMap<>(properties));
  }

  /** Which database it is. */
  public Product product() {
    return Product.of(jdbcUrl).orElseThrow();
  }

  /** The same database, for a file of statements. */
  public Target forScripts() {
    Map<String, String> all = new TreeMap<>(product().forScripts());
    all.putAll(properties);
    return new Target(jdbcUrl, all, shown);
  }

  @Override
  public String toString() {
    return shown;
  }
}
