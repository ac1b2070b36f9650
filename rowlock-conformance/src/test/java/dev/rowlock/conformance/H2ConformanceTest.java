package dev.rowlock.conformance;

/** The suite on H2 in memory. */
class H2ConformanceTest extends Conformance {
  private static final TestDatabase DATABASE = Databases.h2();

  H2ConformanceTest() {
    super(DATABASE);
  }
}
