package dev.rowlock.conformance.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import javax.sql.DataSource;

/**
 * A database that does only what a script says, behind JDBC: for answers that a real server gives
 * once in a thousand hours. It checks what it is asked: every statement must be in the script, have
 * a query timeout and as many values as question marks, and every connection comes back as it went.
 * Thread-safe.
 */
public final class ScriptedServer implements AutoCloseable {
  private final String product;
  private final List<Rule> rules = new ArrayList<>();
  private final List<Asked> asked = new CopyOnWriteArrayList<>();
  private final List<String> events = new CopyOnWriteArrayList<>();
  private final List<String> done = new CopyOnWriteArrayList<>();
  private final List<String> problems = new CopyOnWriteArrayList<>();
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger opened = new AtomicInteger();
  private final List<Lost> commits = new CopyOnWriteArrayList<>();
  private volatile int isolation = Connection.TRANSACTION_READ_COMMITTED;
  private volatile SQLException refusal;

  /** A value as it was bound. */
  public record Bound(String setter, Object value) {}

  /** A statement that was run. */
  public record Asked(
      String sql, List<Bound> values, boolean autoCommit, int isolation, int connection) {}

  /** A commit that fails, before or after it has happened. */
  record Lost(SQLException error, boolean afterwards) {}

  private record Rule(String fragment, Function<Asked, Answer> answer, AtomicInteger times) {}

  public ScriptedServer(String product) {
    this.product = product;
  }

  /** To the next statement with this text. Of several such lines the first is used first. */
  public ScriptedServer once(String fragment, Answer answer) {
    return rule(fragment, a -> answer, 1);
  }

  /** To the next statement with this text, made from what is asked. */
  public ScriptedServer once(String fragment, Function<Asked, Answer> answer) {
    return rule(fragment, answer, 1);
  }

  /** To every statement with this text that no line before it answers. */
  public ScriptedServer always(String fragment, Answer answer) {
    return rule(fragment, a -> answer, Integer.MAX_VALUE);
  }

  /** To every statement with this text, made from what is asked. */
  public ScriptedServer always(String fragment, Function<Asked, Answer> answer) {
    return rule(fragment, answer, Integer.MAX_VALUE);
  }

  private synchronized ScriptedServer rule(
      String fragment, Function<Asked, Answer> answer, int times) {
    rules.add(new Rule(fragment, answer, new AtomicInteger(times)));
    return this;
  }

  /** The connection breaks at the next commit, which has not happened. */
  public ScriptedServer breakAtCommit(SQLException error) {
    commits.add(new Lost(error, false));
    return this;
  }

  /** The next commit happens, but its answer does not arrive. */
  public ScriptedServer loseAnswerOfCommit(SQLException error) {
    commits.add(new Lost(error, true));
    return this;
  }

  /** The level at which new connections come. */
  public ScriptedServer isolation(int level) {
    isolation = level;
    return this;
  }

  /** No connection from now on; null for connections again. */
  public ScriptedServer refuse(SQLException error) {
    refusal = error;
    return this;
  }

  /** An error of the server, as the driver throws it. */
  public static SQLException error(int number, String message) {
    String state =
        switch (number) {
          case 1205 -> "40001";
          case 2601, 2627, 547, 515 -> "23000";
          case 8152, 2628 -> "22001";
          case 208 -> "S0002";
          default -> "S0001";
        };
    return new SQLException(message, state, number);
  }

  /** The driver's own end of a query timeout. */
  public static SQLException timeout() {
    return new SQLTimeoutException("The query has timed out.", "HY008", 0);
  }

  /** The connection is gone. */
  public static SQLException reset() {
    return new SQLException("Connection reset by peer", "08S01", 0);
  }

  /** Every statement so far. */
  public List<Asked> asked() {
    return List.copyOf(asked);
  }

  /** Every statement so far that has this text. */
  public List<Asked> asked(String fragment) {
    return asked.stream().filter(a -> a.sql().contains(fragment)).toList();
  }

  /** What was committed. */
  public List<String> done() {
    return List.copyOf(done);
  }

  /** What was done to connections: {@code "3 setTransactionIsolation 2"}. */
  public List<String> events() {
    return List.copyOf(events);
  }

  /** How many connections there were. */
  public int opened() {
    return opened.get();
  }

  /** Forgets what was asked, not the script. */
  public void forget() {
    asked.clear();
    events.clear();
  }

  /** Every connection is a new one. */
  public DataSource dataSource() {
    return dataSource(this::connect);
  }

  /** A pool of one: the same connection again and again. */
  public DataSource pool() throws SQLException {
    ScriptedConnection only = new ScriptedConnection(this, opened.incrementAndGet(), isolation);
    Connection physical = only.proxy();
    return dataSource(() -> only.lent(physical));
  }

  private interface Connector {
    Connection connect() throws SQLException;
  }

  private DataSource dataSource(Connector connector) {
    InvocationHandler handler =
        (self, method, args) ->
            switch (method.getName()) {
              case "getConnection" -> connector.connect();
              case "hashCode" -> System.identityHashCode(self);
              case "equals" -> self == args[0];
              case "toString" -> "scripted data source";
              default -> throw new UnsupportedOperationException(method.toString());
            };
    return (DataSource)
        Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {DataSource.class}, handler);
  }

  private Connection connect() throws SQLException {
    if (refusal != null) {
      throw refusal;
    }
    open.incrementAndGet();
    return new ScriptedConnection(this, opened.incrementAndGet(), isolation).proxy();
  }

  synchronized Answer answer(Asked question) {
    asked.add(question);
    for (Rule rule : rules) {
      if (question.sql().contains(rule.fragment()) && rule.times().get() > 0) {
        rule.times().decrementAndGet();
        return rule.answer().apply(question);
      }
    }
    problem("not in the script: " + question.sql());
    throw new AssertionError("not in the script: " + question.sql());
  }

  String product() {
    return product;
  }

  void event(int connection, String what) {
    events.add(connection + " " + what);
  }

  void committed(List<String> effects) {
    done.addAll(effects);
  }

  void problem(String text) {
    problems.add(text);
  }

  void closed() {
    open.decrementAndGet();
  }

  /** What the next commit does, null if it just works. */
  Lost nextCommit() {
    return commits.isEmpty() ? null : commits.remove(0);
  }

  /** Fails if something was asked that should not have been, or a connection is still out. */
  @Override
  public void close() {
    assertThat(problems).isEmpty();
    assertThat(open).as("open connections").hasValue(0);
  }
}
