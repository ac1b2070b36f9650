package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.State;
import dev.rowlock.conformance.kit.TestTable;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values that drivers of MariaDB and MySQL read otherwise than the server compares them. */
interface MySqlKeys extends Suite {

  /** One driver makes .4000 of .004, the other leaves zeros out: such a row was never found. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "datetime(3) | 2026-01-01 01:02:03.000 | 2026-01-01 01:02:03.004",
        "datetime(2) | 2026-01-01 00:00:00.04 | 2026-01-01 00:00:00.40",
        "time(3) | 01:02:03.000 | 01:02:03.004",
        "timestamp(3) null | 2026-01-01 00:00:00.000 | 2026-01-01 01:02:03.004"
      })
  default void p13_timesAsKeys(String type, String first, String second) {
    if (type.startsWith("timestamp")) {
      needs(Facility.POINTS_IN_TIME);
    }
    String notNull = type.replace(" null", "") + " default '" + first + "'";
    TestTable t = table("jobs").key("k", notNull).state().with(Role.TOKEN, Role.ATTEMPTS).create();
    t.add("k", first);
    Queue queue = t.queue();
    assertThat(queue.enqueue(List.of(Map.of("k", second))))
        .as("the key that an insert tells")
        .allMatch(k -> queue.show(k).isPresent());
    List<Claim> claims = queue.claim(5);
    assertThat(claims).hasSize(2);
    List<Claim> passed = claims.stream().map(c -> queue.claim(c.token())).toList();
    assertThat(queue.apply(passed.stream().map(Change.Complete::new).toList()))
        .noneMatch(Applied::lost);
    assertThat(t.states()).isEqualTo(Map.of("done", 2L));
  }

  @Test
  default void p14_timesThatAreReadAreWhatTheyAre() {
    TestTable t = table("jobs").full().read("at", "datetime(3)").read("short", "time(3)").create();
    t.add("id", 1, "at", "2026-01-01 01:02:03.004", "short", "01:02:03.004");
    assertThat(claim(t.queue()).row())
        .isEqualTo(
            Map.of("at", LocalDateTime.parse("2026-01-01T01:02:03.004"), "short", "01:02:03.004"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"float", "float(10,2)", "bit(8)"})
  default void p13_keysByWhichARowCannotBeFoundAgainAreRefused(String type) {
    TestTable t = table("jobs").key("k", type).state().create();
    assertThatThrownBy(t::queue)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContainingAll("key column 'k' is " + type, "use a whole number");
  }

  @Test
  default void p14_enumValuesThatDifferInCaseAreRefused() {
    State state = State.of("st", "ready", "READY", "done");
    String type = "enum('ready', 'done') not null";
    TestTable t = table("jobs").key("id").state(state, type).create();
    assertThatThrownBy(t::queue)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContainingAll("'READY' stands twice", "'st'");
  }

  /** MariaDB's driver throws what a lost connection throws, and 45000 is every trigger's. */
  @Test
  default void p09_aTriggersRefusalIsNoLostConnection() {
    TestTable t = table("jobs").full().create().rows(1, 1);
    t.sql(
        "create trigger no before update on %s for each row signal sqlstate '45000' set message_text = 'not today'",
        t.name());
    Queue queue = t.queue();
    assertThatThrownBy(() -> queue.claim(1))
        .isInstanceOfSatisfying(
            DatabaseException.class, e -> assertThat(e.fault()).isEqualTo(Fault.OTHER))
        .hasMessageContaining("not today");
    assertThat(t.states()).isEqualTo(Map.of("ready", 1L));
  }
}
