package dev.rowlock.dialect;

import dev.rowlock.ConfigurationException;
import dev.rowlock.Fault;
import dev.rowlock.Mapping;
import dev.rowlock.Role;
import dev.rowlock.RowState;
import dev.rowlock.SqlListing;
import dev.rowlock.TableName;
import dev.rowlock.internal.jdbc.Jdbc;
import dev.rowlock.spi.ClaimPlan;
import dev.rowlock.spi.Column;
import dev.rowlock.spi.Dialect;
import dev.rowlock.spi.ExtendPlan;
import dev.rowlock.spi.InsertPlan;
import dev.rowlock.spi.Model;
import dev.rowlock.spi.RecoverPlan;
import dev.rowlock.spi.Sql;
import dev.rowlock.spi.Table;
import dev.rowlock.spi.Write;
import dev.rowlock.spi.WritePlan;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * SQL Server 2016 and newer, Azure SQL Database and Managed Instance. The statements stand in
 * {@link SqlServerClaims}, {@link SqlServerWrites} and {@link SqlServerLooks}.
 */
public final class SqlServer extends StandardDialect {
  /** For how many rows there are statements; the last one is cut to what the table allows. */
  static final List<Integer> SIZES = List.of(4, 16, 64, 256);

  /** SQL Server takes 2,100, the driver uses a few for itself, and constants need some. */
  static final int MOST_PARAMETERS = 2000;

  // From 5,000 locks in one statement on, the server locks the whole table instead, which stops
  // everybody and is not passed over by READPAST (C-088).
  private static final int MOST_LOCKS = 4000;

  private static final int OLDEST = 13;
  private static final Set<Integer> AZURE = Set.of(5, 8, 9, 12);
  private static final Set<Integer> SYNAPSE = Set.of(6, 11);
  private static final int SNAPSHOT = 4096;

  private final boolean versioned;

  /** For databases of which nothing is known. */
  public SqlServer() {
    this(false);
  }

  private SqlServer(boolean versioned) {
    this.versioned = versioned;
  }

  /** Whether readers see the last committed state instead of waiting for locks. */
  boolean versioned() {
    return versioned;
  }

  @Override
  public String name() {
    return "sqlserver";
  }

  @Override
  public String supports() {
    return "SQL Server 2016 or newer";
  }

  @Override
  public boolean speaks(DatabaseMetaData metaData) throws SQLException {
    return metaData.getDatabaseProductName().equals("Microsoft SQL Server");
  }

  @Override
  public Optional<String> refusal(Connection connection) throws SQLException {
    return Jdbc.first(
            connection,
            """
            SELECT CAST(SERVERPROPERTY('EngineEdition') AS int), CAST(SERVERPROPERTY('ProductVersion') AS nvarchar(128))
            """,
            r -> refusal(r.getInt(1), String.valueOf(r.getString(2))))
        .filter(reason -> !reason.isEmpty());
  }

  /** Azure's services are always of the newest version, whatever number they give. */
  static String refusal(int edition, String version) {
    if (SYNAPSE.contains(edition)) {
      return "this is Azure Synapse Analytics, which does not lock row by row; use SQL Server 2016 or newer, Azure SQL Database or Managed Instance";
    }
    String major = version.contains(".") ? version.substring(0, version.indexOf('.')) : version;
    boolean old = !major.matches("[0-9]{1,6}") || Integer.parseInt(major) < OLDEST;
    return old && !AZURE.contains(edition)
        ? "SQL Server of version %s is too old; use SQL Server 2016 (13.0) or newer, Azure SQL Database or Managed Instance"
            .formatted(version)
        : "";
  }

  @Override
  public Dialect tuned(Connection connection) throws SQLException {
    return new SqlServer(
        Jdbc.first(
                connection,
                "SELECT is_read_committed_snapshot_on FROM sys.databases WHERE database_id = DB_ID()",
                r -> r.getBoolean(1))
            .orElse(false));
  }

  @Override
  public Optional<String> readOnly(Connection connection) throws SQLException {
    return Jdbc.first(
            connection,
            "SELECT CAST(DATABASEPROPERTYEX(DB_NAME(), 'Updateability') AS nvarchar(128))",
            r -> String.valueOf(r.getString(1)))
        .filter("READ_ONLY"::equals)
        .map(
            u ->
                "the database is read-only: a secondary replica, ApplicationIntent=ReadOnly in the URL, or SET READ_ONLY");
  }

