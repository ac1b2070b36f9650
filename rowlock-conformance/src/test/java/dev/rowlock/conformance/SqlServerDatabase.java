package dev.rowlock.conformance;

import com.microsoft.sqlserver.jdbc.SQLServerDataSource;
import dev.rowlock.Fault;
import dev.rowlock.conformance.kit.Faults;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * The SQL Server that {@code ROWLOCK_TEST_SQLSERVER_URL} names. A session has no current schema
 * there, so that each test gets a database of its own, {@code rowlock_test_…}; they are emptied,
 * used again, and dropped when the JVM ends. The user must be allowed to create databases.
 *
 * <p>The databases have READ_COMMITTED_SNAPSHOT on, so that the tests can look at rows that are
 * locked; {@code ROWLOCK_TEST_SQLSERVER_SNAPSHOT=off} leaves it off.
 */
final class SqlServerDatabase implements TestDatabase {
  /** What its variables are called by. */
  static final String NAME = "SQLSERVER";

  /** The names that Windows has for the zones of the tests. */
  private static final Map<String, String> ZONES =
      Map.of(
          "Europe/Berlin", "W. Europe Standard Time",
          "America/New_York", "Eastern Standard Time",
          "Asia/Kathmandu", "Nepal Standard Time",
          "Asia/Kolkata", "India Standard Time",
          "Pacific/Auckland", "New Zealand Standard Time");

  private final ExternalServer server;
  private final String prefix =
      "rowlock_test_" + UUID.randomUUID().toString().substring(0, 8) + "_";
  private final AtomicInteger databases = new AtomicInteger();
  private final Queue<String> free = new ConcurrentLinkedQueue<>();
  private String name;

  /** Held while the class that first asks is initialized: one for each JVM. */
  private static final class Shared {
    static final SqlServerDatabase DATABASE = new SqlServerDatabase(ExternalServer.named(NAME));
  }

  private SqlServerDatabase(ExternalServer server) {
    this.server = server;
    Runtime.getRuntime().addShutdownHook(new Thread(this::dropAll));
  }

  /** The server, which may not answer. */
  static SqlServerDatabase shared() {
    return Shared.DATABASE;
  }

  /** Fails clearly if it cannot be reached. */
  void reach() {
    try (Connection connection = server.connect()) {
      name = "SQL Server " + connection.getMetaData().getDatabaseProductVersion();
    } catch (SQLException e) {
      throw new IllegalStateException(server + " names a server that does not answer", e);
    }
  }

  @Override
  public String name() {
    return name == null ? "SQL Server" : name;
  }

  @Override
  public DataSource dataSource() {
    return source(null);
  }

  /** A database of the server, null for the one that the URL names. */
  SQLServerDataSource source(String database) {
    SQLServerDataSource source = new SQLServerDataSource();
    source.setURL(server.url());
    server.user().ifPresent(source::setUser);
    server.password().ifPresent(source::setPassword);
    if (database != null) {
      source.setDatabaseName(database);
    }
    return source;
  }

  @Override
  public Schema fresh() {
    String database = free.poll();
    if (database == null) {
      database = prefix + databases.incrementAndGet();
      Schema.run(dataSource(), "create database " + quote(database));
      if (!server.setting("SNAPSHOT").orElse("on").equals("off")) {
        readersSeeWhatIsCommitted(database);
      }
    }
    return new Schema(this, database, source(database));
  }

  private void readersSeeWhatIsCommitted(String database) {
    if (!"1"
        .equals(
            first(
                "select is_read_committed_snapshot_on from sys.databases where name = N'"
                    + database
                    + "'"))) {
      Schema.run(
          dataSource(),
          "alter database "
              + quote(database)
              + " set read_committed_snapshot on with rollback immediate",
          "alter database " + quote(database) + " set allow_snapshot_isolation on");
    }
  }

