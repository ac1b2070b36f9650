package dev.rowlock.conformance;

import dev.rowlock.Fault;
import dev.rowlock.conformance.kit.Faults;
import dev.rowlock.conformance.kit.UrlDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * MariaDB or MySQL, through either driver. A schema is a database here. Sessions of the tests are
 * in UTC, so that times read as they are stored.
 */
class MySqlDatabase implements TestDatabase {
  private final String url;
  private final Properties properties = new Properties();
  private final String prefix;
  private final String version;
  private final boolean mariaDb;
  private final boolean pointsInTime;
  private final boolean checks;
  private final AtomicLong schemas = new AtomicLong();

  /**
   * @param url with or without a database
   * @param properties for the driver
   * @param prefix of the names of schemas
   */
  MySqlDatabase(String url, Map<String, String> properties, String prefix) {
    this.url = url;
    this.properties.putAll(properties);
    // Else drivers take a small number for a boolean, in what the tests read themselves.
    this.properties.put("tinyInt1isBit", "false");
    this.properties.put("sessionVariables", "time_zone='+00:00'");
    this.prefix = prefix;
    this.version = text("select version()");
    this.mariaDb = text("select 1 /*M! + 1 */").equals("2");
    this.pointsInTime =
        mariaDb
            || text("select /*+ SET_VAR(time_zone = '+05:00') */ @@session.time_zone")
                .equals("+05:00");
    this.checks =
        text("""
            select count(*) from information_schema.tables
            where table_schema = 'information_schema' and table_name = 'CHECK_CONSTRAINTS'
            """)
            .equals("1");
  }

  private String text(String sql) {
    try (Connection connection = dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getString(1);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  boolean mariaDb() {
    return mariaDb;
  }

  /** The same server with other properties of the driver, for a test. */
  DataSource dataSource(String schema, Map<String, String> more) {
    Properties all = new Properties();
    all.putAll(properties);
    all.putAll(more);
    return new UrlDataSource(url(schema), all);
  }

  /** The URL with a database in it. */
  String url(String schema) {
    return url.replaceFirst("^(jdbc:\\w+://[^/?]+)(/[^?]*)?", "$1/" + schema);
  }

  @Override
  public String name() {
    return (mariaDb ? "MariaDB " : "MySQL ") + version.split("-")[0];
  }

  @Override
  public DataSource dataSource() {
    return dataSource("", Map.of());
  }

  @Override
  public Schema fresh() {
    String schema = prefix + schemas.incrementAndGet();
    Schema.run(dataSource(), "create database " + quote(schema) + " character set utf8mb4");
    return new Schema(this, schema, dataSource(schema, Map.of()));
  }

  @Override
  public void drop(Schema schema) {
    Schema.run(dataSource(), "drop database " + quote(schema.name()));
  }

  @Override
  public AutoCloseable createSchema(Schema beside, String name) {
    beside.execute("create database " + quote(name) + " character set utf8mb4");
    return () -> beside.execute("drop database " + quote(name));
  }

  @Override
  public String quote(String identifier) {
    return '`' + identifier.replace("`", "``") + '`';
  }

  @Override
  public String literal(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'";
  }

  @Override
  public String timestampType() {
    // Without "null" an old server makes it NOT NULL and sets it by itself.
    return pointsInTime ? "timestamp(6) null" : localTimestampType();
  }

  @Override
  public String localTimestampType() {
    return "datetime(6)";
  }

  @Override
  public String textType() {
    return "text";
  }

  @Override
  public String keyTextType() {
    return "varchar(100)";
  }

  @Override
  public String identityType() {
    return "bigint auto_increment";
  }

  /** BOOLEAN is a number here; a bit is true or false. */
  @Override
  public String booleanType() {
    return "bit(1)";
  }

  @Override
  public String uuidType() {
    return mariaDb ? "uuid" : "char(36)";
  }

  @Override
  public Object timestamp(Instant time) {
    return pointsInTime ? time : LocalDateTime.ofInstant(time, ZoneOffset.UTC);
  }

  @Override
  public Object uuid(String text) {
    return mariaDb ? TestDatabase.super.uuid(text) : text;
  }

  @Override
  public String pointInTime(String utc) {
    return utc;
  }

  @Override
  public String binaryType() {
    return "varbinary(100)";
  }

  @Override
  public String stored() {
    return " stored";
  }

  @Override
  public String past() {
    return "2000-01-01 00:00:00";
  }

  @Override
  public String now() {
    return "current_timestamp(6)";
  }

  @Override
  public String nowPlus(long millis) {
    return "(utc_timestamp(6) + interval " + millis * 1000 + " microsecond)";
  }

  @Override
  public String localNowPlus(String zone, long millis) {
    return zone.equals("UTC")
        ? nowPlus(millis)
        : "convert_tz(" + nowPlus(millis) + ", '+00:00', '" + zone + "')";
  }

  @Override
  public String timeZone(String zone) {
    return "set time_zone = '" + (zone.equals("UTC") ? "+00:00" : zone) + "'";
  }

  /** A TINYINT(1) is a number that a driver may take for a boolean. */
  @Override
  public Object value(ResultSet row, int index) throws SQLException {
    Object value = row.getObject(index);
    boolean number = row.getMetaData().getColumnTypeName(index).startsWith("TINYINT");
    return value instanceof Boolean && number ? (Object) row.getInt(index) : value;
  }

  @Override
  public Instant instant(ResultSet row, int index) throws SQLException {
    return row.getObject(index, LocalDateTime.class).toInstant(ZoneOffset.UTC);
  }

  @Override
  public String binary(String hex) {
    return "X'" + hex + "'";
  }

  @Override
  public List<Supplier<SQLException>> thrown(Fault fault) {
    return switch (fault) {
      case SERIALIZATION -> of("HY000:1020", "HY000:1412");
      case DEADLOCK -> of("40001:1213");
      case LOCK_TIMEOUT -> of("HY000:1205", "41000:1205", "HY000:3572");
      case TIMEOUT -> of("70100:1969", "HY000:3024", "70100:1317");
      case CONNECTION -> of("08S01:0", "08000:0", "08S01:1047", "70100:1927", "HY000:4031");
      case READ_ONLY -> of("HY000:1290", "HY000:1836", "25006:1792");
      default -> throw new IllegalArgumentException(fault.name());
    };
  }

  private static List<Supplier<SQLException>> of(String... errors) {
    return Stream.of(errors)
        .map(e -> Faults.sqlState(e.split(":")[0], Integer.parseInt(e.split(":")[1])))
        .toList();
  }

  @Override
  public Optional<String> lacks(Facility facility) {
    return switch (facility) {
      case CASE_SENSITIVE_COLUMNS -> Optional.of("column names are equal in any case");
      case ROW_LOCKS, DEADLOCKS, TEXT_LENGTHS, LOGIN_ROLES -> Optional.empty();
      default -> Optional.of("PostgreSQL's own");
    };
  }

  @Override
  public void close() {
    // Shared: the server ends with the JVM, or is somebody else's.
  }

  @Override
  public String toString() {
    return name();
  }
}
