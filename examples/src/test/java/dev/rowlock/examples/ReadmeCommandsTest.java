package dev.rowlock.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Types the README's commands into a real shell, on the embedded database, with its rowlock.yaml.
 */
@DisabledOnOs(OS.WINDOWS) // sh
class ReadmeCommandsTest {
  @TempDir Path directory;
  private String claim = "";

  @Test
  void theCommandsOfTheReadmeWork() throws Exception {
    Path root = DocumentationTest.root();
    String readme = Files.readString(root.resolve("README.md"));
    String configuration = Files.readString(root.resolve("docs/configuration.md"));
    Files.writeString(directory.resolve("rowlock.yaml"), block(readme, "```yaml\n"));
    Files.writeString(directory.resolve("articles.sql"), block(configuration, "```sql\n"));
    script("rowlock", "exec '%s' -cp '%s' dev.rowlock.cli.Main \"$@\"");
    script("render.sh", "read -r row; echo '{\"rendered_title\":\"X\"}'");

    assertThat(run("./rowlock sql --run articles.sql")).isNotNull();
    List<String> answers = new ArrayList<>();
    for (String line :
        block(readme, "<!-- run: with rowlock.yaml as above, on a table with two rows -->\n```sh\n")
            .split("\n")) {
      answers.add(run(line));
    }
    assertThat(answers).hasSize(6);
    assertThat(answers.get(0)).contains("session 2, before any commit");
    assertThat(answers.get(1)).contains("\"key\":{\"id\":1}", "\"title\":\"the land girls\"");
    assertThat(answers.get(4)).contains("\"done\":2", "\"ready\":0", "\"processing\":0");
    assertThat(answers.get(5)).contains("-- claim", "FOR UPDATE SKIP LOCKED");
    assertThat(run("./rowlock show articles 1")).contains("THE LAND GIRLS");
    assertThat(run("./rowlock show articles 2")).contains("X");
  }

  private static String block(String page, String start) {
    int from = page.indexOf(start);
    assertThat(from).as(start).isNotNegative();
    return page.substring(from + start.length(), page.indexOf("```", from + start.length()));
  }

  private void script(String name, String text) throws IOException {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    Path file = directory.resolve(name);
    Files.writeString(
        file, "#!/bin/sh\n" + text.formatted(java, System.getProperty("java.class.path")) + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  /** Its standard output; a command that fails is a failed test. */
  private String run(String line) throws Exception {
    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder("sh", "-c", line)
            .directory(directory.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().put("CLAIM", claim);
    builder.environment().keySet().removeIf(k -> k.startsWith("PG") || k.startsWith("ROWLOCK_"));
    Process process = builder.start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(line).isTrue();
    String said = Files.readString(out, StandardCharsets.UTF_8);
    assertThat(process.exitValue())
        .as("%s%n%s%s", line, said, Files.readString(err, StandardCharsets.UTF_8))
        .isZero();
    Matcher found = Pattern.compile("\"claim\":\"([^\"]+)\"").matcher(said);
    if (found.find()) {
      claim = found.group(1);
    }
    return said;
  }
}
