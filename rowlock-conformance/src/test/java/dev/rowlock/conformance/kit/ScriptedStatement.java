package dev.rowlock.conformance.kit;

import dev.rowlock.conformance.kit.ScriptedServer.Bound;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.TreeMap;

/** A statement on a {@link ScriptedServer}, which gives results and errors as the driver does. */
final class ScriptedStatement implements InvocationHandler {
  private final ScriptedConnection connection;
  private final Connection owner;
  private final String sql;
  private final TreeMap<Integer, Bound> values = new TreeMap<>();
  private int timeout;
  private List<Answer.Part> parts = List.of();
  private Answer answer;
  private int at;

  ScriptedStatement(ScriptedConnection connection, Connection owner, String sql) {
    this.connection = connection;
    this.owner = owner;
    this.sql = sql;
  }

  PreparedStatement proxy() {
    return (PreparedStatement)
        Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {PreparedStatement.class}, this);
  }

  @Override
  public Object invoke(Object self, Method method, Object[] args) throws Throwable {
    String name = method.getName();
    if (name.equals("setQueryTimeout")) {
      timeout = (Integer) args[0];
      return null;
    }
    if (name.startsWith("set") && args.length == 2) {
      values.put((Integer) args[0], new Bound(name, args[1]));
      return null;
    }
    return switch (name) {
      case "execute" -> execute();
      case "executeQuery" -> {
        if (!execute()) {
          throw new SQLException("The statement did not return a result set.");
        }
        yield rows();
      }
      case "getMoreResults" -> more();
      case "getResultSet" -> rows();
      case "getUpdateCount" -> count();
      case "getConnection" -> owner;
      case "close" -> null;
      case "hashCode" -> System.identityHashCode(self);
      case "equals" -> self == args[0];
      case "toString" -> sql;
      default -> {
        String what = "PreparedStatement." + name + " says nothing reliable on SQL Server: " + sql;
        connection.server().problem(what);
        throw new UnsupportedOperationException(what);
      }
    };
  }

  private boolean execute() throws SQLException {
    long questions = questions(sql);
    if (values.size() != questions || (questions > 0 && values.lastKey() != questions)) {
      connection
          .server()
          .problem("%d values for %d question marks: %s".formatted(values.size(), questions, sql));
    }
    if (timeout <= 0) {
      connection.server().problem("no query timeout: " + sql);
    }
    answer = connection.run(sql, List.copyOf(values.values()));
    parts = answer.parts();
    at = 0;
    if (parts.stream().anyMatch(ScriptedStatement::undoes)) {
      connection.undone();
    } else {
      answer.effect().ifPresent(connection::succeeded);
    }
    return current();
  }

  /** An error undoes the statement; a lost connection only keeps its answer from arriving. */
  private static boolean undoes(Answer.Part part) {
    SQLException error =
        part instanceof Answer.Failure failure
            ? failure.error()
            : part instanceof Answer.Rows rows ? rows.error() : null;
    return error != null && !connectionLost(error);
  }

  private static boolean connectionLost(SQLException error) {
    return String.valueOf(error.getSQLState()).startsWith("08");
  }

  private boolean more() throws SQLException {
    at++;
    return current();
  }

  /** Whether the current result is rows; throws if it is an error. */
  private boolean current() throws SQLException {
    if (at >= parts.size()) {
      return false;
    }
    if (parts.get(at) instanceof Answer.Failure failure) {
      if (connectionLost(failure.error())) {
        connection.lost();
      }
      throw failure.error();
    }
    return parts.get(at) instanceof Answer.Rows;
  }

  private Object rows() {
    return ScriptedRows.of((Answer.Rows) parts.get(at));
  }

  private int count() {
    return at < parts.size() && parts.get(at) instanceof Answer.Count count ? count.rows() : -1;
  }

  /** Those outside of quotes, brackets and comments. */
  static long questions(String sql) {
    String bare =
        sql.replaceAll("--[^\n]*", "")
            .replaceAll("'(?:[^']|'')*'", "")
            .replaceAll("\\[(?:[^]]|]])*]", "")
            .replaceAll("\"(?:[^\"]|\"\")*\"", "");
    return bare.chars().filter(c -> c == '?').count();
  }
}
