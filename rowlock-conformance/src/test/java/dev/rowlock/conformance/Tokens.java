package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Applied.Status;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.LeaseLostException;
import dev.rowlock.Queue;
import dev.rowlock.RetryPolicy;
import dev.rowlock.conformance.kit.TestTable;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Claims as text: what scripts in any language pass around. */
interface Tokens extends Suite {

  @ParameterizedTest
  @EnumSource(P05Fenced.Fences.class)
  default void token_anotherProcessGoesOnWithTheClaim(P05Fenced.Fences fences) {
    TestTable t = table("jobs").key("id").state().with(fences.roles).create().rows(1, 4);
    List<String> tokens = t.queue().claim(4).stream().map(Claim::token).toList();
    Queue other = t.queue(q -> q.workerName("another process"));
    other.complete(other.claim(tokens.get(0)));
    other.release(other.claim(tokens.get(1)));
    other.fail(other.claim(tokens.get(2)), "x");
    other.apply(
        List.of(
                new Change.Complete(other.claim(tokens.get(3))),
                new Change.Complete(other.claim(tokens.get(3))))
            .subList(0, 1));
    assertThat(t.state(1)).isEqualTo("done");
    assertThat(t.state(2)).isEqualTo("ready");
    assertThat(t.state(4)).isEqualTo("done");
    for (String token : tokens) {
      assertThatThrownBy(() -> other.complete(other.claim(token)))
          .isInstanceOf(LeaseLostException.class);
    }
  }

  @Test
  default void token_keepsKeyFenceAttemptAndReadyValue() {
    TestTable t =
        table("jobs").full().retry(RetryPolicy.defaults().withMaxAttempts(1)).create().rows(1, 1);
    Claim claim = claim(t.queue());
    assertThat(claim.token()).matches("[A-Za-z0-9._-]+");
    Claim read = t.queue().claim(claim.token());
    assertThat(read.key()).isEqualTo(claim.key());
    assertThat(read.fence()).isEqualTo(claim.fence());
    assertThat(read.attempt()).isEqualTo(claim.attempt());
    assertThat(read.readyValue()).isEqualTo(claim.readyValue());
    assertThat(read.token()).isEqualTo(claim.token());
    assertThat(t.queue().fail(read, "x")).isEqualTo(Status.DEAD);
  }

  @Test
  default void token_ofAnExtendedClaim() {
    TestTable t =
        table("jobs").key("id").state().with(dev.rowlock.Role.LEASE_UNTIL).create().rows(1, 1);
    Claim claim = claim(t.queue());
    Claim extended = t.queue().extend(t.queue().claim(claim.token()), Duration.ofHours(1));
    t.queue().complete(t.queue().claim(extended.token()));
    assertThat(t.state(1)).isEqualTo("done");
  }

  @Test
  default void token_ofAnotherTableIsRefused() {
    TestTable one = table("one").full().create().rows(1, 1);
    TestTable two = table("two").full().create().rows(1, 1);
    Claim claim = claim(one.queue());
    claim(two.queue());
    assertThatThrownBy(() -> two.queue().claim(claim.token()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("one")
        .hasMessageContaining("two");
    assertThatThrownBy(() -> two.queue().complete(claim))
        .isInstanceOf(ConfigurationException.class);
    assertThat(two.state(1)).isEqualTo("processing");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "x",
        "rl1.",
        "rl1.AAAA",
        "rl1.!!!!",
        "rl2.AAAAAAAA",
        "null",
        "rl1.////////////////"
      })
  default void token_garbageIsRefused(String garbage) {
    TestTable t = table("jobs").full().create();
    assertThatThrownBy(() -> t.queue().claim(garbage))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("not a claim");
  }

  @Test
  default void token_thatWasCutOrChangedIsRefused() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    String token = claim(t.queue()).token();
    for (int cut = 5; cut < token.length(); cut++) {
      String broken = token.substring(0, cut);
      assertThatThrownBy(() -> t.queue().claim(broken)).isInstanceOf(ConfigurationException.class);
    }
    for (int i = 4; i < token.length() - 1; i++) {
      char other = token.charAt(i) == 'A' ? 'B' : 'A';
      String broken = token.substring(0, i) + other + token.substring(i + 1);
      assertThatThrownBy(() -> t.queue().claim(broken))
          .as("changed at %s", i)
          .isInstanceOf(ConfigurationException.class);
    }
  }
}
