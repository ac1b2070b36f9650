package dev.rowlock.conformance;

/** What some tests need and not every database, or not every server of one, has. */
public enum Facility {
  /** That a proxy of the test can stand between the driver and the server. */
  PROXY,
  /** That a user gets in without a password: a test's pooler knows none. */
  LOGIN_WITHOUT_PASSWORD,
  /** That a test may make and drop users that log in. */
  LOGIN_ROLES,
  /** PostgreSQL's own planner, whose plans and settings a test names. */
  POSTGRESQL_PLANNER,
  /** Columns of one table whose names differ in case only. */
  CASE_SENSITIVE_COLUMNS,
  /** That a transaction locks the rows that it writes, and no others. */
  ROW_LOCKS,
  /** That two transactions can wait for each other, which the driver then says. */
  DEADLOCKS,
  /** That text longer than its column is declared is refused. */
  TEXT_LENGTHS,
  /** That a point in time, TIMESTAMP, can be mapped. */
  POINTS_IN_TIME,
  /** That a CHECK constraint is looked at. */
  CHECKS
}
