package dev.rowlock.conformance;

import dev.rowlock.Fault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;
import org.sqlite.SQLiteJDBCLoader;

/** SQLite in a folder of its own; every schema is a file, other schemas are attached files. */
public final class SqliteDatabase implements TestDatabase {
  private final Path folder;
  private final AtomicLong files = new AtomicLong();
  private final Map<String, List<String>> attached = new ConcurrentHashMap<>();

  public SqliteDatabase() {
    try {
      folder = Files.createTempDirectory("rowlock-sqlite");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Runtime.getRuntime().addShutdownHook(new Thread(this::close));
  }

  /** A data source that attaches what belongs to its file. */
  private final class FileSource extends SQLiteDataSource {
    private final String file;

    FileSource(String file, SQLiteConfig config) {
      super(config);
      this.file = file;
      setUrl("jdbc:sqlite:" + file);
    }

    @Override
    public Connection getConnection() throws SQLException {
      Connection connection = super.getConnection();
      try (Statement statement = connection.createStatement()) {
        for (String sql : attached.getOrDefault(file, List.of())) {
          statement.execute(sql);
        }
      }
      return connection;
    }
  }

  private FileSource dataSource(String name) {
    SQLiteConfig config = new SQLiteConfig();
    config.setJournalMode(SQLiteConfig.JournalMode.WAL);
    config.setSynchronous(SQLiteConfig.SynchronousMode.NORMAL);
    config.setBusyTimeout(5000);
    config.enforceForeignKeys(true);
    return new FileSource(folder.resolve(name).toString(), config);
  }

  @Override
  public String name() {
    return "SQLite " + SQLiteJDBCLoader.getVersion().replaceAll("^(\\d+\\.\\d+\\.\\d+).*", "$1");
  }

  @Override
  public FileSource dataSource() {
    return dataSource("common.db");
  }

  @Override
  public Schema fresh() {
    return new Schema(this, "main", dataSource("t" + files.incrementAndGet() + ".db"));
  }

  @Override
  public void drop(Schema schema) {
    String file = file(schema);
    attached.remove(file);
    delete(Path.of(file));
  }

  private static String file(Schema schema) {
    return ((FileSource) schema.dataSource()).file;
  }

  @Override
  public AutoCloseable createSchema(Schema beside, String name) {
    String file = file(beside);
    Path other = Path.of(file + "-other" + files.incrementAndGet());
    List<String> all = attached.computeIfAbsent(file, f -> new CopyOnWriteArrayList<>());
    String attach = "attach '" + other + "' as " + quote(name);
    all.add(attach);
    return () -> {
      all.remove(attach);
      delete(other);
    };
  }

  private static void delete(Path file) {
    try {
      for (String part : new String[] {"", "-wal", "-shm", "-journal"}) {
        Files.deleteIfExists(Path.of(file + part));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String versionQuery() {
    return "select sqlite_version()";
  }

  @Override
  public String quote(String identifier) {
    return '"' + identifier.replace("\"", "\"\"") + '"';
  }

  @Override
  public String timestampType() {
    return "timestamp";
  }

  @Override
  public String localTimestampType() {
    return "datetime";
  }

  @Override
  public String textType() {
    return "text";
  }

  @Override
  public String identityType() {
    return "integer";
  }

  @Override
  public String uuidType() {
    return "uuid";
  }

  @Override
  public String binaryType() {
    return "blob";
  }

  @Override
  public String now() {
    return "(strftime('%Y-%m-%d %H:%M:%f', 'now'))";
  }

  @Override
  public String nowPlus(long millis) {
    return localNowPlus("UTC", millis);
  }

  @Override
  public String localNowPlus(String zone, long millis) {
    int offset =
        ZoneId.of(zone)
            .getRules()
            .getOffset(Instant.EPOCH.plusSeconds(1_735_689_600))
            .getTotalSeconds();
    return "strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now', '%+d seconds', '%+.3f seconds')"
        .formatted(offset, millis / 1000.0);
  }

  @Override
  public String binary(String hex) {
    return "X'" + hex + "'";
  }

  @Override
  public String lockRows(String table, String condition) {
    return "update " + table + " set rowid = rowid where " + condition;
  }

  /** Its sessions have no time zone. */
  @Override
  public String timeZone(String zone) {
    return "select 1";
  }

  @Override
  public Optional<String> lacks(Facility facility) {
    return switch (facility) {
      case ROW_LOCKS -> Optional.of("one writer locks the whole file; there are no row locks");
      case DEADLOCKS -> Optional.of("with one writer, none can wait for another in a circle");
      case TEXT_LENGTHS -> Optional.of("declared lengths are not looked at");
      case CASE_SENSITIVE_COLUMNS -> Optional.of("column names are equal in any case");
      case POSTGRESQL_PLANNER -> Optional.of("PostgreSQL's own");
      default -> Optional.empty();
    };
  }

  /** By the column's declared type: SQLite has numbers and texts only. */
  @Override
  public Object value(ResultSet row, int index) throws SQLException {
    Object value = row.getObject(index);
    String type = String.valueOf(row.getMetaData().getColumnTypeName(index));
    if (type.equalsIgnoreCase("boolean") && value instanceof Integer number) {
      return number != 0;
    } else if (type.equalsIgnoreCase("uuid") && value instanceof String text) {
      return UUID.fromString(text);
    }
    return value instanceof Integer number ? (Object) number.longValue() : value;
  }

  @Override
  public Instant instant(ResultSet row, int index) throws SQLException {
    String text = row.getString(index).replace(' ', 'T').replaceAll("\\+00(:00)?$", "");
    return LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
  }

  @Override
  public List<Supplier<SQLException>> thrown(Fault fault) {
    return switch (fault) {
      case SERIALIZATION -> List.of(code("SQLITE_BUSY_SNAPSHOT", 5));
      case LOCK_TIMEOUT ->
          List.of(
              code("SQLITE_BUSY", 5),
              code("SQLITE_BUSY_RECOVERY", 5),
              code("SQLITE_LOCKED_SHAREDCACHE", 6),
              code("SQLITE_PROTOCOL", 15));
      case TIMEOUT -> List.of(code("SQLITE_INTERRUPT", 9));
      case CONNECTION ->
          List.of(
              code("SQLITE_IOERR_READ", 10),
              code("SQLITE_CANTOPEN", 14),
              code("SQLITE_READONLY_DBMOVED", 8));
      case READ_ONLY -> List.of(code("SQLITE_READONLY", 8));
      case DEADLOCK -> List.of(); // With one writer there is none.
      default -> throw new IllegalArgumentException(fault.name());
    };
  }

  /** As the driver says it: no SQLSTATE, the primary code, and the extended one by name. */
  private static Supplier<SQLException> code(String name, int primary) {
    return () -> new SQLException("[" + name + "] injected", null, primary);
  }

  @Override
  public void close() {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> all = Files.walk(folder)) {
      List<Path> paths = new ArrayList<>(all.toList());
      paths.sort(Comparator.reverseOrder());
      for (Path path : paths) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return name();
  }
}
