package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.Queue;
import dev.rowlock.RowState;
import dev.rowlock.SqlListing;
import dev.rowlock.conformance.kit.Tap;
import dev.rowlock.conformance.kit.TestTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What {@code rowlock sql} lists is what is run, on the connected database too. */
interface Listed extends Suite {

  /** Every statement that is executed while it listens. */
  final class Recorder implements Tap {
    private final List<String> statements = Collections.synchronizedList(new ArrayList<>());
    private volatile boolean listening;

    @Override
    public void before(Call call) {
      if (listening && call.kind() == Kind.EXECUTE) {
        statements.add(call.sql());
      }
    }

    void listen() {
      listening = true;
    }

    /** Those on a table. */
    Set<String> on(String table) {
      return statements.stream()
          .filter(s -> s.contains(table))
          .map(Listed::plain)
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  /**
   * Parameters, and a limit that is part of the statement, are all the same; a statement for
   * several rows (a list of keys, of conditions, of values) is the same for any number of them. A
   * time limit may stand in front.
   */
  private static String plain(String sql) {
    return sql.replace("max_statement_time = 30, ", "")
        .replaceAll("(?<!:):[A-Za-z_]\\w*", "?")
        .replaceAll("(?i)(\\bLIMIT |\\bTOP \\()\\d+", "$1?")
        .replaceAll("\\s+", " ")
        .replaceAll("\\?(, \\?)+", "?")
        .replaceAll("(\\(.+?\\))( OR \\1)+", "$1")
        .replaceAll("(?<=VALUES |, )\\(\\d+, ", "(n, ")
        .replaceAll("(\\(n, .+?\\))(, \\1)+", "$1")
        .strip();
  }

  @Test
  default void sql_whatIsRunIsWhatIsListed() {
    TestTable t = table("listed_jobs").full().create().rows(1, 40);
    Recorder recorder = new Recorder();
    Queue queue = t.queue(bench().pool(config -> {}, recorder));
    recorder.listen();
    List<Claim> c = queue.claim(16);
    queue.complete(queue.extend(c.get(0), Duration.ofHours(1)));
    queue.fail(c.get(1), "x");
    queue.snooze(c.get(2), Duration.ofHours(1));
    queue.release(c.get(3));
    queue.apply(new Change.Dead(c.get(4), "x"));
    queue.apply(
        List.of(
            new Change.Complete(c.get(5)),
            new Change.Complete(c.get(6)),
            new Change.Fail(c.get(7), "x", Optional.empty()),
            new Change.Fail(c.get(8), "x", Optional.empty()),
            new Change.Snooze(c.get(9), Duration.ofHours(1)),
            new Change.Snooze(c.get(10), Duration.ofHours(1)),
            new Change.Release(c.get(11)),
            new Change.Release(c.get(12)),
            new Change.Dead(c.get(13), "x"),
            new Change.Dead(c.get(14), "x")));
    t.expireAll();
    queue.recover(5);
    queue.resetUnfenced(List.of(c.get(15).key()));
    queue.stats();
    assertThat(queue.drained()).isFalse();
    queue.list(RowState.DONE, 5);
    queue.show(c.get(0).key());
    Set<String> listed =
        queue.sql().statements().stream()
            .map(SqlListing.Statement::sql)
            .map(Listed::plain)
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> run = recorder.on("listed_jobs");
    assertThat(run).as("as many as steps of a life at least").hasSizeGreaterThan(7);
    assertThat(listed).containsAll(run);
  }
}
