package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Applied;
import dev.rowlock.Change;
import dev.rowlock.Claim;
import dev.rowlock.Queue;
import dev.rowlock.conformance.kit.TableSpec;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.junit.jupiter.api.Assumptions;

/**
 * What every part of the suite builds on. The parts are interfaces, one or two for each promise of
 * the design; their tests are named by promise (p05), by the public failure that they rule out
 * (c139), and by what they show.
 */
interface Suite {

  /** What the running test has for itself. */
  Bench bench();

  default TestDatabase db() {
    return bench().db();
  }

  /** Ends a test, as skipped and with the reason, where the database lacks what it needs. */
  default void needs(Facility facility) {
    db().lacks(facility)
        .ifPresent(reason -> Assumptions.abort(db().name() + ", " + facility + ": " + reason));
  }

  default TableSpec table(String name) {
    return bench().table(name);
  }

  /** Claims one row, which must be there. */
  default Claim claim(Queue queue) {
    List<Claim> claims = queue.claim(1);
    assertThat(claims).hasSize(1);
    return claims.get(0);
  }

  /** The single key values of claims, in their order. */
  default List<Object> keys(List<Claim> claims) {
    return claims.stream()
        .map(c -> c.key().values().values().iterator().next())
        .collect(Collectors.toList());
  }

  /** Something done in a transaction of the test. */
  interface Work<T> {
    T in(Connection connection) throws SQLException;
  }

  /** Runs work in a transaction that commits. */
  default <T> T committed(Work<T> work) {
    return transaction(bench().schema().dataSource(), true, work);
  }

  /** Runs work in a transaction that rolls back. */
  default <T> T rolledBack(Work<T> work) {
    return transaction(bench().schema().dataSource(), false, work);
  }

  /** Carries changes out in a transaction of the test that commits. */
  default List<Applied> applyInTransaction(Queue queue, List<? extends Change> changes) {
    return committed(c -> queue.apply(c, changes));
  }

  private static <T> T transaction(DataSource dataSource, boolean commit, Work<T> work) {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      try {
        T result = work.in(connection);
        if (commit) {
          connection.commit();
        }
        return result;
      } finally {
        connection.rollback();
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The database's clock. */
  default Instant dbNow() {
    return instant("select " + db().now());
  }

  /** The one point in time that a query returns. */
  default Instant instant(String sql) {
    try (Connection connection = bench().schema().dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return db().instant(result, 1);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** An open transaction of somebody else; close it to roll back. */
  default OpenTransaction open() {
    return bench().closing(new OpenTransaction(bench().schema().dataSource()));
  }
}
