package dev.rowlock.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.cli.Main;
import dev.rowlock.cli.Shell;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A mapping flag that is given again adds to what was given: losing one could lose the fence. */
class RepeatedFlagsTest {
  @TempDir Path directory;

  private String sql(String... mapping) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    Shell shell =
        new Shell(
            Map.of(),
            directory,
            InputStream.nullInputStream(),
            stream,
            stream,
            new Shell.Terminal(false, false));
    String[] arguments = new String[mapping.length + 11];
    String[] start = {
      "sql", "--dialect", "h2", "--table", "t", "--key", "id", "--state", "s", "--done", "done"
    };
    System.arraycopy(start, 0, arguments, 0, start.length);
    System.arraycopy(mapping, 0, arguments, start.length, mapping.length);
    int code = Main.run(arguments, shell);
    String text = out.toString(StandardCharsets.UTF_8);
    assertThat(code).as(text).isZero();
    return text;
  }

  @Test
  void everyOneCounts() {
    String text =
        sql(
            "--processing",
            "busy",
            "--ready",
            "new",
            "--ready",
            "null",
            "--col",
            "token=no",
            "--col",
            "attempts=tries",
            "--key",
            "tenant",
            "--read",
            "a,b",
            "--read",
            "c");
    assertThat(text)
        .contains("\"no\"", "\"tries\"", "\"tenant\"", "\"a\"", "\"b\"", "\"c\"")
        .contains("\"s\" IS NULL", "\"s\" = :ready");
  }
}
