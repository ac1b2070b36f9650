package dev.rowlock.conformance;

import dev.rowlock.Fault;
import dev.rowlock.conformance.kit.Faults;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.h2.engine.Constants;
import org.h2.jdbcx.JdbcDataSource;

/** H2 in memory; every instance is a database of its own. */
public final class H2Database implements TestDatabase {
  private final String url =
      "jdbc:h2:mem:"
          + UUID.randomUUID()
          + ";DB_CLOSE_DELAY=-1;DB_CLOSE_ON_EXIT=FALSE;LOCK_TIMEOUT=500";
  private final AtomicLong schemas = new AtomicLong();

  @Override
  public String name() {
    return "H2 " + Constants.VERSION;
  }

  @Override
  public DataSource dataSource() {
    return dataSource(url);
  }

  @Override
  public Schema fresh() {
    String schema = "t" + schemas.incrementAndGet();
    Schema.run(dataSource(), "create schema " + quote(schema));
    return new Schema(this, schema, dataSource(url + ";SCHEMA=\"" + schema + "\""));
  }

  @Override
  public String quote(String identifier) {
    return '"' + identifier.replace("\"", "\"\"") + '"';
  }

  @Override
  public String versionQuery() {
    return "select h2version()";
  }

  @Override
  public String timestampType() {
    return "timestamp(6) with time zone";
  }

  @Override
  public String localTimestampType() {
    return "timestamp(6)";
  }

  @Override
  public String textType() {
    return "varchar";
  }

  @Override
  public String uuidType() {
    return "uuid";
  }

  @Override
  public String binaryType() {
    return "varbinary";
  }

  @Override
  public String now() {
    // H2's clock functions stand still in a transaction; nothing in H2 gives more.
    return "current_timestamp(6)";
  }

  @Override
  public String nowPlus(long millis) {
    return "dateadd(millisecond, " + millis + ", " + now() + ")";
  }

  @Override
  public String localNowPlus(String zone, long millis) {
    // A cast would convert to the zone of the session.
    String there = nowPlus(millis) + " at time zone '" + zone + "'";
    return "dateadd(microsecond, cast((extract(epoch from %1$s) + extract(timezone_hour from %1$s) * 3600 + extract(timezone_minute from %1$s) * 60) * 1000000 as bigint), timestamp '1970-01-01 00:00:00')"
        .formatted("(" + there + ")");
  }

  @Override
  public String binary(String hex) {
    return "X'" + hex + "'";
  }

  @Override
  public List<Supplier<SQLException>> thrown(Fault fault) {
    return switch (fault) {
      case SERIALIZATION, DEADLOCK -> List.of(Faults.sqlState("40001", 40001));
      case LOCK_TIMEOUT ->
          List.of(Faults.sqlState("HYT00", 50200), Faults.sqlState("90131", 90131));
      case TIMEOUT -> List.of(Faults.sqlState("57014", 57014));
      case CONNECTION -> List.of(Faults.sqlState("90067", 90067), Faults.sqlState("90098", 90098));
      case READ_ONLY -> List.of(Faults.sqlState("90097", 90097));
      default -> throw new IllegalArgumentException(fault.name());
    };
  }

  @Override
  public void close() {
    Schema.run(dataSource(), "shutdown immediately");
  }

  @Override
  public String toString() {
    return name();
  }

  private static DataSource dataSource(String url) {
    JdbcDataSource dataSource = new JdbcDataSource();
    dataSource.setURL(url);
    dataSource.setUser("sa");
    dataSource.setPassword("");
    return dataSource;
  }

  @Override
  public String textOfAnyCase() {
    return "varchar_ignorecase(20)";
  }
}
