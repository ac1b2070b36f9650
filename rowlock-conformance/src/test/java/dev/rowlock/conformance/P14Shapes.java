package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.ConfigurationException;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.State;
import dev.rowlock.conformance.kit.TestTable;
import java.util.List;
import org.junit.jupiter.api.Test;

/** P14: any table shape, or a clear no with the reason and the fix. */
interface P14Shapes extends Suite {

  @Test
  default void p14_c030_aKeyThatIsNotUniqueIsRefused() {
    TestTable t = table("jobs").key("id").state().withoutPrimaryKey().create();
    t.add("id", 1).add("id", 1);
    assertThatThrownBy(t::queue)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("id")
        .hasMessageContaining("unique");
    assertThat(t.count("state", "ready")).isEqualTo(2);
  }

  @Test
  default void p14_c030_aUniqueKeyThatMayBeNullIsRefused() {
    TestTable t =
        table("jobs")
            .column("id", db().bigintType())
            .state()
            .map(m -> m.key("id"))
            .constraint("unique (" + db().quote("id") + ")")
            .create();
    assertThatThrownBy(t::queue)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("id")
        .hasMessageContaining("NOT NULL");
  }

  @Test
  default void p14_aUniqueColumnBesideThePrimaryKeyIsAKeyToo() {
    TestTable t =
        table("jobs")
            .key("code", db().varcharType(10))
            .column("id", db().bigintType() + " primary key")
            .state()
            .withoutPrimaryKey()
            .constraint("unique (" + db().quote("code") + ")")
            .create();
    t.add("id", 1, "code", "b").add("id", 2, "code", "a");
    assertThat(keys(t.queue().claim(5))).containsExactly("a", "b");
  }

