package dev.rowlock.conformance;

import dev.rowlock.conformance.kit.OneAtATime;
import dev.rowlock.conformance.kit.ServerProcess;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
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
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;

/**
 * A real MySQL server, 8.0.12, on a free port of the loopback interface: started when a test first
 * asks for it, shared by all, stopped when the JVM ends. Its files come from a jar that the build
 * puts into {@code target/mysql-binaries/}.
 */
final class MySqlServer {
  private static final Duration START = Duration.ofSeconds(60);
  private static final String ARCHIVE = "mysql-Linux-amd64.tar.gz";

  private static final String USER =
      "create user 'root'@'%'; grant all on *.* to 'root'@'%' with grant option;";

  private final Path home;
  private final Path data;

  private MySqlServer(Path home, Path data) {
    this.home = home;
    this.data = data;
  }

  private static final class Shared {
    static final Path HOME = targetFolder().resolve("mysql").resolve("home");
    static final Optional<String> MISSING = whyMissing();
    static final MySqlDatabase DATABASE = database();

    private static MySqlDatabase database() {
      try {
        return MISSING.isPresent() ? null : new MySqlDatabase(start(), Map.of(), "t");
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException("MySQL did not start", e);
      }
    }

    private static Optional<String> whyMissing() {
      try {
        return missing(HOME);
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException("MySQL could not be unpacked", e);
      }
    }
  }

  /** The database of this JVM. */
  static MySqlDatabase shared() {
    missing()
        .ifPresent(
            reason -> {
              throw new IllegalStateException(reason);
            });
    return Shared.DATABASE;
  }

  /** Why there is none: only one platform has binaries, and they need a library of the system. */
  static Optional<String> missing() {
    return Shared.MISSING;
  }

  private static Optional<String> missing(Path home) throws IOException, InterruptedException {
    String platform = System.getProperty("os.name") + " " + System.getProperty("os.arch");
    if (!platform.equals("Linux amd64")) {
      return Optional.of("MySQL is started on Linux x86-64 only, not on " + platform);
    }
    Path jar = targetFolder().resolve("mysql-binaries").resolve("mysql.jar");
    if (!Files.exists(jar)) {
      throw new FileNotFoundException(
          jar + " (run ./mvnw generate-test-resources -pl rowlock-conformance -am)");
    }
    OneAtATime.in(home.getParent(), () -> unpack(jar, home));
    // The loader's words: a library, or a C library of this kind, is not there.
    Process version =
        process(List.of(program(home), "--no-defaults", "--version"), home)
            .redirectErrorStream(true)
            .start();
    String said = new String(version.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return version.waitFor() == 0
        ? Optional.empty()
        : Optional.of("MySQL 8.0.12 cannot run here (libnuma1 is needed): " + said.strip());
  }

  /** Once per build: the files do not change. */
  private static void unpack(Path jar, Path to) throws IOException, InterruptedException {
    Path done = to.resolve("unpacked-" + Files.size(jar));
    if (Files.exists(done)) {
      return;
    }
    Files.createDirectories(to);
    Path archive = to.resolve(ARCHIVE);
    try (JarFile file = new JarFile(jar.toFile());
        InputStream in = file.getInputStream(file.getJarEntry(ARCHIVE))) {
      Files.copy(in, archive, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }
    Process tar =
        new ProcessBuilder("tar", "-xzf", archive.toString(), "-C", to.toString())
            .inheritIO()
            .start();
    if (tar.waitFor() != 0) {
      throw new IOException("tar could not unpack " + archive);
    }
    // The server is linked to libaio, which many systems lack or call otherwise, and calls it only
    // for I/O of the kind that is switched off below. Any library in its place lets it start.
    Path aio = to.resolve("bin").resolve("libaio.so.1");
    Files.deleteIfExists(aio);
    Files.createSymbolicLink(aio, Path.of("libcrypto.so.1.0.0"));
    Files.delete(archive);
    Files.createFile(done);
  }

  private static Path targetFolder() {
    try {
      return Path.of(MySqlServer.class.getProtectionDomain().getCodeSource().getLocation().toURI())
          .getParent();
    } catch (URISyntaxException e) {
      throw new UncheckedIOException(new IOException(e));
    }
  }

  private static String program(Path home) {
    return home.resolve("bin").resolve("mysqld").toString();
  }

  private static ProcessBuilder process(List<String> command, Path home) {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("LD_LIBRARY_PATH", home.resolve("bin").toString());
    return builder;
  }

  private static String start() throws IOException, InterruptedException {
    Path work = Files.createDirectories(Shared.HOME.resolveSibling("run"));
    MySqlServer server = new MySqlServer(Shared.HOME, Files.createTempDirectory(work, "data"));
    server.initialize();
    return server.run();
  }

  /** Nothing of this must outlive a crash of the machine, so nothing waits for the disk. */
  private List<String> command(String... more) {
    List<String> all =
        new ArrayList<>(
            List.of(
                program(home),
                "--no-defaults",
                "--basedir=" + home,
                "--lc-messages-dir=" + home.resolve("share"),
                "--datadir=" + data,
                "--innodb-use-native-aio=0",
                "--innodb-flush-method=nosync",
                "--innodb-doublewrite=0",
                "--innodb-log-file-size=64M"));
    if (System.getProperty("user.name").equals("root")) {
      all.add("--user=root");
    }
    all.addAll(List.of(more));
    return all;
  }

  private void initialize() throws IOException, InterruptedException {
    Path users = data.resolveSibling(data.getFileName() + ".sql");
    Files.writeString(users, USER.replace("; ", ";\n") + "\n");
    Process process =
        process(command("--initialize-insecure", "--init-file=" + users), home)
            .redirectErrorStream(true)
            .redirectOutput(ServerProcess.log(data))
            .start();
    if (!process.waitFor(START.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IOException("initialization failed, see " + ServerProcess.log(data));
    }
    Files.delete(users);
  }

  /** Runs it until the JVM ends, with a log of rows, as MySQL does unless told otherwise. */
  private String run() throws IOException, InterruptedException {
    int port = ServerProcess.freePort();
    ServerProcess process =
        ServerProcess.start(
            command(
                "--port=" + port,
                "--bind-address=127.0.0.1",
                "--socket=" + ServerProcess.socket(),
                "--mysqlx=0",
                "--skip-name-resolve",
                "--max-connections=400",
                "--innodb-flush-log-at-trx-commit=0",
                "--innodb-fast-shutdown=2",
                "--server-id=1",
                "--sync-binlog=0"),
            home.resolve("bin"),
            data);
    String url =
        "jdbc:mysql://127.0.0.1:%d/?user=root&sslMode=DISABLED&allowPublicKeyRetrieval=true"
            .formatted(port);
    process.awaitLogin(url, START);
    return url;
  }
}
