package dev.rowlock.conformance;

/** The suite on SQLite, and what can go wrong there alone. */
class SqliteConformanceTest extends Conformance
    implements SqliteLocks, SqliteShapes, SqliteTimes, SqlitePlans {
  private static final TestDatabase DATABASE = Databases.sqlite();

  SqliteConformanceTest() {
    super(DATABASE);
  }
}
