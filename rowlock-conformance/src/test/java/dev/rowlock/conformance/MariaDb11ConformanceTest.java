package dev.rowlock.conformance;

/** The suite on the newest MariaDB that there are binaries of. */
class MariaDb11ConformanceTest extends MySqlConformance {
  private static final TestDatabase DATABASE = Databases.mariaDbNewest();

  MariaDb11ConformanceTest() {
    super(DATABASE);
  }
}
