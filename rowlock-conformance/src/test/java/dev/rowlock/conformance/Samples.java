package dev.rowlock.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Realistic data, if it lies beside the checkout; otherwise as much as the tests need, made up. */
final class Samples {
  private static final int FEW = 300;

  private Samples() {}

  /** Titles as messy as they come. */
  static List<String> titles() {
    List<String> titles = new ArrayList<>();
    for (String line : lines("films.csv")) {
      titles.add(line);
    }
    for (int i = titles.size(); i < FEW; i++) {
      titles.add(i % 7 == 0 ? "" : "Film no. " + i + ", \"für\" 水 it's");
    }
    return titles.subList(0, Math.min(titles.size(), 600));
  }

  /** JSON documents of one to many kilobytes. */
  static List<String> documents() {
    List<String> documents = new ArrayList<>(lines("github-webhooks.jsonl"));
    for (int i = documents.size(); i < FEW; i++) {
      documents.add(
          "{\"event\":\"push\",\"payload\":{\"n\":"
              + i
              + ",\"text\":\""
              + "x".repeat(i * 10)
              + "\"}}");
    }
    return documents;
  }

  private static List<String> lines(String file) {
    try {
      Path classes =
          Path.of(Samples.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      Path checkout = classes.getParent().getParent().getParent();
      Path data = checkout.resolveSibling("shared").resolve("data").resolve(file);
      return Files.exists(data) ? Files.readAllLines(data, StandardCharsets.UTF_8) : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
