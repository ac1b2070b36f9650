package dev.rowlock.spi;

import dev.rowlock.Fault;
import dev.rowlock.Mapping;
import dev.rowlock.RowState;
import dev.rowlock.SqlListing;
import dev.rowlock.TableName;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How one database says what Rowlock needs. Stateless and thread-safe. Every statement that a
 * dialect can produce stands in its own file as a text block.
 */
public interface Dialect {

  /** How a text column counts its length. */
  enum TextUnit {
    /** By Unicode code points. */
    CODE_POINTS,
    /** By UTF-16 code units, as Java does. */
    UTF16,
    /** By bytes of UTF-8. */
    BYTES
  }

  /**
   * The dialect's name.
   *
   * @return for example {@code postgresql}
   */
  String name();

  /**
   * Which databases it is for, as people write them.
   *
   * @return for example {@code PostgreSQL 12 or newer}
   */
  String supports();

  /**
   * Whether the database behind a connection is this dialect's.
   *
   * @param metaData the connection's metadata
   * @return true if the product is the right one, whatever its version
   * @throws SQLException if the database cannot be asked
   */
  boolean speaks(DatabaseMetaData metaData) throws SQLException;

  /**
   * Looks whether the version is supported.
   *
   * @param connection a connection to a database that {@link #speaks}
   * @return empty if it is, else the reason and the fix
   * @throws SQLException if the database cannot be asked
   */
  Optional<String> refusal(Connection connection) throws SQLException;

  /**
   * Looks whether this session may write.
   *
   * @param connection a connection
   * @return empty if it may, else the reason
   * @throws SQLException if the database cannot be asked
   */
  Optional<String> readOnly(Connection connection) throws SQLException;

  /**
   * The level at which Rowlock's own statements run. It decides how often statements must be
   * repeated and what they wait for, never whether they are right.
   *
   * @param connection a connection
   * @return one of the levels of {@link Connection}; READ COMMITTED where the database takes it
   * @throws SQLException if the database cannot be asked
   */
  default int isolation(Connection connection) throws SQLException {
    return Connection.TRANSACTION_READ_COMMITTED;
  }

  /**
   * How long one statement may take, or wait for a lock where the driver knows no other measure.
   *
   * @param seconds what the lease allows
   * @return that or less, at least 1
   */
  default int queryTimeoutSeconds(int seconds) {
    return seconds;
  }

  /**
   * Whether the driver's {@code commit()} begins the next transaction at once, which may fail when
   * all is committed already. Then autocommit is switched on to commit.
   *
   * @return true if so
   */
  default boolean commitBegins() {
    return false;
  }

  /**
   * Whether one transaction at a time can write, so that a claim waits for every other writer
   * instead of passing rows over.
   *
   * @return true for databases without row locks
   */
  default boolean oneWriter() {
    return false;
  }

  /**
   * The dialect as this database needs it, where databases of one kind are set up differently.
   *
   * @param connection a connection to a database that is supported
   * @return this dialect, or one for the database's settings
   * @throws SQLException if the database cannot be asked
   */
  default Dialect tuned(Connection connection) throws SQLException {
    return this;
  }

  /**
   * Looks whether rows can be claimed in the transaction of somebody else.
   *
   * @param connection the caller's connection
   * @return empty if they can, else the reason and the fix
   * @throws SQLException if the database cannot be asked
   */
  default Optional<String> claimRefusal(Connection connection) throws SQLException {
    return Optional.empty();
  }

  /**
   * How many rows one statement may change, where more would make it lock the whole table.
   *
   * @param model the queue
   * @return 1 or more
   */
  default int mostRows(Model model) {
    return Integer.MAX_VALUE;
  }

  /**
   * Puts a time limit into a statement's text, where the driver's own limit would not hold. The
   * driver is told all the same.
   *
   * @param jdbc the statement
   * @param seconds the limit
   * @return the statement, by default as it is
   */
  default String limited(String jdbc, int seconds) {
    return jdbc;
  }

  /**
   * Looks at a table.
   *
   * @param connection a connection
   * @param name the table as it was written
   * @return empty if there is no such table
   * @throws SQLException if the database cannot be asked
   */
  Optional<Table> inspect(Connection connection, TableName name) throws SQLException;

  /**
   * The table as a mapping uses it: where types are loose, what a column holds follows from what it
   * is mapped as.
   *
   * @param mapping the mapping
   * @param table the table as it was found
   * @return the same table, or one with other kinds of columns or more problems
   */
  default Table mapped(Mapping mapping, Table table) {
    return table;
  }

  /**
   * Looks whether a queue can be run here, beyond what its table and mapping say.
   *
   * @param connection a connection
   * @param model the queue
   * @return empty if it can, else the reason and the fix
   * @throws SQLException if the database cannot be asked
   */
  default Optional<String> objection(Connection connection, Model model) throws SQLException {
    return Optional.empty();
  }

  /**
   * How many different values some values are to a column.
   *
   * @param model the queue
   * @param column a column of its table
   * @param values how many; parameters {@code v0}, {@code v1} …
   * @return a statement whose only value is how many of them are different
   */
  Sql different(Model model, Column column, int values);

  /**
   * Quotes an identifier; never drops or changes a character.
   *
   * @param name the exact name
   * @return the name as it stands in SQL
   */
  String quote(String name);

