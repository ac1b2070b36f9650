package dev.rowlock.conformance;

import dev.rowlock.Fault;
import dev.rowlock.conformance.kit.Faults;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A real PostgreSQL server on a free port of the loopback interface. There is one per version and
 * JVM, started when a test first asks for it and stopped when the JVM ends.
 *
 * <p>The server comes from a jar that the build puts into {@code target/postgres-binaries/}: run
 * {@code ./mvnw generate-test-resources -pl rowlock-conformance -am} once before you start tests
 * from an IDE.
 */
public final class PostgresDatabase implements TestDatabase {
  private static final Map<String, PostgresDatabase> SHARED = new ConcurrentHashMap<>();

  private final EmbeddedPostgres server;
  private final String name;
  private final AtomicLong schemas = new AtomicLong();

  private PostgresDatabase(EmbeddedPostgres server) {
    this.server = server;
    this.name = "PostgreSQL " + version(dataSource());
  }

  /**
   * The server of this JVM.
   *
   * @param which a folder of {@code target/postgres-binaries}: {@code newest} or {@code oldest}
   */
  static PostgresDatabase shared(String which) {
    return SHARED.computeIfAbsent(which, w -> new PostgresDatabase(start(w)));
  }

  private static EmbeddedPostgres start(String which) {
    Path target = targetFolder();
    Path jar = target.resolve("postgres-binaries").resolve(which).resolve("postgres.jar");
    File work = target.resolve("postgres").resolve(which).toFile();
    try {
      return EmbeddedPostgres.builder()
          .setPgBinaryResolver((system, machine) -> archiveIn(jar))
          .setOverrideWorkingDirectory(work)
          .setPGStartupWait(Duration.ofSeconds(60))
          .setLocaleConfig("locale", "C")
          .setServerConfig("listen_addresses", "localhost")
          .setServerConfig("unix_socket_directories", "")
          .setServerConfig("max_connections", "200")
          .setServerConfig("fsync", "off")
          .setServerConfig("synchronous_commit", "off")
          .setServerConfig("full_page_writes", "off")
          .setServerConfig("log_min_messages", "fatal")
          .start();
    } catch (IOException | IllegalStateException e) {
      throw new IllegalStateException(
          "PostgreSQL ("
              + which
              + ") did not start. The server refuses to run as root: as root on Linux, 'unshare"
              + " -U' must work; else run the tests as another user.",
          e);
    }
  }

  /** The one .txz in the jar: the server's files. */
  private static InputStream archiveIn(Path jar) throws IOException {
    if (!Files.exists(jar)) {
      throw new FileNotFoundException(
          jar + " (run ./mvnw generate-test-resources -pl rowlock-conformance -am)");
    }
    try (JarFile file = new JarFile(jar.toFile())) {
      JarEntry archive =
          file.stream()
              .filter(e -> e.getName().endsWith(".txz"))
              .findFirst()
              .orElseThrow(() -> new FileNotFoundException("no .txz in " + jar));
      try (InputStream in = file.getInputStream(archive)) {
        return new ByteArrayInputStream(in.readAllBytes());
      }
    }
  }

  /** Found from where this class is, so that the working directory does not matter. */
  private static Path targetFolder() {
    try {
      return Path.of(
              PostgresDatabase.class.getProtectionDomain().getCodeSource().getLocation().toURI())
          .getParent();
    } catch (URISyntaxException e) {
      throw new UncheckedIOException(new IOException(e));
    }
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
  public String name() {
    return name;
  }

  @Override
  public DataSource dataSource() {
    return dataSource(null);
  }

  @Override
  public Schema fresh() {
    String schema = "t" + schemas.incrementAndGet();
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

  /** For proxies that stand between. */
  int port() {
    return server.getPort();
  }

  @Override
  public void close() {
    // Shared: the server ends with the JVM.
  }

  @Override
  public String toString() {
    return name;
  }

  /** Its files and port as a driver's data source, for a test to change: user, port, options. */
  PGSimpleDataSource dataSource(String schema) {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setServerNames(new String[] {"localhost"});
    dataSource.setPortNumbers(new int[] {server.getPort()});
    dataSource.setDatabaseName("postgres");
    dataSource.setUser("postgres");
    if (schema != null) {
      dataSource.setCurrentSchema(schema);
    }
    return dataSource;
  }
}
