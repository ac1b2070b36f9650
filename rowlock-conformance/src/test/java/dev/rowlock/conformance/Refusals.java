package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.ConfigurationException;
import dev.rowlock.DatabaseException;
import dev.rowlock.Fault;
import dev.rowlock.Queue;
import dev.rowlock.conformance.kit.Faults;
import dev.rowlock.conformance.kit.Tap.Kind;
import dev.rowlock.conformance.kit.TestTable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** P14: what cannot be used is refused in one line with the reason. */
interface Refusals extends Suite {

  private static <T> T named(Class<T> type, Object real, String product) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, args) -> {
              if (method.getName().equals("getDatabaseProductName")) {
                return product;
              }
              Object result;
              try {
                result = method.invoke(real, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              return switch (method.getName()) {
                case "getConnection" ->
                    real instanceof DataSource ? named(Connection.class, result, product) : result;
                case "getMetaData" ->
                    result instanceof DatabaseMetaData
                        ? named(DatabaseMetaData.class, result, product)
                        : result;
                default -> result;
              };
            }));
  }

  @Test
  default void refuse_aDatabaseThatIsNotSupported() {
    TestTable t = table("jobs").full().create();
    for (String product :
        new String[] {"Informix", "Oracle", "SQLit", "PostgreSQLish", "H2O", ""}) {
      DataSource other = named(DataSource.class, bench().schema().dataSource(), product);
      assertThatThrownBy(() -> t.queue(other))
          .as(product)
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining(product)
          .hasMessageContainingAll("PostgreSQL 12 or newer", "H2 2.2.220 or newer");
    }
  }

  @Test
  default void refuse_aDatabaseThatCannotBeReached() {
    TestTable t = table("jobs").full().create();
    Faults faults = new Faults();
    DataSource away = bench().pool(faults);
    faults.instead(Kind.CONNECT, 1000, db().thrown(Fault.CONNECTION).get(0));
    assertThatThrownBy(() -> t.queue(away))
        .isInstanceOfSatisfying(
            DatabaseException.class, e -> assertThat(e.fault()).isEqualTo(Fault.CONNECTION))
        .hasMessageContaining("is the database running");
  }

  @Test
  default void refuse_everyMessageIsOneLine() {
    table("jobs").full().create();
    Throwable refused =
        org.assertj.core.api.Assertions.catchThrowable(
            () ->
                Queue.builder(
                        "articles",
                        bench().pool(),
                        dev.rowlock.Mapping.table("nowhere.jobs")
                            .key("id")
                            .state("state", "a", "b", "c")
                            .build())
                    .build());
    assertThat(refused).isInstanceOf(ConfigurationException.class);
    assertThat(refused.getMessage()).contains("nowhere.jobs").doesNotContain("\n");
  }
}
