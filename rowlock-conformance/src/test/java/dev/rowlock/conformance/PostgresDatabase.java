package dev.rowlock.conformance;

import dev.rowlock.Fault;
import dev.rowlock.conformance.kit.Faults;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A PostgreSQL server, whoever runs it. */
public abstract class PostgresDatabase implements TestDatabase {
  private final String prefix;
  private final AtomicLong schemas = new AtomicLong();
  private String name;

  /**
   * @param prefix what the names of schemas begin with
   */
  PostgresDatabase(String prefix) {
    this.prefix = prefix;
  }

  /**
   * The server as a driver's data source, for a test to change: user, port, options.
   *
   * @param schema the current schema, null for the server's default
   */
  abstract PGSimpleDataSource dataSource(String schema);

  /** Where the server listens, for proxies that stand between. */
  final InetSocketAddress address() {
    PGSimpleDataSource server = dataSource(null);
    int port = server.getPortNumbers()[0];
    return new InetSocketAddress(server.getServerNames()[0], port == 0 ? 5432 : port);
  }

  /** The server through a proxy that listens on this machine. */
  final PGSimpleDataSource through(int port, String schema) {
    PGSimpleDataSource source = dataSource(schema);
    source.setServerNames(new String[] {"localhost"});
    source.setPortNumbers(new int[] {port});
    return source;
  }

  private static String version(DataSource dataSource) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("show server_version")) {
      result.next();
      return result.getString(1).split(" ")[0];
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public final synchronized String name() {
    if (name == null) {
      name = "PostgreSQL " + version(dataSource());
    }
    return name;
  }

  @Override
  public DataSource dataSource() {
    return dataSource(null);
  }

  @Override
  public Schema fresh() {
    String schema = prefix + schemas.incrementAndGet();
    Schema.run(dataSource(), "create schema " + quote(schema));
    return new Schema(this, schema, dataSource(schema));
  }

  @Override
  public String quote(String identifier) {
    return '"' + identifier.replace("\"", "\"\"") + '"';
  }

  @Override
  public String timestampType() {
    return "timestamptz";
  }

  @Override
  public String localTimestampType() {
    return "timestamp";
  }

  @Override
  public String textType() {
    return "text";
  }

  @Override
  public String uuidType() {
    return "uuid";
  }

  @Override
  public String binaryType() {
    return "bytea";
  }

  @Override
  public String now() {
    return "clock_timestamp()";
  }

  @Override
  public String stored() {
    return " stored";
  }

  @Override
  public String nowPlus(long millis) {
    return "(clock_timestamp() + interval '1 millisecond' * " + millis + ")";
  }

  @Override
  public String localNowPlus(String zone, long millis) {
    return "(" + nowPlus(millis) + " at time zone '" + zone + "')";
  }

  @Override
  public String binary(String hex) {
    return "decode('" + hex + "', 'hex')";
  }

  @Override
  public List<Supplier<SQLException>> thrown(Fault fault) {
    List<String> states =
        switch (fault) {
          case SERIALIZATION -> List.of("40001");
          case DEADLOCK -> List.of("40P01");
          case LOCK_TIMEOUT -> List.of("55P03");
          case TIMEOUT -> List.of("57014");
          case CONNECTION -> List.of("08006", "57P01", "08003");
          case READ_ONLY -> List.of("25006");
          default -> throw new IllegalArgumentException(fault.name());
        };
    return states.stream().map(state -> Faults.sqlState(state, 0)).toList();
  }

  @Override
  public void close() {
    // Shared by the whole run.
  }

  @Override
  public String toString() {
    return name();
  }

  @Override
  public Optional<String> lacks(Facility facility) {
    return facility == Facility.TEXT_OF_ANY_CASE
        ? Optional.of("none but by an extension (citext) or a collation of ICU")
        : Optional.empty();
  }
}
