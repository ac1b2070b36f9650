package dev.rowlock.conformance;

/** The suite on the newest supported PostgreSQL. */
class PostgreSql18ConformanceTest extends PostgreSqlConformance {
  private static final TestDatabase DATABASE = Databases.postgresNewest();

  PostgreSql18ConformanceTest() {
    super(DATABASE);
  }
}
