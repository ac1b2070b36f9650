package dev.rowlock.cli.command;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.LeaseLostException;
import dev.rowlock.Queue;
import dev.rowlock.cli.ExitCode;
import dev.rowlock.cli.output.Json;
import dev.rowlock.cli.output.Table;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A fenced write to claimed rows. */
abstract class ChangeCommand extends QueueCommand {
  private static final int BATCH = 500;

  @Option(
      names = "--claim",
      required = true,
      arity = "1",
      paramLabel = "CLAIM",
      description =
          "What claim printed, as a whole or its \"claim\"; may be repeated; - reads one per line from standard input.")
  private List<String> claims;

  @Option(names = "--json", description = "Print a JSON line for each claim.")
  private boolean json;

  /** What is to be done to one row. */
  abstract Change change(Claim claim);

  /** Looks at the command's own options before anything is read or written. */
  void check() {}

  /** What the sentence about the row ends with. */
  String remark(Queue queue) {
    return "";
  }

  @Override
  public final Integer call() throws Exception {
    check();
    return super.call();
  }

  @Override
  final int run(Queue queue) throws IOException {
    requireLeases(queue);
    List<String> tokens = tokens();
    List<Claim> parsed = tokens.stream().map(queue::claim).toList();
    if (parsed.isEmpty()) {
      return ExitCode.NOTHING;
    }
    boolean one = claims.size() == 1 && !claims.contains("-") && !json;
    return one ? single(queue, parsed.get(0)) : several(queue, tokens, parsed);
  }

  private int single(Queue queue, Claim claim) {
    Applied applied = queue.apply(change(claim));
    print(sentence(queue, applied) + remark(queue));
    return applied.status() == Applied.Status.BUSY ? ExitCode.FAILED : ExitCode.DONE;
  }

  private int several(Queue queue, List<String> tokens, List<Claim> parsed) {
    int code = ExitCode.DONE;
    for (int from = 0; from < parsed.size(); from += BATCH) {
      int to = Math.min(parsed.size(), from + BATCH);
      List<Applied> all = queue.apply(parsed.subList(from, to).stream().map(this::change).toList());
      for (int i = 0; i < all.size(); i++) {
        print(line(tokens.get(from + i), all.get(i)));
        code = Math.max(code, code(all.get(i)));
      }
    }
    if (code == ExitCode.LOST && parsed.size() == 1) {
      String operation = getClass().getSimpleName().replace("Command", "").toLowerCase(Locale.ROOT);
      throw new LeaseLostException(queue.name(), operation, parsed.get(0));
    }
    return code;
  }

  private static int code(Applied applied) {
    return switch (applied.status()) {
      case LOST -> ExitCode.LOST;
      case BUSY -> ExitCode.FAILED;
      default -> ExitCode.DONE;
    };
  }

  private static ObjectNode line(String token, Applied applied) {
    ObjectNode line = Json.object();
    line.put("claim", token);
    line.put("result", applied.status().name().toLowerCase(Locale.ROOT));
    if (applied.status() == Applied.Status.EXTENDED) {
      line.put("newClaim", applied.claim().token());
      line.set("leaseUntil", Json.value(applied.claim().leaseUntil().orElse(null)));
    }
    return line;
  }

  private static String sentence(Queue queue, Applied applied) {
    String row = "%s %s: ".formatted(queue.name(), Table.text(applied.claim().key()));
    return row
        + switch (applied.status()) {
          case COMPLETED -> "completed";
          case RETRYING -> "failed; will be tried again";
          case DEAD -> "dead letter";
          case SNOOZED -> "snoozed";
          case RELEASED -> "released";
          case EXTENDED -> extended(applied);
          case BUSY ->
              "not extended: another transaction has locked the row; the claim is still current";
          case LOST -> "lost";
        };
  }

  private static String extended(Applied applied) {
    String until = applied.claim().leaseUntil().map(t -> " until " + t).orElse("");
    boolean same = applied.claim().token().equals(applied.change().claim().token());
    return "extended" + until + (same ? "" : "; go on with claim " + applied.claim().token());
  }

  /** The claims, each once; any may be what claim printed as a whole. */
  private List<String> tokens() throws IOException {
    Set<String> tokens = new LinkedHashSet<>();
    for (String claim : claims) {
      if (claim.equals("-")) {
        tokens.addAll(read());
      } else {
        tokens.add(token(claim.strip(), "--claim"));
      }
    }
    return List.copyOf(tokens);
  }

  private List<String> read() throws IOException {
    BufferedReader reader =
        new BufferedReader(new InputStreamReader(shell().in(), StandardCharsets.UTF_8));
    List<String> tokens = new ArrayList<>();
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      if (!line.isBlank()) {
        tokens.add(token(line.strip(), "a line of standard input"));
      }
    }
    return tokens;
  }

  private static String token(String line, String where) {
    if (!line.startsWith("{")) {
      return line;
    }
    return Json.parse(line)
        .map(node -> node.get("claim"))
        .filter(JsonNode::isString)
        .map(JsonNode::stringValue)
        .orElseThrow(
            () ->
                new ConfigurationException(
                    where + " is neither a claim nor a line that claim printed"));
  }
}
