package dev.rowlock.cli.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.cli.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class SharedFileTest {
  private static final int PROCESSES = 6;

  @TempDir private Path directory;

  @Test
  void processesThatComeAndGoShareTheEmbeddedDatabase() throws Exception {
    Path file = Files.createDirectory(directory.resolve(".rowlock")).resolve("rowlock");
    try (Connection c =
            DriverManager.getConnection(
                "jdbc:h2:file:" + file + ";DATABASE_TO_LOWER=TRUE", "sa", "");
        Statement s = c.createStatement()) {
      s.execute(
          "create table jobs (id bigint primary key, state varchar(20) not null, claim_no bigint)");
      s.execute("insert into jobs select \"X\", 'ready', 0 from system_range(1, 60)");
    }
    List<Process> all = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      all.add(claim(i));
    }
    List<String> said = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      assertThat(all.get(i).waitFor(100, TimeUnit.SECONDS)).isTrue();
      assertThat(Files.readString(directory.resolve("err" + i))).isEmpty();
      assertThat(all.get(i).exitValue()).isZero();
      said.addAll(Files.readAllLines(directory.resolve("out" + i)));
    }
    assertThat(said.stream().map(l -> l.replaceAll(".*\"key\":|,\"row.*", "")))
        .hasSize(60)
        .doesNotHaveDuplicates();
  }

  private Process claim(int i) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "claim",
            "--table=jobs",
            "--key=id",
            "--state=state",
            "--ready=ready",
            "--processing=processing",
            "--done=done",
            "--col=token=claim_no",
            "--limit=10");
    builder.environment().keySet().removeIf(n -> n.startsWith("PG") || n.startsWith("ROWLOCK"));
    return builder
        .directory(directory.toFile())
        .redirectOutput(directory.resolve("out" + i).toFile())
        .redirectError(directory.resolve("err" + i).toFile())
        .start();
  }
}
