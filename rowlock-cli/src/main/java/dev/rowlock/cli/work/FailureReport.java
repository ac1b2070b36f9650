package dev.rowlock.cli.work;

import dev.rowlock.Claim;
import dev.rowlock.Listener;
import dev.rowlock.Outcome;
import dev.rowlock.cli.output.Table;
import dev.rowlock.cli.output.Words;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Tells people why rows fail: the first failure of each kind at once, then a line a minute at most.
 * Thread-safe.
 */
public final class FailureReport implements Listener {
  private static final long EVERY_NANOS = Duration.ofMinutes(1).toNanos();
  private static final int MOST_KINDS = 20;
  private static final int MOST_TEXT = 300;

  /** The text of a handler that was interrupted because the worker stops or lost the row. */
  private static final String INTERRUPTED = InterruptedException.class.getName();

  private final Consumer<String> say;
  private final LongSupplier nanoTime;
  private final Set<String> kinds = new HashSet<>();
  private String last;
  private long unsaid;
  private long since;

  /**
   * Reports.
   *
   * @param say takes a line; must be quick
   */
  public FailureReport(Consumer<String> say) {
    this(say, System::nanoTime);
  }

  FailureReport(Consumer<String> say, LongSupplier nanoTime) {
    this.say = say;
    this.nanoTime = nanoTime;
  }

  @Override
  public void handled(String queue, Claim claim, Outcome outcome, Duration took) {
    if (outcome instanceof Outcome.Retry retry) {
      if (retry.error() == null || !retry.error().startsWith(INTERRUPTED)) {
        failed(queue, claim, "failed", retry.error());
      }
    } else if (outcome instanceof Outcome.Dead dead) {
      failed(queue, claim, "refused for good", dead.error());
    }
  }

  /** The last error and the key of its row. */
  public synchronized Optional<String> last() {
    return Optional.ofNullable(last);
  }

  private synchronized void failed(String queue, Claim claim, String how, String error) {
    String key = Table.text(claim.key());
    String text = line(error);
    last = key + ": " + text;
    unsaid++;
    long now = nanoTime.getAsLong();
    String kind = how + text.replaceAll("[0-9]+", "#").replace(key.replaceAll("^.*=", ""), "#");
    boolean first = kinds.size() < MOST_KINDS && kinds.add(kind);
    if (!first && now - since < EVERY_NANOS) {
      return;
    }
    say.accept(
        first
            ? "%s %s %s: %s".formatted(queue, key, how, text)
            : "%s: %s more failed attempts; the last: %s"
                .formatted(queue, Words.count(unsaid), last));
    unsaid = first ? unsaid - 1 : 0;
    since = first && kinds.size() > 1 ? since : now;
  }

  /** Of several lines the last one: it mostly is the reason. */
  private static String line(String error) {
    String all = error == null ? "" : error.strip();
    String text = all.substring(Math.max(all.lastIndexOf('\n'), all.lastIndexOf('\r')) + 1).strip();
    if (text.isEmpty()) {
      return "no reason given";
    }
    return text.length() > MOST_TEXT ? text.substring(0, MOST_TEXT) + "…" : text;
  }
}