  @Test
  default void p14_c030_aKeyThatIsOnlyAPartOfThePrimaryKeyIsRefused() {
    table("jobs").key("tenant", db().intType()).key("id").state().create();
    assertThatThrownBy(
            () ->
                Queue.builder(
                        "test",
                        bench().pool(),
                        dev.rowlock.Mapping.table("jobs")
                            .key("id")
                            .state("state", "ready", "processing", "done")
                            .build())
                    .build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("unique");
  }

  @Test
  default void p14_c033_generatedColumnsAreReadAndNeverWritten() {
    TestTable t =
        table("jobs")
            .full()
            .column("a", db().intType())
            .read("twice", generated("2 * " + db().quote("a")))
            .create();
    t.add("id", 1, "a", 21);
    Claim claim = claim(t.queue());
    assertThat(claim.row().get("twice")).isEqualTo(42L);
    t.queue().complete(claim);
    assertThat(t.number(1, "twice")).isEqualTo(42);
    t.queue().enqueue(List.of(java.util.Map.of("id", 2, "a", 4)));
    assertThat(t.number(2, "twice")).isEqualTo(8);
  }

  /** A generated column of type int. */
  private String generated(String expression) {
    return db().generated(db().intType(), expression);
  }

  @Test
  default void p14_c033_aGeneratedColumnCannotBeMappedToBeWritten() {
    TestTable t =
        table("jobs")
            .key("id")
            .state()
            .column("a", db().intType())
            .with(Role.ATTEMPTS, "tries", generated("2 * " + db().quote("a")))
            .create();
    assertThatThrownBy(t::queue)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("tries")
        .hasMessageContaining("generated");
  }

  @Test
  default void p14_columnsOfWrongTypesAreRefusedWithWhatTheyMustBe() {
    record Case(Role role, String type, String wanted) {}
    for (Case c :
        List.of(
            new Case(Role.LEASE_UNTIL, db().varcharType(20), "timestamp"),
            new Case(Role.RUN_AT, "date", "timestamp"),
            new Case(Role.TOKEN, db().textType(), "number"),
            new Case(Role.ATTEMPTS, db().booleanType(), "number"),
            new Case(Role.WORKER, db().intType(), "text"),
            new Case(Role.WORKER, db().varcharType(3), "8 characters"),
            new Case(Role.ERROR, db().intType(), "text"))) {
      TestTable t =
          table("jobs_" + c.role.label() + c.type)
              .key("id")
              .state()
              .with(c.role, "col", c.type)
              .create();
      assertThatThrownBy(t::queue)
          .as("%s", c)
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("col")
          .hasMessageContaining(c.role.label())
          .hasMessageContaining(c.wanted);
    }
  }

  @Test
  default void p14_c034_aViewIsWorkedOrRefusedWithTheReason() {
    TestTable t = table("jobs").full().column("kind", db().intType()).create();
    t.add("id", 1, "kind", 1).add("id", 2, "kind", 2);
    String view = db().quote("jobs_of_kind_1");
    t.sql(
        "create view "
            + view
            + " as select * from "
            + t.name()
            + " where "
            + db().quote("kind")
            + " = 1");
    Queue queue;
    try {
      queue =
          Queue.builder(
                  "test",
                  bench().pool(),
                  dev.rowlock.Mapping.table("jobs_of_kind_1")
                      .key("id")
                      .state("state", "ready", "processing", "done")
                      .column(Role.TOKEN, "claim_no")
                      .build())
              .build();
    } catch (ConfigurationException e) {
      assertThat(e).hasMessageContaining("view").hasMessageContaining("table under it");
      return;
    }
    List<Claim> claims = queue.claim(5);
    assertThat(keys(claims)).containsExactly(1L);
    queue.complete(claims.get(0));
    assertThat(t.state(1)).isEqualTo("done");
    assertThat(t.state(2)).isEqualTo("ready");
  }

  @Test
  default void p14_anExtraPredicateKeepsOtherRowsOut() {
    TestTable t =
        table("jobs")
            .full()
            .column("lang", db().varcharType(5))
            .map(
                m -> m.where(db().quote("lang") + " = 'ru' or " + db().quote("lang") + " = 'a:b?'"))
            .create();
    t.add("id", 1, "lang", "en")
        .add("id", 2, "lang", "ru")
        .add("id", 3)
        .add("id", 4, "lang", "a:b?");
    assertThat(keys(t.queue().claim(5))).containsExactly(2L, 4L);
    assertThat(t.state(1)).isEqualTo("ready");
    assertThat(t.queue().stats().count(dev.rowlock.RowState.OTHER)).isEqualTo(2);
    assertThat(t.queue().stats().count(dev.rowlock.RowState.READY)).isZero();
  }

  @Test
  default void p14_anExtraPredicateMayHaveLinesAndComments() {
    String lang = db().quote("lang");
    String predicate =
        "%s = 'two\n\n  lines' -- the first language\n  or /* the other */ %s = 'ru' -- it's Russian"
            .formatted(lang, lang);
    TestTable t =
        table("jobs")
            .full()
            .with(Role.GROUP)
            .column("lang", db().varcharType(20))
            .map(m -> m.where(predicate))
            .create();
    t.add("id", 1, "lang", "two\n\n  lines", "grp", "a");
    t.add("id", 2, "lang", "two lines").add("id", 3, "lang", "ru", "grp", "a");
    assertThat(t.queue().stats().count(dev.rowlock.RowState.READY)).isEqualTo(2);
    assertThat(t.queue().stats().count(dev.rowlock.RowState.OTHER)).isEqualTo(1);
    Claim first = claim(t.queue());
    assertThat(first.key()).isEqualTo(t.queue().key("1"));
    t.queue().complete(first);
    assertThat(keys(t.queue().claim(5))).containsExactly(3L);
    assertThat(t.queue().list(dev.rowlock.RowState.OTHER, 5)).hasSize(1);
    assertThat(t.queue().drained()).isFalse();
  }

  /** A foreign key to another table's id. */
  private String reference(String column, TestTable to) {
    return "foreign key (%s) references %s (%s)"
        .formatted(db().quote(column), to.name(), db().quote("id"));
  }

  @Test
  default void p14_c036_foreignKeysInBothDirections() {
    TestTable parents = table("parents").key("id").state().create().rows(1, 1);
    TestTable t =
        table("jobs")
            .full()
            .column("parent", db().bigintType())
            .constraint(reference("parent", parents))
            .create();
    t.add("id", 1, "parent", 1);
    table("children")
        .key("id")
        .state()
        .column("job", db().bigintType())
        .constraint(reference("job", t))
        .create()
        .add("id", 1, "job", 1);
    Claim job = claim(t.queue());
    Claim parent = claim(parents.queue());
    t.queue().complete(job);
    parents.queue().complete(parent);
    assertThat(t.state(1)).isEqualTo("done");
    assertThat(parents.state(1)).isEqualTo("done");
  }

  @Test
  default void p14_deletingARowThatOthersReferToIsRefusedAndSaysSo() {
    TestTable t =
        table("jobs").full().map(m -> m.onDone(dev.rowlock.OnDone.delete())).create().rows(1, 1);
    table("children")
        .key("id")
        .state()
        .column("job", db().bigintType())
        .constraint(reference("job", t))
        .create()
        .add("id", 1, "job", 1);
    Claim claim = claim(t.queue());
    assertThatThrownBy(() -> t.queue().apply(new Change.Complete(claim)))
        .isInstanceOfSatisfying(
            dev.rowlock.DatabaseException.class,
            e -> assertThat(e.fault()).isEqualTo(dev.rowlock.Fault.CONSTRAINT));
    assertThat(t.state(1)).isEqualTo("processing");
  }

  @Test
  default void p14_leaseModeNeedsAMarkOfTheClaim() {
    TestTable t = table("outbox").key("id").with(Role.DONE_AT).create();
    assertThatThrownBy(t::queue)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("lease-until")
        .hasMessageContaining("transactional");
    TestTable noProcessing =
        table("jobs")
            .key("id")
            .state(
                new State(
                    "state",
                    List.of("ready"),
                    java.util.Optional.empty(),
                    java.util.Optional.of("done"),
                    java.util.Optional.empty(),
                    java.util.Optional.empty()))
            .create();
    assertThatThrownBy(noProcessing::queue)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("processing");
  }
}
