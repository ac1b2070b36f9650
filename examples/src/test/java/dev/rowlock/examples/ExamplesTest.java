package dev.rowlock.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.Mapping;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.RowState;
import dev.rowlock.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Runs what the documentation shows. */
class ExamplesTest {
  private JdbcConnectionPool pool;

  @BeforeEach
  void start() {
    pool =
        JdbcConnectionPool.create(
            "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
  }

  @AfterEach
  void stop() {
    pool.dispose();
  }

  private void articles() throws SQLException {
    execute(
        "CREATE TABLE article_claim_demo (id INT PRIMARY KEY, title VARCHAR(100), state VARCHAR(20)"
            + " DEFAULT 'ready', rendered_title VARCHAR(100), claim_no BIGINT DEFAULT 0 NOT NULL,"
            + " locked_until TIMESTAMP WITH TIME ZONE)",
        "CREATE INDEX article_claim ON article_claim_demo (state, id)",
        "INSERT INTO article_claim_demo (id, title) VALUES (1, 'the land girls'), (2, 'slam')");
  }

  private Queue articleQueue() {
    Mapping mapping =
        Mapping.table("article_claim_demo")
            .key("id")
            .state("state", "ready", "processing", "done")
            .column(Role.TOKEN, "claim_no")
            .column(Role.LEASE_UNTIL, "locked_until")
            .write("rendered_title")
            .build();
    return Queue.builder("articles", pool, mapping).build();
  }

  @Test
  void readme() throws Exception {
    articles();
    Articles.renderAll(pool);
    assertThat(
            number(
                "SELECT COUNT(*) FROM article_claim_demo WHERE state = 'done' AND rendered_title = UPPER(title)"))
        .isEqualTo(2);
  }

  @Test
  void byHand() throws Exception {
    articles();
    assertThat(ByHand.one(articleQueue())).isTrue();
    assertThat(
            number(
                "SELECT COUNT(*) FROM article_claim_demo WHERE rendered_title = 'THE LAND GIRLS'"))
        .isEqualTo(1);
    ByHand.enqueue(pool, articleQueue());
    assertThat(ByHand.batch(articleQueue())).isZero();
    assertThat(articleQueue().stats().count(RowState.DONE)).isEqualTo(3);
  }

  private void payments() throws SQLException {
    execute(
        "CREATE TABLE payment_inbox (id INT PRIMARY KEY, amount INT, processed_at TIMESTAMP WITH TIME ZONE,"
            + " attempts INT DEFAULT 0 NOT NULL, last_error VARCHAR(200), dead_at TIMESTAMP WITH TIME ZONE,"
            + " locked_until TIMESTAMP WITH TIME ZONE, claim_no BIGINT DEFAULT 0 NOT NULL)",
        "CREATE TABLE booking (payment INT PRIMARY KEY, amount INT)",
        "INSERT INTO payment_inbox (id, amount) VALUES (1, 10), (2, 20), (3, 30)");
  }

  @Test
  void transactional() throws Exception {
    payments();
    Payments payments = new Payments(pool);
    try (Worker worker =
        payments.inbox().worker(payments::bookInTheClaimsTransaction).threads(2).start()) {
      assertThat(worker.awaitEmpty(Duration.ofSeconds(30))).isTrue();
    }
    assertThat(number("SELECT SUM(amount) FROM booking")).isEqualTo(60);
    assertThat(number("SELECT COUNT(*) FROM payment_inbox WHERE processed_at IS NULL")).isZero();
  }

  @Test
  void callersTransaction() throws Exception {
    payments();
    Payments payments = new Payments(pool);
    Mapping mapping =
        Mapping.table("payment_inbox")
            .key("id")
            .column(Role.DONE_AT, "processed_at")
            .column(Role.LEASE_UNTIL, "locked_until")
            .column(Role.TOKEN, "claim_no")
            .read("amount")
            .build();
    Queue queue = Queue.builder("payments", pool, mapping).build();
    try (Worker worker = queue.worker(payments::book).threads(2).start()) {
      assertThat(worker.awaitEmpty(Duration.ofSeconds(30))).isTrue();
    }
    assertThat(number("SELECT SUM(amount) FROM booking")).isEqualTo(60);
  }

  private Queue everything() throws SQLException {
    execute(
        "CREATE SCHEMA app",
        "CREATE TABLE app.article (tenant INT, id INT, title VARCHAR(100), lang VARCHAR(2) DEFAULT 'ru',"
            + " state VARCHAR(20) DEFAULT 'ready', rendered_title VARCHAR(100), claim_no BIGINT DEFAULT 0,"
            + " locked_until TIMESTAMP WITH TIME ZONE, locked_by VARCHAR(60), tries INT DEFAULT 0,"
            + " max_tries INT, run_after TIMESTAMP WITH TIME ZONE, prio INT, author INT,"
            + " last_error VARCHAR(200), done_at TIMESTAMP WITH TIME ZONE, PRIMARY KEY (tenant, id))",
        "INSERT INTO app.article (tenant, id, title) VALUES (1, 1, 'good'), (1, 2, 'broken'),"
            + " (1, 3, 'busy'), (1, 4, 'early'), (1, 5, 'else')",
        "INSERT INTO app.article (tenant, id, title, lang) VALUES (1, 6, 'good', 'en')");
    return Recipes.patient(pool, Recipes.everything());
  }

  @Test
  void recipes() throws Exception {
    Queue queue = everything();
    assertThat(Recipes.check(queue)).isTrue();
    try (Worker worker = Recipes.worker(queue, pool)) {
      assertThat(worker.awaitEmpty(Duration.ofSeconds(2))).isFalse();
      assertThat(worker.counts().completed()).isEqualTo(1);
      assertThat(worker.counts().dead()).isEqualTo(1);
      assertThat(worker.counts().snoozed()).isEqualTo(1);
      assertThat(worker.counts().retried()).isEqualTo(2);
    }
    assertThat(queue.stats().count(RowState.DONE)).isEqualTo(1);
    assertThat(queue.stats().count(RowState.DEAD)).isEqualTo(1);
    assertThat(queue.stats().count(RowState.SCHEDULED)).isEqualTo(3);
    assertThat(queue.stats().count(RowState.OTHER)).isEqualTo(1);
    assertThat(number("SELECT COUNT(*) FROM app.article WHERE state = 'again'")).isEqualTo(2);
  }

  @Test
  void visibility() throws Exception {
    execute(
        "CREATE TABLE message (id INT PRIMARY KEY, body VARCHAR(100), receipt BIGINT DEFAULT 0 NOT NULL,"
            + " visible_at TIMESTAMP WITH TIME ZONE)",
        "INSERT INTO message (id, body) VALUES (1, 'a'), (2, 'b')");
    Queue queue = Recipes.told(pool, Recipes.visibilityTimeout());
    assertThat(queue.claim(1)).hasSize(1);
    try (Worker worker = queue.worker(Recipes::steps).start()) {
      assertThat(worker.awaitEmpty(Duration.ofSeconds(1))).isFalse();
    }
    assertThat(number("SELECT COUNT(*) FROM message")).isEqualTo(1);
  }

  private void execute(String... statements) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private long number(String sql) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
