package dev.rowlock.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.cli.Cli;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A mapping flag that is given again adds to what was given: losing one could lose the fence. */
class RepeatedFlagsTest {
  @TempDir Path directory;

  @Test
  void everyOneCounts() {
    Cli cli = new Cli(directory).always("--table", "t", "--key", "id", "--state", "s");
    cli.always("--ready", "new", "--ready", "null", "--processing", "busy", "--done", "done");
    cli.always("--col", "token=no", "--col", "attempts=tries", "--key", "tenant");
    Cli.Result result = cli.run("sql", "--dialect", "h2", "--read", "a,b", "--read", "c");
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.out())
        .contains("\"no\"", "\"tries\"", "\"tenant\"", "\"a\"", "\"b\"", "\"c\"")
        .contains("\"s\" IS NULL", "\"s\" = :ready");
  }
}
