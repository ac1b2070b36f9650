package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Change;
import dev.rowlock.conformance.kit.TestTable;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The suite on MySQL 8.0.12, nearly the oldest that Rowlock supports. */
class MySql8ConformanceTest extends MySqlConformance {

  MySql8ConformanceTest() {
    super(Databases.mySql());
  }

  @BeforeAll
  static void thereIsOneForThisPlatform() {
    MySqlServer.missing().ifPresent(Assumptions::abort);
  }

  /** What {@link Facility#CHECKS} is about: with MySQL 8.0.16 they came to be looked at. */
  @Test
  void p14_c022_aCheckConstraintIsForgottenByThisServer() {
    TestTable t =
        table("jobs")
            .full()
            .constraint("check (state in ('ready', 'processing'))")
            .create()
            .rows(1, 2);
    t.queue().complete(claim(t.queue()));
    t.queue().apply(new Change.Dead(claim(t.queue()), "refused"));
    assertThat(t.states()).isEqualTo(Map.of("done", 1L, "dead", 1L));
    assertThat(t.queue().verify().safe()).isTrue();
  }
}
