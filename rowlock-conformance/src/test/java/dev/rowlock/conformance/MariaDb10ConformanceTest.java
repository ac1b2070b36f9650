package dev.rowlock.conformance;

import org.junit.jupiter.api.condition.EnabledIf;

/** The suite on the oldest MariaDB that there are binaries of. */
@EnabledIf(
    value = "dev.rowlock.conformance.MariaDbServer#present",
    disabledReason = "there are no MariaDB binaries for this platform")
class MariaDb10ConformanceTest extends MySqlConformance {
  MariaDb10ConformanceTest() {
    super(Databases.mariaDbOldest());
  }
}
