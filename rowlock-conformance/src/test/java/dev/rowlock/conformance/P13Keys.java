package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.Key;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.RowState;
import dev.rowlock.conformance.kit.TableSpec;
import dev.rowlock.conformance.kit.TestTable;
import dev.rowlock.conformance.kit.TestTable.Raw;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** P13: any key, of one or several columns. */
interface P13Keys extends Suite {

  /** A key type: how the column is made, three values in order, their Java form and their text. */
  enum KeyType {
    INT(TestDatabase::intType, "1", "2", "2147483647"),
    BIGINT(TestDatabase::bigintType, "-5", "2", "9223372036854775807"),
    NUMERIC(db -> db.decimalType(19, 0), "1", "9007199254740993", "1234567890123456789"),
    SCALED(db -> db.decimalType(10, 2), "1.50", "2.00", "10.25"),
    UUIDS(
        TestDatabase::uuidType,
        "00000000-0000-0000-0000-000000000001",
        "1b4e28ba-2fa1-11d2-883f-0016d3cca427",
        "7fffffff-ffff-ffff-ffff-ffffffffffff"),
    TEXT(TestDatabase::keyTextType, "a", "b'c\\d:e?", "ü 水 \uD83D\uDE00"),
    VARCHAR(db -> db.varcharType(40), "0", "00", "x y"),
    CHAR(db -> db.charType(20), "abc", "b c", "c\t"),
    BINARY(TestDatabase::binaryType, "00ff", "01", "7f00");

    final Function<TestDatabase, String> type;
    final List<String> texts;

    KeyType(Function<TestDatabase, String> type, String... texts) {
      this.type = type;
      this.texts = List.of(texts);
    }

    Object java(TestDatabase db, String text) {
      return switch (this) {
        case INT, BIGINT -> Long.valueOf(text);
        case NUMERIC, SCALED -> new BigDecimal(text);
        case UUIDS -> db.uuid(text);
        case BINARY -> HexFormat.of().parseHex(text);
        default -> text;
      };
    }

    Object literal(TestDatabase db, String text) {
      return switch (this) {
        case INT, BIGINT, NUMERIC, SCALED -> new Raw(text);
        case BINARY -> new Raw(db.binary(text));
        default -> text;
      };
    }
  }

  @ParameterizedTest
  @EnumSource(KeyType.class)
  default void p13_c028_aKeyOfThisType(KeyType type) {
    TestTable t = full("jobs").key("k", type.type.apply(db())).create();
    for (String text : type.texts) {
      t.add("k", type.literal(db(), text));
    }
    Queue queue = t.queue();
    List<Claim> claims = queue.claim(3);
    List<Key> wanted = type.texts.stream().map(queue::key).toList();
    assertThat(claims.stream().map(Claim::key)).containsExactlyElementsOf(wanted);
    assertThat(claims.get(1).key().get("k"))
        .isEqualTo(type.java(db(), type.texts.get(1)))
        .isInstanceOf(
            type.java(db(), "1".equals(type.texts.get(0)) ? "1" : type.texts.get(0)).getClass());
    List<Claim> passed = claims.stream().map(c -> queue.claim(c.token())).toList();
    assertThat(passed.stream().map(Claim::key)).containsExactlyElementsOf(wanted);
    assertThat(
            queue.apply(
                passed.stream().map(c -> new Change.Extend(c, Duration.ofHours(1))).toList()))
        .noneMatch(Applied::lost);
    queue.complete(passed.get(0));
    assertThat(
            queue.apply(
                List.of(new Change.Complete(passed.get(1)), new Change.Release(passed.get(2)))))
        .noneMatch(Applied::lost);
    assertThat(t.states()).isEqualTo(Map.of("done", 2L, "ready", 1L));
    assertThat(queue.show(wanted.get(0)).orElseThrow().state()).isEqualTo(RowState.DONE);
    assertThat(queue.list(RowState.DONE, 5).stream().map(r -> r.key()))
        .containsExactly(wanted.get(0), wanted.get(1));
    claim(queue);
    t.expireAll();
    assertThat(queue.recover(5).ready()).containsExactly(wanted.get(2));
    assertThat(claim(queue).key()).isEqualTo(wanted.get(2));
  }

  @ParameterizedTest
  @EnumSource(KeyType.class)
  default void p13_c028_aKeyOfThisTypeIsEnqueued(KeyType type) {
    TestTable t = full("jobs").key("k", type.type.apply(db())).create();
    List<Key> keys =
        t.queue()
            .enqueue(
                List.of(
                    Map.of("k", type.java(db(), type.texts.get(0))),
                    Map.of("k", type.java(db(), type.texts.get(1)))));
    assertThat(keys)
        .containsExactly(t.queue().key(type.texts.get(0)), t.queue().key(type.texts.get(1)));
    assertThat(t.queue().claim(5).stream().map(Claim::key)).containsExactlyElementsOf(keys);
  }

  private TableSpec full(String name) {
    return table(name)
        .state()
        .with(Role.TOKEN, Role.ATTEMPTS, Role.LEASE_UNTIL, Role.WORKER, Role.RUN_AT, Role.ERROR);
  }

  @Test
  default void p13_aKeyOfSeveralColumnsOfSeveralTypes() {
    TestTable t =
        full("jobs")
            .key("tenant", db().varcharType(20))
            .key("id", db().uuidType())
            .key("part", db().smallintType())
            .create();
    UUID id = UUID.fromString("1b4e28ba-2fa1-11d2-883f-0016d3cca427");
    t.queue()
        .enqueue(
            List.of(
                Map.of("tenant", "b", "id", id, "part", 1),
                Map.of("tenant", "a", "id", id, "part", 2),
                Map.of("tenant", "a", "id", id, "part", 1)));
    List<Claim> claims = t.queue().claim(3);
    assertThat(claims.stream().map(c -> c.key().toString()).toList())
        .containsExactly(
            "tenant=a, id=" + id + ", part=1",
            "tenant=a, id=" + id + ", part=2",
            "tenant=b, id=" + id + ", part=1");
    assertThat(claims.get(0).key()).isEqualTo(t.queue().key("a", id.toString(), "1"));
    t.queue().complete(t.queue().claim(claims.get(0).token()));
    assertThat(t.state(List.of("a", id.toString(), 1))).isEqualTo("done");
    assertThat(t.count("state", "processing")).as("no other row of the tenant").isEqualTo(2);
    t.queue()
        .apply(List.of(new Change.Complete(claims.get(1)), new Change.Dead(claims.get(2), "x")));
    assertThat(t.states()).isEqualTo(Map.of("done", 2L, "dead", 1L));
  }

  @Test
  default void p13_textThatIsNoKeyIsRefused() {
    TestTable t = table("jobs").full().create();
    assertThatThrownBy(() -> t.queue().key("abc"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("abc")
        .hasMessageContaining("id");
    assertThatThrownBy(() -> t.queue().key("1", "2")).isInstanceOf(ConfigurationException.class);
    assertThatThrownBy(() -> t.queue().key()).isInstanceOf(ConfigurationException.class);
  }

  @Test
  default void p13_aKeyThatIsNotThereIsNoRow() {
    TestTable t = table("jobs").full().create();
    assertThat(t.queue().show(t.queue().key("1"))).isEmpty();
    assertThat(t.queue().resetUnfenced(List.of(t.queue().key("1")))).isEmpty();
  }
}
