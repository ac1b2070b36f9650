package dev.rowlock.conformance.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** JVMs with the class path of the tests, whose output is kept. */
public final class JavaProcesses {
  private final List<Process> all = new ArrayList<>();
  private Path directory;

  /** Where they run and leave their output. */
  public void in(Path folder) {
    directory = folder;
  }

  /** Starts one more. */
  public void start(String... mainAndArguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.addAll(Arrays.asList(mainAndArguments));
    File log = directory.resolve("worker-" + all.size() + ".log").toFile();
    all.add(
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log)
            .start());
  }

  /** The one started as so many-th, from 0. */
  public Process get(int place) {
    return all.get(place);
  }

  /** Ends one without a chance to clean up. */
  public void kill(int place) throws InterruptedException {
    all.get(place).destroyForcibly().waitFor();
  }

  /** All from one on end by themselves, and well. */
  public void endBySelfFrom(int first, long seconds) throws InterruptedException {
    for (Process process : all.subList(first, all.size())) {
      assertThat(process.waitFor(seconds, TimeUnit.SECONDS)).as(this::output).isTrue();
      assertThat(process.exitValue()).as(this::output).isZero();
    }
  }

  /** Sends a signal: STOP, CONT. */
  public static void signal(String name, Process process) {
    try {
      Process kill = new ProcessBuilder("kill", "-" + name, "" + process.pid()).start();
      assertThat(kill.waitFor()).isZero();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What all of them have said so far. */
  public String output() {
    StringBuilder said = new StringBuilder();
    for (int i = 0; i < all.size(); i++) {
      try {
        Path log = directory.resolve("worker-" + i + ".log");
        said.append(Files.readString(log, StandardCharsets.UTF_8)).append('\n');
      } catch (IOException e) {
        said.append(e);
      }
    }
    return said.toString();
  }

  /** Ends them and all that they have started. */
  public void end() throws InterruptedException {
    for (Process process : all) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
  }
}
