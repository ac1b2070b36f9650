package dev.rowlock.conformance;

/** The suite on the oldest MariaDB that there are binaries of. */
class MariaDb10ConformanceTest extends MySqlConformance {
  private static final TestDatabase DATABASE = Databases.mariaDbOldest();

  MariaDb10ConformanceTest() {
    super(DATABASE);
  }
}
