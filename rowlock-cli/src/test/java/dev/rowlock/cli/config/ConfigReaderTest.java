package dev.rowlock.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.ConfigurationException;
import dev.rowlock.Mapping;
import dev.rowlock.Mode;
import dev.rowlock.OnDone;
import dev.rowlock.OrderBy;
import dev.rowlock.QueueBuilder;
import dev.rowlock.Role;
import dev.rowlock.State;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigReaderTest {
  private static final Variables VARIABLES =
      new Variables(Map.of("APP_PW", "s3cret", "EMPTY", "", "WORD", "null"));

  private static QueueConfig queue(String yaml) {
    ConfigFile file = new ConfigReader("rowlock.yaml").read(yaml);
    String name = file.names().get(0);
    return new QueueConfig(name, file.queue(name).orElseThrow(), VARIABLES);
  }

  private static State state(String state) {
    return queue(
            "queues: { q: { table: t, key: id, on-done: delete, state: { column: s, %s } } }"
                .formatted(state))
        .mapping()
        .state()
        .orElseThrow();
  }

  @Test
  void readsEveryKey() {
    QueueConfig config =
        queue(
            """
            database: { url: "jdbc:postgresql://localhost/app", user: app, password: "${APP_PW}" }
            queues:
              articles:
                table: public.article_claim_demo
                key: [tenant, id]
                state: { column: state, ready: ready, processing: processing, done: done, failed: ready, dead: dead }
                order: prio desc, id
                where: "lang = 'ru'"
                columns: { attempts: retry_count, claimed-at: processing_started_at, token: claim_no,
                           lease-until: locked_until, worker: locked_by, run-at: run_after, priority: prio,
                           group: author_id, error: last_error, max-attempts: max_tries, done-at: done_at, dead-at: dead_at }
                read: [title]
                write: [rendered_title]
                mode: transactional
                on-done: { archive: other_table }
                lease: 90s
                retry: { max-attempts: 7, initial: 2s, factor: 3, max: 10m, jitter: 0.5 }
                time-zone: Europe/Paris
            """);
    Mapping mapping = config.mapping();
    assertThat(mapping.table()).hasToString("public.article_claim_demo");
    assertThat(mapping.key()).containsExactly("tenant", "id");
    assertThat(mapping.state())
        .contains(
            State.of("state", "ready", "processing", "done").withFailed("ready").withDead("dead"));
    assertThat(mapping.order()).containsExactly(OrderBy.desc("prio"), OrderBy.asc("id"));
    assertThat(mapping.where()).contains("lang = 'ru'");
    assertThat(mapping.columns()).hasSize(12).containsEntry(Role.MAX_ATTEMPTS, "max_tries");
    assertThat(mapping.read()).containsExactly("title");
    assertThat(mapping.write()).containsExactly("rendered_title");
    assertThat(mapping.onDone()).isEqualTo(OnDone.archive("other_table"));
    assertThat(mapping.timeZone()).isEqualTo(ZoneId.of("Europe/Paris"));
    QueueBuilder builder =
        config.configure(dev.rowlock.Queue.builder("q", new JdbcDataSource(), mapping));
    assertThat(builder.mode()).isEqualTo(Mode.TRANSACTIONAL);
    assertThat(builder.lease()).isEqualTo(Duration.ofSeconds(90));
    assertThat(builder.retry())
        .isEqualTo(
            new dev.rowlock.RetryPolicy(7, Duration.ofSeconds(2), 3, Duration.ofMinutes(10), 0.5));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "no",
        "yes",
        "on",
        "off",
        "0",
        "1.0",
        "0777",
        "0x10",
        "1_000",
        "2024-01-01",
        "true",
        "12:30:45",
        "1e3"
      })
  void plainScalarsArriveAsTheyAreWritten(String text) {
    assertThat(state("ready: " + text).ready()).containsExactly(text);
  }

  @Test
  void plainNullIsSqlNullAndQuotedNullIsText() {
    assertThat(state("ready: null").ready()).isEqualTo(Arrays.asList((String) null));
    assertThat(state("ready: ~").ready()).isEqualTo(Arrays.asList((String) null));
    assertThat(state("ready: 'null'").ready()).containsExactly("null");
    assertThat(state("ready: [null, 'null', new]").ready()).containsExactly(null, "null", "new");
    assertThat(state("ready: ''").ready()).containsExactly("");
    assertThat(state("ready: '${WORD}'").ready()).containsExactly("null");
  }

  @Test
  void variablesAreFilledIn() {
    assertThat(state("ready: '${NONE:-new}'").ready()).containsExactly("new");
    assertThat(state("ready: 'a${EMPTY}b'").ready()).containsExactly("ab");
    assertThat(state("ready: '${EMPTY:-x}'").ready()).containsExactly("x");
    assertThat(state("ready: '$${APP_PW}'").ready()).containsExactly("${APP_PW}");
    assertThat(state("ready: '$5'").ready()).containsExactly("$5");
  }

  @Test
  void anchorsAndMergeKeysWork() {
    ConfigFile file =
        new ConfigReader("f")
            .read(
                """
                queues:
                  a: &a { table: a, key: id, state: { column: s, ready: r, processing: p, done: d } }
                  b: { <<: *a, table: b }
                """);
    Mapping b = new QueueConfig("b", file.queue("b").orElseThrow(), VARIABLES).mapping();
    assertThat(b.table()).hasToString("b");
    assertThat(b.key()).containsExactly("id");
  }

  @Test
  void anEmptyFileIsNoMistake() {
    assertThat(new ConfigReader("f").read("# nothing\n").queues()).isEmpty();
  }

  @Test
  void theDatabaseSectionIsFilledInOnlyWhenAsked() {
    ConfigFile file =
        new ConfigReader("f").read("database: { url: 'jdbc:h2:mem:x', password: '${GONE}' }");
    assertThat(file.database().url(VARIABLES)).contains("jdbc:h2:mem:x");
    assertThat(file.database().user(VARIABLES)).isEqualTo(Optional.empty());
    assertThatThrownBy(() -> file.database().password(VARIABLES))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(
            "f:1: database.password: environment variable GONE is not set; set it, or give a default: ${GONE:-default}");
  }

  static Stream<Arguments> mistakes() {
    String durations = "a duration such as 500ms, 30s, 5m, 2h, 1d or PT5M";
    String keys =
        "table, key, state, order, where, read, write, mode, on-done, lease, retry, time-zone, columns";
    return Stream.of(
        Arguments.of(
            "qeues: {}",
            "f:1: qeues: unknown key; did you mean 'queues'? allowed: database, queues"),
        Arguments.of("- a", "f:1: found a list; allowed: keys and values: database, queues"),
        Arguments.of(
            "database: x",
            "f:1: database: found 'x'; allowed: keys and values: url, user, password"),
        Arguments.of(
            "database:\n  pasword: x",
            "f:2: database.pasword: unknown key; did you mean 'password'? allowed: url, user, password"),
        Arguments.of("database:\n  url: [x]", "f:2: database.url: found a list; allowed: text"),
        Arguments.of(
            "queues: { q: { tabel: t } }",
            "f:1: queues.q.tabel: unknown key; did you mean 'table'? allowed: " + keys),
        Arguments.of(
            "queues: { q: { zzz: t } }", "f:1: queues.q.zzz: unknown key; allowed: " + keys),
        Arguments.of(
            "queues:\n  q:\n    lease: 5x",
            "f:3: queues.q.lease: found '5x'; allowed: " + durations + ", 1 ms or more"),
        Arguments.of(
            "queues:\n  q:\n    lease: 0s",
            "f:3: queues.q.lease: found '0s'; allowed: " + durations + ", 1 ms or more"),
        Arguments.of(
            "queues:\n  q:\n    lease:",
            "f:3: queues.q.lease: found nothing; allowed: " + durations + ", 1 ms or more"),
        Arguments.of(
            "queues:\n  q:\n    table: [a]",
            "f:3: queues.q.table: found a list; allowed: a table, or schema.table"),
        Arguments.of(
            "queues:\n  q:\n    key: { a: b }",
            "f:3: queues.q.key: found keys and values; allowed: a column, or a list of columns"),
        Arguments.of(
            "queues:\n  q:\n    key: [a, [b]]",
            "f:3: queues.q.key: found a list in the list; allowed: a column, or a list of columns"),
        Arguments.of(
            "queues:\n  q:\n    key: null",
            "f:3: queues.q.key: found null; allowed: a column, or a list of columns"),
        Arguments.of(
            "queues:\n  q:\n    state: ready",
            "f:3: queues.q.state: found 'ready'; allowed: keys and values: column, ready, processing, done, failed, dead"),
        Arguments.of(
            "queues:\n  q:\n    state: { done: null }",
            "f:3: queues.q.state.done: found null; allowed: a value of the state column"),
        Arguments.of(
            "queues:\n  q:\n    state: { redy: x }",
            "f:3: queues.q.state.redy: unknown key; did you mean 'ready'? allowed: column, ready, processing, done, failed, dead"),
        Arguments.of(
            "queues:\n  q:\n    columns:\n      lease_until: x",
            "f:4: queues.q.columns.lease_until: unknown key; did you mean 'lease-until'? allowed: attempts, max-attempts, claimed-at, lease-until, token, worker, run-at, priority, group, error, done-at, dead-at"),
        Arguments.of(
            "queues:\n  q:\n    columns: { token: [a] }",
            "f:3: queues.q.columns.token: found a list; allowed: a column"),
        Arguments.of(
            "queues:\n  q:\n    mode: leese",
            "f:3: queues.q.mode: found 'leese'; allowed: lease or transactional"),
        Arguments.of(
            "queues:\n  q:\n    on-done: drop",
            "f:3: queues.q.on-done: found 'drop'; allowed: update, delete, or { archive: TABLE }"),
        Arguments.of(
            "queues:\n  q:\n    on-done: { move: x }",
            "f:3: queues.q.on-done: found other keys; allowed: update, delete, or { archive: TABLE }"),
        Arguments.of(
            "queues:\n  q:\n    on-done: { archive: null }",
            "f:3: queues.q.on-done.archive: found null; allowed: a table, or schema.table"),
        Arguments.of(
            "queues:\n  q:\n    retry: { max-attempts: 0 }",
            "f:3: queues.q.retry.max-attempts: found '0'; allowed: a whole number, 1 or more"),
        Arguments.of(
            "queues:\n  q:\n    retry: { factor: fast }",
            "f:3: queues.q.retry.factor: found 'fast'; allowed: a number, 1 or more"),
        Arguments.of(
            "queues:\n  q:\n    retry: { jitter: 2 }",
            "f:3: queues.q.retry.jitter: found '2'; allowed: a number from 0 to 1"),
        Arguments.of(
            "queues:\n  q:\n    time-zone: Mars",
            "f:3: queues.q.time-zone: found 'Mars'; allowed: a time zone such as UTC or Europe/Paris"),
        Arguments.of("queues:\n  q: {}\n  q: {}", "f:3: key 'q' is given twice"),
        Arguments.of(
            "queues:\n  q: {\n",
            "f:3: is not YAML: expected the node content, but found '<stream end>'"),
        Arguments.of("queues: {}\n---\nqueues: {}", "f:2: is not YAML: but found another document"),
        Arguments.of(
            "queues:\n\tq: {}",
            "f:2: is not YAML: found character '\\t(TAB)' that cannot start any token. (Do not use \\t(TAB) for indentation)"));
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void aMistakeIsOneLine(String yaml, String message) {
    assertThatThrownBy(() -> new ConfigReader("f").read(yaml))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(message);
  }

  static Stream<Arguments> lateMistakes() {
    return Stream.of(
        Arguments.of(
            "{ key: id }",
            "queue 'q': no table; give table: TABLE in the configuration, or --table"),
        Arguments.of(
            "{ table: t, key: id, state: { column: s } }",
            "rowlock.yaml:1: queues.q.state.column: no ready value; give ready: VALUE (or a list, or null) in the configuration, or --ready"),
        Arguments.of(
            "{ table: t, key: id, state: { ready: r } }",
            "rowlock.yaml:1: queues.q.state.ready: there is no state column; give state: { column: COLUMN, … }, or --state COLUMN"),
        Arguments.of(
            "{ table: t, key: '${NOPE}' }",
            "rowlock.yaml:1: queues.q.key: environment variable NOPE is not set; set it, or give a default: ${NOPE:-default}"),
        Arguments.of(
            "{ table: t, key: '${no-pe}' }",
            "rowlock.yaml:1: queues.q.key: found '${no-pe}'; allowed: ${NAME} or ${NAME:-default}; write $${ where ${ itself is meant"),
        Arguments.of(
            "{ table: t, columns: { done-at: d } }",
            "table 't': no key column; give the columns that name a row, for example key: id"));
  }

  @ParameterizedTest
  @MethodSource("lateMistakes")
  void aMistakeInAQueueIsOneLine(String queue, String message) {
    assertThatThrownBy(() -> queue("queues: { q: %s }".formatted(queue)).mapping())
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(message);
  }

  @Test
  void aVariableThatDoesNotFitIsRefusedWhenItIsUsed() {
    QueueConfig config =
        queue("queues: { q: { table: t, key: id, columns: { done-at: d }, lease: '${APP_PW}' } }");
    assertThatThrownBy(
            () ->
                config.configure(
                    dev.rowlock.Queue.builder("q", new JdbcDataSource(), config.mapping())))
        .hasMessageStartingWith(
            "rowlock.yaml:1: queues.q.lease: found 's3cret'; allowed: a duration");
  }
}
