package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The databases are there, and are what they say. */
class DatabasesStartTest {

  @Test
  void oneOfEach() {
    assertThat(Databases.postgresNewest().name()).startsWith("PostgreSQL 18");
    assertThat(Databases.postgresOldest().name()).startsWith("PostgreSQL 12");
    assertThat(Databases.postgresNewest()).isSameAs(Databases.postgresNewest());
  }

  @ParameterizedTest
  @MethodSource("dev.rowlock.conformance.Databases#all")
  void answers(TestDatabase database) {
    try (database;
        Schema schema = database.fresh()) {
      assertThat((String) schema.value(database.versionQuery()))
          .contains(database.name().split(" ")[1]);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rowlock.conformance.Databases#all")
  void everyTypeCanBeUsed(TestDatabase database) {
    try (database;
        Schema schema = database.fresh()) {
      schema.execute(
          "create table t (id %s primary key, a %s, b %s, c %s, d %s, e %s, f %s, g %s, h %s, i %s, j %s)"
              .formatted(
                  database.identityType(),
                  database.timestampType(),
                  database.localTimestampType(),
                  database.textType(),
                  database.varcharType(20),
                  database.intType(),
                  database.bigintType(),
                  database.decimalType(20, 4),
                  database.booleanType(),
                  database.uuidType(),
                  database.binaryType()),
          "insert into t (a, c, d) values (" + database.now() + ", 'für 水', 'x')");
      assertThat(schema.query("select id, c from t")).containsExactly(List.of(1L, "für 水"));
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rowlock.conformance.Databases#all")
  void schemasDoNotSeeEachOther(TestDatabase database) {
    try (database;
        Schema one = database.fresh();
        Schema other = database.fresh()) {
      one.execute("create table t (id integer)", "insert into t values (1)");
      other.execute("create table t (id integer)");
      assertThat(one.count("t")).isEqualTo(1);
      assertThat(other.count("t")).isZero();
      assertThatThrownBy(() -> one.execute("select * from nowhere"))
          .hasMessageContaining("nowhere");
    }
  }
}
