package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Applied;
import dev.rowlock.Applied.Status;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.Role;
import dev.rowlock.conformance.kit.TestTable;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** P11 for error texts: recording a failure never fails itself. */
interface ErrorText extends Suite {

  /** Fails rows with a text in every form, and gives what was stored. */
  private List<String> stored(String type, String error) {
    TestTable t =
        table("jobs" + Integer.toHexString((type + error).hashCode()))
            .key("id")
            .state()
            .with(Role.TOKEN)
            .with(Role.ERROR, "err", type)
            .create()
            .rows(1, 5);
    List<Claim> claims = t.queue().claim(5);
    assertThat(t.queue().fail(claims.get(0), error)).isEqualTo(Status.RETRYING);
    assertThat(t.queue().apply(new Change.Dead(claims.get(1), error)).status())
        .isEqualTo(Status.DEAD);
    assertThat(
            t.queue()
                .apply(
                    List.of(
                        new Change.Fail(claims.get(2), error, Optional.empty()),
                        new Change.Fail(claims.get(3), error, Optional.empty()))))
        .noneMatch(Applied::lost);
    committed(c -> t.queue().apply(c, new Change.Fail(claims.get(4), error, Optional.empty())));
    assertThat(t.count("state", "processing")).isZero();
    return List.of(1, 2, 3, 4, 5).stream().map(id -> (String) t.get(id, "err")).distinct().toList();
  }

  @Test
  default void p11_c133_nulInAnErrorText() {
    assertThat(stored(db().textType(), "a\0b")).containsExactly("a\uFFFDb");
    assertThat(stored(db().varcharType(10), "\0\0\0")).containsExactly("\uFFFD\uFFFD\uFFFD");
  }

  @Test
  default void p11_c134_loneSurrogatesInAnErrorText() {
    assertThat(stored(db().textType(), "boom\ud800tail")).containsExactly("boom\uFFFDtail");
    assertThat(stored(db().textType(), "\udc00\ud83d")).containsExactly("\uFFFD\uFFFD");
  }

  @Test
  default void p11_c134_anEmojiAtTheCutIsNotHalved() {
    String nine = "123456789";
    for (String found : stored(db().varcharType(10), nine + "\uD83D\uDE00 and more")) {
      assertThat(found).isIn(nine, nine + "\uD83D\uDE00");
    }
    assertThat(stored(db().varcharType(12), nine + "\uD83D\uDE00"))
        .containsExactly(nine + "\uD83D\uDE00");
  }

  @ParameterizedTest
  @ValueSource(strings = {"é", "x", "\uD83D\uDE00", "水"})
  default void p11_c135_oneMegabyteIntoTenCharacters(String letter) {
    List<String> found = stored(db().varcharType(10), letter.repeat(1_000_000));
    assertThat(found).hasSize(1);
    assertThat(found.get(0)).startsWith(letter).matches("(" + letter + ")+");
    assertThat(found.get(0).length()).isBetween(9, 20);
  }

  @Test
  default void p11_c112_twentyMegabytesIntoText() {
    TestTable t =
        table("jobs").full().with(Role.ERROR, "long_error", db().textType()).create().rows(1, 1);
    assertThat(t.queue().fail(claim(t.queue()), "x".repeat(20_000_000))).isEqualTo(Status.RETRYING);
    assertThat(((String) t.get(1, "long_error")).length()).isBetween(1000, 100_000);
  }

  @Test
  default void p11_c117_anEmptyOrMissingText() {
    assertThat(stored(db().textType(), "")).containsExactly("");
    TestTable t = table("jobs").full().create();
    t.add("id", 1, "last_error", "before");
    assertThat(t.queue().fail(claim(t.queue()), null)).isEqualTo(Status.RETRYING);
    assertThat(t.get(1, "last_error")).as("null keeps what is there").isEqualTo("before");
  }

  @Test
  default void p11_anErrorWithoutAColumnForItIsNoTrouble() {
    TestTable t = table("jobs").key("id").state().with(Role.TOKEN).create().rows(1, 1);
    assertThat(t.queue().fail(claim(t.queue()), "nowhere to put it")).isEqualTo(Status.RETRYING);
  }

  @Test
  default void p11_quotesAndPlaceholdersAreText() {
    String odd = "it's \"x\" :name ? {set} $1 \\ %s; drop table jobs; --";
    assertThat(stored(db().textType(), odd)).containsExactly(odd);
  }
}
