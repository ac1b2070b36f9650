package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.Queue;
import dev.rowlock.RowState;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.Threads;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** P9: Rowlock's own transactions are READ COMMITTED and commit, whatever the pool says. */
interface P09Isolation extends Suite {

  private static Consumer<HikariConfig> settings(String isolation, boolean autoCommit) {
    return config -> {
      config.setTransactionIsolation("TRANSACTION_" + isolation);
      config.setAutoCommit(autoCommit);
    };
  }

  @ParameterizedTest
  @CsvSource({
    "READ_COMMITTED, false",
    "REPEATABLE_READ, true",
    "REPEATABLE_READ, false",
    "SERIALIZABLE, true",
    "SERIALIZABLE, false",
    "READ_UNCOMMITTED, false"
  })
  default void p09_c069_c070_theWholeLifeOnAnyPool(String isolation, boolean autoCommit) {
    TestTable t = table("jobs").full().write("result", db().varcharType(20)).create();
    // The pool is watched: every connection must come back as it went.
    Queue queue = t.queue(bench().pool(settings(isolation, autoCommit)));
    queue.enqueue(
        List.of(
            Map.of("id", 1),
            Map.of("id", 2),
            Map.of("id", 3),
            Map.of("id", 4),
            Map.of("id", 5),
            Map.of("id", 6)));
    assertThat(t.count()).isEqualTo(6);
    List<Claim> claims = queue.claim(5);
    assertThat(t.count("state", "processing")).isEqualTo(5);
    queue.complete(claims.get(0), Map.of("result", "X"));
    assertThat(t.state(1)).isEqualTo("done");
    assertThat(queue.fail(claims.get(1), "x")).isEqualTo(Applied.Status.RETRYING);
    assertThat(t.get(2, "last_error")).isEqualTo("x");
    queue.apply(
        List.of(
            new Change.Dead(claims.get(2), "no"),
            new Change.Snooze(claims.get(3), Duration.ofHours(1))));
    assertThat(t.state(3)).isEqualTo("dead");
    assertThat(t.state(4)).isEqualTo("ready");
    Claim extended = queue.extend(claims.get(4), Duration.ofHours(1));
    queue.release(extended);
    assertThat(t.state(5)).isEqualTo("ready");
    claim(queue);
    t.expireAll();
    assertThat(queue.recover(10).size()).isEqualTo(1);
    assertThat(queue.stats().count(RowState.DONE)).isEqualTo(1);
    assertThat(queue.list(RowState.DEAD, 5)).hasSize(1);
    assertThat(queue.show(queue.key("1"))).isPresent();
    claim(queue);
    assertThat(queue.resetUnfenced(List.of(queue.key("5"), queue.key("6")))).isEmpty();
    assertThat(queue.verify().safe()).isTrue();
    assertThat(t.count("state", "processing")).as("verify leaves no trace").isEqualTo(1);
  }

  @Test
  default void p09_c007_eightWorkersDrainASerializablePoolWithoutOneSurfacedFailure() {
    TestTable t = table("jobs").full().create().rows(1, 400);
    Queue queue = t.queue(bench().pool(settings("SERIALIZABLE", false)));
    List<Integer> done =
        Threads.race(
            8,
            n -> {
              int mine = 0;
              for (List<Claim> c = queue.claim(4); !c.isEmpty(); c = queue.claim(4)) {
                mine +=
                    (int)
                        queue.apply(c.stream().map(Change.Complete::new).toList()).stream()
                            .filter(a -> !a.lost())
                            .count();
              }
              return mine;
            });
    assertThat(done.stream().mapToInt(i -> i).sum()).isEqualTo(400);
    assertThat(t.states()).isEqualTo(Map.of("done", 400L));
  }

  @Test
  default void p09_aReadOnlyConnectionOfAPoolIsNotLeftThatWay() {
    TestTable t = table("jobs").full().create().rows(1, 2);
    Queue queue = t.queue(bench().pool(config -> config.setMaximumPoolSize(1)));
    Claim claim = claim(queue);
    assertThat(queue.apply(new Change.Fail(claim, "x", Optional.of(Duration.ZERO))).status())
        .isEqualTo(Applied.Status.RETRYING);
    assertThat(queue.claim(2)).hasSize(2);
  }

  @Test
  default void p09_onePooledConnectionIsEnoughForEveryOperation() {
    TestTable t = table("jobs").full().create().rows(1, 40);
    Queue queue =
        t.queue(
            bench()
                .pool(
                    config -> {
                      config.setMaximumPoolSize(1);
                      config.setConnectionTimeout(5000);
                    }));
    List<Integer> sizes =
        Threads.race(
            4,
            n -> {
              int mine = 0;
              for (List<Claim> c = queue.claim(3); !c.isEmpty(); c = queue.claim(3)) {
                c.forEach(queue::complete);
                mine += c.size();
              }
              return mine;
            });
    assertThat(sizes.stream().mapToInt(i -> i).sum()).isEqualTo(40);
  }
}
