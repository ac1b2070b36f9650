package dev.rowlock.dialect;

import dev.rowlock.ConfigurationException;
import dev.rowlock.spi.Dialect;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;

/** The list of databases. There is no default: what is not in it is refused. */
public final class Dialects {
  private static final List<Dialect> ALL =
      List.of(
          new PostgreSql(), new SqlServer(), new MariaDb(), new MySql(), new H2(), new Sqlite());

  private Dialects() {}

  public static Dialect detect(Connection connection, DatabaseMetaData metaData)
      throws SQLException {
    for (Dialect dialect : ALL) {
      if (dialect.speaks(metaData)) {
        dialect
            .refusal(connection)
            .ifPresent(
                reason -> {
                  throw new ConfigurationException("database not supported: " + reason);
                });
        return dialect.tuned(connection);
      }
    }
    throw new ConfigurationException(
        "database not supported: %s %s; supported are %s"
            .formatted(
                metaData.getDatabaseProductName(),
                metaData.getDatabaseProductVersion(),
                ALL.stream().map(Dialect::supports).collect(Collectors.joining(" and "))));
  }

  public static Dialect named(String name) {
    return ALL.stream()
        .filter(d -> d.name().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(
            () ->
                new ConfigurationException(
                    "no dialect is called '%s'; there are %s"
                        .formatted(name, String.join(", ", names()))));
  }

  /** In the order of the list. */
  public static List<String> names() {
    return ALL.stream().map(Dialect::name).toList();
  }
}
