package dev.rowlock.conformance;

import static dev.rowlock.conformance.kit.Answer.row;

import dev.rowlock.Claim;
import dev.rowlock.Fault;
import dev.rowlock.Listener;
import dev.rowlock.Mapping;
import dev.rowlock.Queue;
import dev.rowlock.Role;
import dev.rowlock.conformance.kit.Answer;
import dev.rowlock.conformance.kit.Answer.Row;
import dev.rowlock.conformance.kit.ScriptedServer;
import dev.rowlock.conformance.kit.ScriptedServer.Asked;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * The guide's table on a scripted SQL Server: the catalog is answered, the rest is each test's. The
 * fragments by which statements are told apart stand here alone.
 */
final class SqlServerScript implements AutoCloseable {
  static final String CLAIM = "UPDATE next";
  static final String COMPLETE_ONE = "SELECT 1 AS rowlock_n WHERE @@ROWCOUNT = 1";
  static final String WRITE_MANY = "DECLARE @current TABLE";
  static final String EXTEND = "DECLARE @extended TABLE";
  static final String STILL_HELD = "AS rowlock_held";
  static final String RECOVER = "DECLARE @ended TABLE";
  static final String ENQUEUE = "INSERT INTO [dbo].[Table_Queue]";
  private static final String LEFT = "AS rowlock_left";
  static final String SESSION_LEVEL = "sys.dm_exec_sessions";
  static final int SNAPSHOT = 4096;

  final ScriptedServer server = new ScriptedServer("Microsoft SQL Server");
  final List<Fault> retried = new CopyOnWriteArrayList<>();
  private final List<Row> columns = new ArrayList<>();
  private final List<Row> indexes = new ArrayList<>();
  private boolean versioned;

  SqlServerScript() {
    column("Id", "bigint", 8);
    column("Title", "nvarchar", 400);
    column("Status", "nvarchar", 40);
    column("ProcessingStartedAt", "datetime2", 8);
    column("RetryCount", "int", 4);
    column("ClaimNo", "bigint", 8);
    index(1, "PK", true, true, "Id");
    index(2, "IX_Queue_Status_Id", false, true, "Status", "Id");
  }

  /** A column, nullable if it may be NULL in the guide's table; replaces one of that name. */
  SqlServerScript column(String name, String type, int maxLength) {
    boolean nullable = List.of("Title", "ProcessingStartedAt").contains(name);
    int identity = name.equals("Id") && type.equals("bigint") ? 1 : 0;
    columns.removeIf(c -> c.get(0).equals(name));
    columns.add(
        row(name, type, maxLength, 0, type.equals("datetime2") ? 3 : 0, nullable, identity, 1, ""));
    return this;
  }

  SqlServerScript index(int id, String name, boolean unique, boolean rowLocks, String... on) {
    for (String column : on) {
      indexes.add(row(id, name, id == 1 ? 1 : 2, unique, false, null, rowLocks, column, false));
    }
    return this;
  }

  /** Nothing but the primary key. */
  SqlServerScript withoutIndexes() {
    indexes.removeIf(i -> !i.get(0).equals(1));
    return this;
  }

  SqlServerScript versioned() {
    versioned = true;
    return this;
  }

  static Mapping.Builder mapping() {
    return Mapping.table("dbo.Table_Queue")
        .key("Id")
        .state("Status", "Pending", "Processing", "Success")
        .column(Role.ATTEMPTS, "RetryCount")
        .column(Role.CLAIMED_AT, "ProcessingStartedAt")
        .column(Role.TOKEN, "ClaimNo")
        .read("Title");
  }

  Queue queue() {
    return queue(server.dataSource());
  }

  /** Looks at the table as scripted; what was asked for that is forgotten. */
  Queue queue(DataSource dataSource) {
    catalog();
    Queue queue =
        Queue.builder("work", dataSource, mapping().build())
            .listener(
                new Listener() {
                  @Override
                  public void retried(String queue, String operation, Fault fault, int attempt) {
                    retried.add(fault);
                  }
                })
            .build();
    server.forget();
    return queue;
  }

