package dev.rowlock.conformance;

/** The suite on the oldest supported PostgreSQL. */
class PostgreSql12ConformanceTest extends PostgreSqlConformance {
  private static final TestDatabase DATABASE = Databases.postgresOldest();

  PostgreSql12ConformanceTest() {
    super(DATABASE);
  }
}
