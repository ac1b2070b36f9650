package dev.rowlock.conformance;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;

/** The suite on MySQL 8.0.12, nearly the oldest that Rowlock supports. */
class MySql8ConformanceTest extends MySqlConformance {

  MySql8ConformanceTest() {
    super(Databases.mySql());
  }

  @BeforeAll
  static void thereIsOneForThisPlatform() {
    MySqlServer.missing().ifPresent(Assumptions::abort);
  }
}
