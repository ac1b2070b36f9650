package dev.rowlock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several processes open the embedded database at the same moment. */
@Timeout(120)
class EmbeddedStartTest {
  private static final int PROCESSES = 4;

  @TempDir Path directory;

  @Test
  void processesThatStartAtOnceAllConnect() throws Exception {
    Files.createDirectories(directory.resolve(".rowlock"));
    String url = "jdbc:h2:file:%s/.rowlock/rowlock;DATABASE_TO_LOWER=TRUE".formatted(directory);
    try (Connection connection = DriverManager.getConnection(url, "sa", "");
        var statement = connection.createStatement()) {
      statement.execute("CREATE TABLE t (id INT PRIMARY KEY, done_at TIMESTAMP WITH TIME ZONE)");
    }
    Files.writeString(
        directory.resolve("rowlock.yaml"),
        "queues: { t: { table: t, key: id, columns: { done-at: done_at }, mode: transactional } }");
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      processes.add(start("enqueue", "t", "--set", "id=" + i));
    }
    for (int i = 0; i < PROCESSES; i++) {
      Process process = processes.get(i);
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(said).isEqualTo("t: enqueued id=%d\n".formatted(i));
      assertThat(process.waitFor()).isZero();
    }
    assertThat(directory.resolve(".rowlock").toFile().list())
        .containsExactlyInAnyOrder("rowlock.mv.db", "rowlock.opening");
  }

  private Process start(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.add(Main.class.getName());
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().keySet().removeIf(name -> name.matches("(PG|ROWLOCK_).*"));
    return builder.redirectErrorStream(true).start();
  }
}
