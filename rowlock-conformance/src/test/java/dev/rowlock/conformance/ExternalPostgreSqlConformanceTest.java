package dev.rowlock.conformance;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The suite on a PostgreSQL, or a server compatible with it, that somebody else runs. */
@EnabledIfEnvironmentVariable(
    named = "ROWLOCK_TEST_POSTGRES_URL",
    matches = ".+",
    disabledReason = "ROWLOCK_TEST_POSTGRES_URL names no server")
class ExternalPostgreSqlConformanceTest extends PostgreSqlConformance {

  ExternalPostgreSqlConformanceTest() {
    super(ExternalPostgresDatabase.shared());
  }

  @BeforeAll
  static void reach() {
    ExternalPostgresDatabase.shared().reach();
  }
}