  /**
   * The current time of the database, at the moment of the statement, in a column's type.
   *
   * @param model for the zone of columns that have none
   * @param target the column
   * @param plusMillis an SQL expression of milliseconds to add; empty for none
   * @return an SQL expression
   */
  String now(Model model, Column target, Optional<String> plusMillis);

  /**
   * A point in time that is kept in a column, in the form in which it compares with {@link #now}.
   *
   * @param model for the zone of columns that have none
   * @param expression the column
   * @param column what it holds
   * @return an SQL expression; NULL for NULL
   */
  default String moment(Model model, String expression, Column column) {
    return expression;
  }

  /**
   * The greater of two numbers.
   *
   * @param a an SQL expression
   * @param b an SQL expression
   * @return an SQL expression
   */
  default String greatest(String a, String b) {
    return "GREATEST(" + a + ", " + b + ")";
  }

  /**
   * A value of a column's type.
   *
   * @param expression a parameter or a text expression
   * @param column the column
   * @return the expression, cast if the database needs it
   */
  String typed(String expression, Column column);

  /**
   * A condition that the planner can neither use for an index nor estimate from statistics.
   *
   * @param condition an SQL condition
   * @return an equivalent condition (unknown counts as false)
   */
  String opaque(String condition);

  /**
   * A column's text form, in which {@link #typed} reads it back to the same value.
   *
   * @param expression the column
   * @param column what it holds
   * @return an SQL expression
   */
  String text(String expression, Column column);

  /**
   * A column as a statement returns its value.
   *
   * @param expression the column
   * @param column what it holds
   * @return an SQL expression
   */
  default String returned(String expression, Column column) {
    return expression;
  }

  /**
   * Whether a text column can hold a character.
   *
   * @param codePoint the character
   * @param column the column
   * @return false if the column's character set lacks it
   */
  default boolean holds(int codePoint, Column column) {
    return true;
  }

  /**
   * How a text column counts.
   *
   * @return the unit of {@link Column#size()}
   */
  TextUnit textUnit();

  /**
   * How one text column counts, where columns differ.
   *
   * @param column the column
   * @return the unit of its size
   */
  default TextUnit textUnit(Column column) {
    return textUnit();
  }

  /**
   * Binds a value.
   *
   * @param statement where
   * @param index 1-based
   * @param value the value, may be null
   * @param column the column that it is for
   * @throws SQLException if the driver refuses it
   */
  void bind(PreparedStatement statement, int index, Object value, Column column)
      throws SQLException;

  /**
   * Reads a value.
   *
   * @param row a result
   * @param index 1-based
   * @param column the column that it is of
   * @return null, or an object of the Java type of the column's {@link Kind}
   * @throws SQLException if the value cannot be read as that
   */
  default Object read(ResultSet row, int index, Column column) throws SQLException {
    return column.kind().read(row, index);
  }

  /**
   * How rows of one ready value are claimed.
   *
   * @param model the queue
   * @param ready which of the state's ready values, 0 where there is no state
   * @param limit the limit, if it is to be part of the statement where that helps the planner; the
   *     parameter {@code limit} is bound all the same where it stands in the statement
   * @return the plan
   */
  ClaimPlan claim(Model model, int ready, OptionalInt limit);

  /**
   * How expired rows are recovered.
   *
   * @param model the queue
   * @param limit as for {@link #claim}
   * @return the plan
   */
  RecoverPlan recover(Model model, OptionalInt limit);

  /**
   * How fenced writes are carried out.
   *
   * @param model the queue
   * @param write which
   * @return the plan
   */
  WritePlan write(Model model, Write write);

  /**
   * How leases are extended.
   *
   * @param model the queue
   * @return the plan
   */
  ExtendPlan extend(Model model);

  /**
   * Makes one claimed row ready whatever its fence says.
   *
   * @param model the queue
   * @return the statement, parameters: the key
   */
  Sql reset(Model model);

  /**
   * Inserts a row.
   *
   * @param model the queue
   * @param columns which columns get values, in order; parameters {@code v0}, {@code v1} …
   * @return the plan
   */
  InsertPlan insert(Model model, List<Column> columns);

  /**
   * Counts rows by state: returns the {@link RowState} label, the count, and the age in seconds of
   * the oldest due time (null where run-at is not mapped).
   *
   * @param model the queue
   * @return the statement
   */
  Sql stats(Model model);

  /**
   * Looks whether any row is left: claimable now or later, or held by a claim that has an end. One
   * statement for each kind, so that each can use its index; each returns a row if there is one.
   *
   * @param model the queue
   * @return the statements
   */
  List<Sql> left(Model model);

  /**
   * Shows rows of one state: the state's label, then all mapped columns.
   *
   * @param model the queue
   * @param state which state
   * @return the statement, parameter {@code limit}
   */
  Sql list(Model model, RowState state);

  /**
   * Shows one row: the state's label, then all mapped columns.
   *
   * @param model the queue
   * @return the statement, parameters: the key
   */
  Sql show(Model model);

  /**
   * DDL that this mapping should have: indexes, and columns that are missing.
   *
   * @param model the queue
   * @return recommended statements; what the table has already is left out
   */
  List<SqlListing.Statement> advice(Model model);

  /**
   * Sorts an exception.
   *
   * @param e what the driver threw
   * @return the kind of trouble
   */
  Fault classify(SQLException e);
}
