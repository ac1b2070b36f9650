package dev.rowlock.conformance;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The suite on a SQL Server that somebody else runs. */
@EnabledIfEnvironmentVariable(
    named = "ROWLOCK_TEST_SQLSERVER_URL",
    matches = ".+",
    disabledReason = "ROWLOCK_TEST_SQLSERVER_URL names no server")
class SqlServerConformanceTest extends Conformance implements SqlServerShapes {

  SqlServerConformanceTest() {
    super(SqlServerDatabase.shared());
  }

  @BeforeAll
  static void reach() {
    SqlServerDatabase.shared().reach();
  }
}
