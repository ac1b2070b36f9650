package dev.rowlock.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs the command line inside the test. */
public final class Cli {
  private final Path directory;
  private final Map<String, String> environment = new HashMap<>();
  private final List<String> always = new ArrayList<>();
  private String input = "";
  private boolean answers;

  public Cli(Path directory) {
    this.directory = directory;
    environment.put("PATH", System.getenv("PATH"));
  }

  public Cli environment(String name, String value) {
    environment.put(name, value);
    return this;
  }

  /** Arguments that every call gets. */
  public Cli always(String... arguments) {
    always.addAll(List.of(arguments));
    return this;
  }

  /** Standard input of the next call. */
  public Cli input(String text) {
    input = text;
    return this;
  }

  /** Somebody sits at the terminal in the next call and types this. */
  public Cli answer(String text) {
    answers = true;
    return input(text);
  }

  /** What a command did. */
  public record Result(int code, String out, String err) {
    public List<String> lines() {
      return out.lines().toList();
    }
  }

  public Result run(String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Shell shell =
        new Shell(
            Map.copyOf(environment),
            directory,
            new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            new Shell.Terminal(answers, false),
            (stop, last) -> {});
    input = "";
    answers = false;
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(always);
    int code = Main.run(all.toArray(String[]::new), shell);
    return new Result(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }
}
