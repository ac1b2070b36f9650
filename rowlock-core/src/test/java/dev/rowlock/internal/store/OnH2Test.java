package dev.rowlock.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Mapping;
import dev.rowlock.Queue;
import dev.rowlock.RowState;
import dev.rowlock.Verification;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The store on the embedded database: what only one kind of table can get wrong. */
class OnH2Test {
  private static final AtomicInteger NUMBERS = new AtomicInteger();

  private JdbcConnectionPool pool;

  @BeforeEach
  void open() {
    pool = JdbcConnectionPool.create("jdbc:h2:mem:store" + NUMBERS.incrementAndGet(), "sa", "");
    pool.setMaxConnections(2);
    pool.setLoginTimeout(3);
  }

  @AfterEach
  void close() {
    assertThat(pool.getActiveConnections()).isZero();
    pool.dispose();
  }

  private void sql(String... statements) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private Queue queue(Mapping.Builder mapping) {
    return Queue.builder("q", pool, mapping.build()).build();
  }

  @Test
  void verifyNeedsTwoConnections() throws SQLException {
    sql(
        "create table t (id int primary key, state varchar(20))",
        "create index t_claim on t (state, id)",
        "insert into t values (1, 'ready'), (2, 'ready')");
    Queue queue = queue(Mapping.table("t").key("id").state("state", "ready", "busy", "done"));
    for (int left = 2; left >= 1; left--) {
      Verification seen = queue.verify();
      assertThat(seen.safe()).as(seen.toString()).isTrue();
      assertThat(seen.conclusive()).isTrue();
      assertThat(seen.findings())
          .anySatisfy(f -> assertThat(f.text()).contains("the rows are as before"));
      assertThat(queue.stats().count(RowState.READY)).isEqualTo(left);
      sql("delete from t where id = " + left);
    }
  }
}
