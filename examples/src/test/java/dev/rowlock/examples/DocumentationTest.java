package dev.rowlock.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every Java example in the documentation is a piece of a program that is compiled and run. */
class DocumentationTest {
  private static final Path ROOT = root();
  private static final Pattern JAVA =
      Pattern.compile("(?:<!-- source: (\\S+) (\\S+) -->\\s*)?```java\\n(.*?)```", Pattern.DOTALL);
  private static final Pattern STATEMENT =
      Pattern.compile("<!-- statement: (\\S+) (.+?) -->\\s*```sql\\n(.*?)```", Pattern.DOTALL);
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)(#[^)]*)?\\)");

  @TestFactory
  Stream<DynamicTest> javaExamplesAreCompiledSources() throws IOException {
    List<DynamicTest> all = new ArrayList<>();
    for (Path page : pages()) {
      Matcher block = JAVA.matcher(Files.readString(page));
      while (block.find()) {
        String file = block.group(1);
        String tag = block.group(2);
        String shown = block.group(3);
        all.add(
            DynamicTest.dynamicTest(
                ROOT.relativize(page) + ": " + tag,
                () -> {
                  assertThat(file).as("a source comment before:%n%s", shown).isNotNull();
                  assertThat(squeeze(shown)).isEqualTo(squeeze(region(ROOT.resolve(file), tag)));
                }));
      }
    }
    assertThat(all).isNotEmpty();
    return all.stream();
  }

  /** What a page shows as a dialect's statement is in the reviewed file, word for word. */
  @TestFactory
  Stream<DynamicTest> statementsAreTheReviewedOnes() throws IOException {
    List<DynamicTest> all = new ArrayList<>();
    for (Path page : pages()) {
      Matcher block = STATEMENT.matcher(Files.readString(page));
      while (block.find()) {
        Path file = ROOT.resolve(block.group(1));
        String name = block.group(2);
        String shown = block.group(3).strip();
        all.add(
            DynamicTest.dynamicTest(
                ROOT.relativize(page) + ": " + name,
                () ->
                    assertThat(Files.readString(file).replace("\r\n", "\n"))
                        .contains("-- " + name + "\n" + shown + "\n")));
      }
    }
    assertThat(all).isNotEmpty();
    return all.stream();
  }

  @Test
  void linksLeadSomewhere() throws IOException {
    for (Path page : pages()) {
      Matcher link = LINK.matcher(Files.readString(page));
      while (link.find()) {
        assertThat(page.resolveSibling(link.group(1)))
            .as("link in %s", ROOT.relativize(page))
            .exists();
      }
    }
  }

  private static String region(Path file, String tag) throws IOException {
    String text = Files.readString(file);
    int start = text.indexOf("// tag::" + tag);
    int end = text.indexOf("// end::" + tag);
    assertThat(start).as("tag %s in %s", tag, file).isNotNegative();
    return text.substring(text.indexOf('\n', start), end);
  }

  private static String squeeze(String code) {
    return code.replaceAll("\\s+", "");
  }

  private static List<Path> pages() throws IOException {
    List<Path> all = new ArrayList<>(List.of(ROOT.resolve("README.md")));
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      docs.filter(p -> p.toString().endsWith(".md")).sorted().forEach(all::add);
    }
    return all;
  }

  static Path root() {
    Path here = Path.of("").toAbsolutePath();
    return Files.exists(here.resolve("rowlock-core")) ? here : here.getParent();
  }
}