  private String first(String sql) {
    try (Connection connection = dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      return result.next() ? result.getString(1) : "";
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** Takes out all that a test has made: what refers to something else before that. */
  @Override
  public void drop(Schema schema) {
    // What depends on something goes before it.
    String names =
        """
        select 1, quotename(s.name) + '.' + quotename(t.name), k.name
        from sys.foreign_keys k join sys.tables t on t.object_id = k.parent_object_id
          join sys.schemas s on s.schema_id = t.schema_id
        union all select 2, quotename(s.name) + '.' + quotename(v.name), ''
        from sys.views v join sys.schemas s on s.schema_id = v.schema_id
        where s.name not in ('sys', 'INFORMATION_SCHEMA')
        union all select 3, quotename(s.name) + '.' + quotename(t.name), ''
        from sys.tables t join sys.schemas s on s.schema_id = t.schema_id
        """;
    try (Connection connection = schema.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      Map<Integer, List<String>> statements = new TreeMap<>();
      try (ResultSet row = statement.executeQuery(names)) {
        while (row.next()) {
          String sql =
              switch (row.getInt(1)) {
                case 1 -> "alter table %s drop constraint " + quote(row.getString(3));
                case 2 -> "drop view %s";
                default -> "drop table %s";
              };
          statements
              .computeIfAbsent(row.getInt(1), n -> new ArrayList<>())
              .add(sql.formatted(row.getString(2)));
        }
      }
      for (List<String> some : statements.values()) {
        for (String sql : some) {
          statement.execute(sql);
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(schema.name() + " cannot be emptied", e);
    }
    free.add(schema.name());
  }

  /** A schema is dropped empty. */
  @Override
  public AutoCloseable createSchema(Schema beside, String name) {
    beside.execute("create schema " + quote(name));
    return () -> {
      for (List<Object> table :
          beside.query(
              "select t.name from sys.tables t join sys.schemas s on s.schema_id = t.schema_id where s.name = "
                  + literal(name))) {
        beside.execute("drop table " + quote(name) + "." + quote(table.get(0).toString()));
      }
      beside.execute("drop schema " + quote(name));
    };
  }

  @Override
  public String pointInTime(String utc) {
    return utc + "+00:00";
  }

  /** No index takes longer ones. */
  @Override
  public String keyTextType() {
    return "nvarchar(400)";
  }

  @Override
  public String versionQuery() {
    return "select @@version";
  }

  @Override
  public Optional<String> lacks(Facility facility) {
    return facility == Facility.CASE_SENSITIVE_COLUMNS
        ? Optional.of(
            "names are compared as the database's collation does, by default without case")
        : Optional.empty();
  }

  private void dropAll() {
    IntStream.rangeClosed(1, databases.get())
        .mapToObj(i -> "drop database " + quote(prefix + i))
        .forEach(
            sql -> {
              try {
                Schema.run(dataSource(), sql);
              } catch (IllegalStateException e) {
                System.err.println("left over: " + sql + ": " + e.getCause().getMessage());
              }
            });
  }

  @Override
  public String quote(String identifier) {
    return "[" + identifier.replace("]", "]]") + "]";
  }

  @Override
  public String literal(String text) {
    boolean ascii = text.chars().allMatch(c -> c < 128);
    return (ascii ? "'" : "N'") + text.replace("'", "''") + "'";
  }

  @Override
  public String literal(boolean value) {
    return value ? "1" : "0";
  }

  @Override
  public String timestampType() {
    return "datetimeoffset(6)";
  }

  @Override
  public String localTimestampType() {
    return "datetime2(6)";
  }

  @Override
  public String textType() {
    return "nvarchar(max)";
  }

  @Override
  public String varcharType(int length) {
    return "nvarchar(" + length + ")";
  }

  @Override
  public String charType(int length) {
    return "nchar(" + length + ")";
  }

  @Override
  public String identityType() {
    return "bigint identity(1, 1)";
  }

  @Override
  public String booleanType() {
    return "bit";
  }

  @Override
  public String generated(String type, String expression) {
    return "as (" + expression + ")";
  }

  @Override
  public String uuidType() {
    return "uniqueidentifier";
  }

  @Override
  public String binaryType() {
    return "varbinary(100)";
  }

  @Override
  public String now() {
    return "sysdatetimeoffset()";
  }

  @Override
  public String nowPlus(long millis) {
    return "dateadd(millisecond, "
        + millis % 1000
        + ", dateadd(second, "
        + millis / 1000
        + ", "
        + now()
        + "))";
  }

  @Override
  public String localNowPlus(String zone, long millis) {
    String there = zone.equals("Z") ? "UTC" : ZONES.getOrDefault(zone, zone);
    return "cast(" + nowPlus(millis) + " at time zone '" + there + "' as datetime2(6))";
  }

  @Override
  public String binary(String hex) {
    return "0x" + hex;
  }

  @Override
  public String lockRows(String table, String condition) {
    return "select * from " + table + " with (rowlock, updlock) where " + condition;
  }

  /** There is none: a session's clock is the server's. */
  @Override
  public String timeZone(String zone) {
    return "declare @zone nvarchar(60) = N'" + zone + "'";
  }

  @Override
  public List<Supplier<SQLException>> thrown(Fault fault) {
    return switch (fault) {
      case SERIALIZATION -> List.of(error("S0005", 3960), error("S0001", 650));
      case DEADLOCK -> List.of(error("40001", 1205));
      case LOCK_TIMEOUT -> List.of(error("S0051", 1222));
      case TIMEOUT -> List.of(error("HY008", 0), error("HYT00", 0));
      case CONNECTION ->
          List.of(
              error("08S01", 0),
              error("S0001", 40613),
              error("S0001", 40197),
              error("S0002", 40501));
      case READ_ONLY -> List.of(error("S0002", 3906), error("S0001", 976));
      default -> throw new IllegalArgumentException(fault.name());
    };
  }

  private static Supplier<SQLException> error(String state, int number) {
    return Faults.sqlState(state, number);
  }

  @Override
  public void close() {
    // The server is shared by the whole run.
  }

  @Override
  public String toString() {
    return name();
  }
}
