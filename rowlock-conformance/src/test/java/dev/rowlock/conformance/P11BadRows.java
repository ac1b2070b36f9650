package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.DatabaseException;
import dev.rowlock.Listener;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.conformance.kit.TestTable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** P11: a bad row stops nobody; what a worker does with it is in {@code Workers}. */
interface P11BadRows extends Suite {

  @Test
  default void p11_aResultThatDoesNotFitFailsAloneAndTheRowStaysOurs() {
    needs(Facility.TEXT_LENGTHS);
    TestTable t = table("jobs").full().write("result", db().varcharType(5)).create().rows(1, 2);
    List<Claim> claims = t.queue().claim(2);
    Assertions.assertThatThrownBy(
            () -> t.queue().complete(claims.get(0), Map.of("result", "much too long")))
        .isInstanceOfSatisfying(
            DatabaseException.class, e -> assertThat(e.fault()).isEqualTo(dev.rowlock.Fault.DATA));
    assertThat(t.state(1)).isEqualTo("processing");
    assertThat(t.queue().fail(claims.get(0), "result too long")).isEqualTo(Applied.Status.RETRYING);
    t.queue().complete(claims.get(1), Map.of("result", "fits"));
    assertThat(t.get(2, "result")).isEqualTo("fits");
  }

  @Test
  default void p11_c138_whatIsReadIsNeverWritten() {
    TestTable t = table("jobs").full().read("payload", db().textType()).create();
    t.add("id", 1, "payload", "{\"a\":1}").add("id", 2, "payload", "not json at all");
    List<Claim> claims = t.queue().claim(2);
    assertThat(claims.get(1).row().get("payload")).isEqualTo("not json at all");
    t.queue()
        .apply(List.of(new Change.Complete(claims.get(0)), new Change.Dead(claims.get(1), "bad")));
    assertThat(t.get(1, "payload")).isEqualTo("{\"a\":1}");
    assertThat(t.get(2, "payload")).isEqualTo("not json at all");
  }

  @Test
  default void p11_aListenerThatThrowsHurtsNobody() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    Queue queue =
        t.queue(
            q ->
                q.listener(
                    new Listener() {
                      @Override
                      public void claimed(String queue, List<Claim> claims, Duration took) {
                        throw new IllegalStateException("listener");
                      }

                      @Override
                      public void applied(String queue, Applied applied) {
                        throw new AssertionError("listener");
                      }
                    }));
    queue.complete(claim(queue));
    assertThat(t.state(1)).isEqualTo("done");
  }

  @Test
  default void p11_countsBeyondAnIntAreTakenForVeryMany() {
    TestTable t =
        table("jobs")
            .key("id")
            .state()
            .with(Role.TOKEN)
            .with(Role.ATTEMPTS, "attempts", db().bigintType() + " default 0 not null")
            .with(Role.MAX_ATTEMPTS, "max_attempts", db().bigintType())
            .create();
    t.add("id", 1, "max_attempts", Long.MAX_VALUE);
    t.add("id", 2, "attempts", 1L << 40, "max_attempts", Long.MAX_VALUE);
    t.rows(3, 3);
    List<Claim> claims = t.queue().claim(5);
    assertThat(keys(claims)).containsExactly(1L, 2L, 3L);
    assertThat(claims.get(0).attempt()).hasValue(1);
    assertThat(claims.stream().map(c -> t.queue().fail(t.queue().claim(c.token()), "x")))
        .containsOnly(Applied.Status.RETRYING);
    assertThat(t.number(2, "attempts")).isEqualTo((1L << 40) + 1);
  }

  @Test
  default void p11_everyKindOfColumnIsRead() {
    TestTable t =
        table("jobs")
            .key("id")
            .state()
            .read("a", db().intType())
            .read("b", db().decimalType(20, 4))
            .read("c", db().booleanType())
            .read("d", db().uuidType())
            .read("e", db().binaryType())
            .read("f", db().timestampType())
            .read("g", db().localTimestampType())
            .read("h", "date")
            .read("i", db().charType(5))
            .read("j", "double precision")
            .create();
    t.add("id", 1);
    t.add(
        "id",
        2,
        "a",
        7,
        "b",
        1.5,
        "c",
        true,
        "d",
        "1b4e28ba-2fa1-11d2-883f-0016d3cca427",
        "e",
        new TestTable.Raw(db().binary("00ff")),
        "f",
        db().pointInTime("2026-10-25 00:30:00"),
        "g",
        "2026-10-25 01:30:00",
        "h",
        "2026-02-28",
        "i",
        "ab",
        "j",
        0.25);
    List<Claim> claims = t.queue().claim(2);
    assertThat(claims).allMatch(c -> c.problem().isEmpty());
    assertThat(claims.get(0).row().values()).hasSize(10).containsOnlyNulls();
    Map<String, Object> row = claims.get(1).row();
    assertThat(row.get("a")).isEqualTo(7L);
    assertThat((java.math.BigDecimal) row.get("b")).isEqualByComparingTo("1.5");
    assertThat(row.get("c")).isEqualTo(true);
    assertThat(row.get("d")).isEqualTo(db().uuid("1b4e28ba-2fa1-11d2-883f-0016d3cca427"));
    assertThat(row.get("e")).isEqualTo(new byte[] {0, (byte) 0xff});
    assertThat(row.get("f"))
        .isEqualTo(db().timestamp(java.time.Instant.parse("2026-10-25T00:30:00Z")));
    assertThat(row.get("g")).isEqualTo(java.time.LocalDateTime.parse("2026-10-25T01:30:00"));
    assertThat(row.get("h")).isEqualTo(java.time.LocalDate.parse("2026-02-28"));
    assertThat(row.get("i")).isEqualTo("ab");
    assertThat(row.get("j")).isEqualTo(0.25);
    assertThat(row.keySet()).containsExactly("a", "b", "c", "d", "e", "f", "g", "h", "i", "j");
  }
}