  private void catalog() {
    server
        .always("SERVERPROPERTY('EngineEdition')", Answer.of().rows(row(3, "16.0.4135.4")))
        .always("is_read_committed_snapshot_on", Answer.of().rows(row(versioned)))
        .always(
            "FROM sys.objects AS o",
            Answer.of().rows(row(5, "dbo", "Table_Queue", "U", false, 0, false)))
        .always("FROM sys.columns AS c", Answer.of().rows(columns.toArray(Row[]::new)))
        .always("FROM sys.indexes AS i", Answer.of().rows(indexes.toArray(Row[]::new)))
        .always("COUNT(DISTINCT x.v)", asked -> Answer.of().rows(row(asked.values().size())))
        .always("FROM sys.triggers AS g", Answer.of().rows())
        .always("FROM sys.security_policies AS p", Answer.of().rows())
        .always("SELECT SCHEMA_NAME()", Answer.of().rows(row("dbo")))
        .always("'Updateability'", Answer.of().rows(row("READ_WRITE")));
  }

  /** A row as a claim returns it: key, token and attempts as text, claimed-at, attempts, Title. */
  static Row taken(long id) {
    return taken(id, 1);
  }

  static Row taken(long id, int attempt) {
    return row(
        id,
        Integer.toString(attempt),
        Integer.toString(attempt),
        LocalDateTime.now(ZoneOffset.UTC),
        attempt,
        "title " + id);
  }

  /** Claims rows 1 to n, of which the server says so at once. */
  List<Claim> claimed(Queue queue, int n) {
    List<Row> rows = new ArrayList<>();
    for (long id = 1; id <= n; id++) {
      rows.add(taken(id));
    }
    server.once(CLAIM, Answer.of().count(n).rows(rows.toArray(Row[]::new)));
    List<Claim> claims = queue.claim(n);
    server.forget();
    return claims;
  }

  /** The server's answer to completions: every row that it is asked to complete is current. */
  Answer completed(Asked asked, int... countsBefore) {
    List<Long> keys = keys(asked);
    Answer answer = Answer.of();
    for (int count : countsBefore) {
      answer.count(count);
    }
    Row[] places = new Row[keys.size()];
    for (int i = 0; i < places.length; i++) {
      places[i] = row(i + 1);
    }
    return answer.rows(places).does("complete " + keys);
  }

  /** Of completions: Id and ClaimNo are the only bigint values, in turn. */
  static List<Long> keys(Asked asked) {
    List<Long> longs =
        asked.values().stream()
            .filter(v -> v.setter().equals("setLong"))
            .map(v -> (Long) v.value())
            .toList();
    return IntStream.range(0, longs.size() / 2).mapToObj(i -> longs.get(2 * i)).toList();
  }

  /**
   * What a worker asks all the time, answered after everything that is in the script already: no
   * more rows, leases are extended, and something is left until so many rows are completed.
   */
  void workerUntilCompleted(int rows) {
    server.always(CLAIM, Answer.of().count(0).rows());
    server.always(RECOVER, Answer.of().count(0).rows());
    server.always(EXTEND, SqlServerScript::extended);
    server.always(
        LEFT, asked -> completed().size() < rows ? Answer.of().rows(row(1)) : Answer.of().rows());
  }

  /** Of extensions: RetryCount is the only int value, one for each row. */
  private static Answer extended(Asked asked) {
    int rows = (int) asked.values().stream().filter(v -> v.setter().equals("setInt")).count();
    Row[] held = new Row[rows];
    for (int i = 0; i < rows; i++) {
      held[i] = row(i + 1, "1", "1", LocalDateTime.now(ZoneOffset.UTC));
    }
    return Answer.of().count(rows).rows(held);
  }

  /** The rows whose completion was committed, in the order of the commits. */
  List<Long> completed() {
    return server.done().stream()
        .filter(d -> d.startsWith("complete ["))
        .flatMap(d -> Arrays.stream(d.replaceAll("[^0-9,]", "").split(",")))
        .map(Long::valueOf)
        .toList();
  }

  static List<Long> ids(List<Claim> claims) {
    return claims.stream().map(c -> (Long) c.key().get("Id")).toList();
  }

  @Override
  public void close() {
    server.close();
  }
}
