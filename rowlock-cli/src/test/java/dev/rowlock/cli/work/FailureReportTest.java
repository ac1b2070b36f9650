package dev.rowlock.cli.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Claim;
import dev.rowlock.Key;
import dev.rowlock.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FailureReportTest {
  private final List<String> said = new ArrayList<>();
  private long now;
  private final FailureReport report = new FailureReport(said::add, () -> now);

  private void handled(long id, Outcome outcome) {
    Claim claim = new Claim.Builder("films", new Key(Map.of("id", id))).build();
    report.handled("films", claim, outcome, Duration.ZERO);
  }

  @Test
  void theFirstOfEachKindIsToldAtOnce() {
    handled(1, Outcome.retry("Traceback\n  x\nno film 1"));
    handled(2, Outcome.retry("no film 2"));
    handled(3, Outcome.dead("not for us"));
    handled(4, Outcome.done());
    assertThat(said)
        .containsExactly("films id=1 failed: no film 1", "films id=3 refused for good: not for us");
    assertThat(report.last()).contains("id=3: not for us");
  }

  @Test
  void thenALineAMinuteWithACount() {
    for (int i = 1; i <= 1500; i++) {
      now += Duration.ofMillis(50).toNanos();
      handled(i, Outcome.retry("no film " + i));
    }
    assertThat(said)
        .containsExactly(
            "films id=1 failed: no film 1",
            "films: 1,200 more failed attempts; the last: id=1201: no film 1201");
  }

  @Test
  void stoppingIsNoFailure() {
    handled(1, Outcome.retry("java.lang.InterruptedException: sleep interrupted"));
    assertThat(said).isEmpty();
    assertThat(report.last()).isEmpty();
  }
}