  /** What the driver thinks, and what the session really has, which somebody may have SET. */
  @Override
  public Optional<String> claimRefusal(Connection connection) throws SQLException {
    int level = Jdbc.isolation(connection);
    String name =
        level == SNAPSHOT
            ? "SNAPSHOT"
            : level == Connection.TRANSACTION_SERIALIZABLE
                ? "SERIALIZABLE"
                : level == Connection.TRANSACTION_READ_UNCOMMITTED ? "READ UNCOMMITTED" : "";
    if (name.isEmpty()) {
      name =
          Jdbc.first(
                  connection,
                  """
                  SELECT CASE transaction_isolation_level WHEN 1 THEN 'READ UNCOMMITTED'
                           WHEN 4 THEN 'SERIALIZABLE' WHEN 5 THEN 'SNAPSHOT' ELSE '' END
                  FROM sys.dm_exec_sessions WHERE session_id = @@SPID
                  """,
                  r -> r.getString(1))
              .orElse("");
    }
    return name.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "the transaction on this connection is %s, in which SQL Server passes over no locked rows (READPAST, error 650); use READ COMMITTED or REPEATABLE READ there, or let Rowlock claim on a connection of its own"
                .formatted(name));
  }

  @Override
  public Optional<Table> inspect(Connection connection, TableName name) throws SQLException {
    return new SqlServerCatalog(this, connection).table(name);
  }

  @Override
  public Table mapped(Mapping mapping, Table table) {
    Set<String> names = new LinkedHashSet<>(mapping.key());
    names.addAll(mapping.columns().values());
    names.addAll(mapping.read());
    names.addAll(mapping.write());
    mapping.state().ifPresent(s -> names.add(s.column()));
    mapping.order().forEach(o -> names.add(o.column()));
    List<String> problems = new ArrayList<>(table.problems());
    for (String name : names) {
      table.find(name).stream()
          .filter(c -> SqlServerTypes.REFUSED.contains(c.type()))
          .forEach(
              c ->
                  problems.add(
                      "column '%s' is %s, which is not compared and returned reliably; make it nvarchar(max) or whatever it really holds"
                          .formatted(c.name(), c.type())));
    }
    for (Role role : List.of(Role.LEASE_UNTIL, Role.CLAIMED_AT)) {
      Optional.ofNullable(mapping.columns().get(role)).stream()
          .flatMap(name -> table.find(name).stream())
          .filter(c -> c.type().equals("smalldatetime"))
          .forEach(
              c ->
                  problems.add(
                      "%s column '%s' is smalldatetime, which is rounded to the minute, so that a lease could end before its time; make it datetime2"
                          .formatted(role.label(), c.name())));
    }
    return new Table(
        table.quoted(),
        table.name(),
        table.columns(),
        table.unique(),
        table.indexes(),
        problems,
        table.notes());
  }

  @Override
  public String quote(String name) {
    return Sql.name("[" + name.replace("]", "]]") + "]");
  }

  @Override
  public String now(Model model, Column target, Optional<String> plusMillis) {
    return SqlServerTime.now(model, target, plusMillis);
  }

  @Override
  public String typed(String expression, Column column) {
    return SqlServerTypes.typed(expression, column);
  }

  /** There is no boolean that could be compared with TRUE. */
  @Override
  public String opaque(String condition) {
    return "CASE WHEN " + condition + " THEN 1 ELSE 0 END = 1";
  }

  @Override
  public String greatest(String a, String b) {
    return "CASE WHEN %1$s > %2$s THEN %1$s ELSE %2$s END".formatted(a, b);
  }

  @Override
  public String text(String expression, Column column) {
    return SqlServerTypes.text(expression, column);
  }

  @Override
  public TextUnit textUnit() {
    return TextUnit.UTF16;
  }

  @Override
  public TextUnit textUnit(Column column) {
    return SqlServerTypes.utf8(column) ? TextUnit.BYTES : TextUnit.UTF16;
  }

  @Override
  public void bind(PreparedStatement statement, int index, Object value, Column column)
      throws SQLException {
    SqlServerTypes.bind(statement, index, value, column);
  }

  /** A row is locked, and in each other index what is taken out and what is put in. */
  @Override
  public int mostRows(Model model) {
    return MOST_LOCKS / (2 + 2 * Math.max(1, model.table().indexes().size()));
  }

  @Override
  public ClaimPlan claim(Model model, int ready, OptionalInt limit) {
    archiveKeepsKeys(model);
    return new SqlServerClaims(this, model).claim(ready);
  }

  private static void archiveKeepsKeys(Model model) {
    for (Column key : model.key()) {
      Column kept = model.archive().map(a -> a.columns().get(key.name())).orElse(null);
      if (kept != null && !kept.writable()) {
        throw new ConfigurationException(
            "archive table %s: column '%s' is an identity (or generated), so that archived rows would get other keys; make it a plain column"
                .formatted(model.archive().orElseThrow().quoted(), key.name()));
      }
    }
  }

  @Override
  public RecoverPlan recover(Model model, OptionalInt limit) {
    return new SqlServerClaims(this, model).recover();
  }

  @Override
  public WritePlan write(Model model, Write write) {
    return new SqlServerWrites(this, model).write(write);
  }

  @Override
  public ExtendPlan extend(Model model) {
    return new SqlServerWrites(this, model).extend();
  }

  @Override
  public Sql reset(Model model) {
    return new SqlServerWrites(this, model).reset();
  }

  @Override
  public InsertPlan insert(Model model, List<Column> columns) {
    return new SqlServerWrites(this, model).insert(columns);
  }

  @Override
  public Sql stats(Model model) {
    return new SqlServerLooks(this, model).stats();
  }

  @Override
  public List<Sql> left(Model model) {
    return new SqlServerLooks(this, model).left();
  }

  @Override
  public Sql list(Model model, RowState state) {
    return new SqlServerLooks(this, model).list();
  }

  @Override
  public Sql show(Model model) {
    return new SqlServerLooks(this, model).show();
  }

  @Override
  public List<SqlListing.Statement> advice(Model model) {
    return new SqlServerAdvice(this, model).all();
  }

  /** There is no NULLS FIRST or LAST: where they are wanted elsewhere, they are sorted by. */
  @Override
  String orderItem(Model.OrderItem item, String alias) {
    String column = item.column().of(alias);
    String order = column + (item.by().descending() ? " DESC" : "");
    return SqlServerClaims.nullsElsewhere(item)
        ? "CASE WHEN %s IS NULL THEN %s END, %s"
            .formatted(column, item.by().nullsFirst() ? "0 ELSE 1" : "1 ELSE 0", order)
        : order;
  }

  @Override
  boolean sayNulls(Model.OrderItem item) {
    return false;
  }

  @Override
  String due(Model model, Column runAt) {
    return runAt.of("q");
  }

  @Override
  String age(Model model, String oldest) {
    return "NULL";
  }

  @Override
  public Fault classify(SQLException e) {
    return SqlServerFaults.classify(e);
  }
}
