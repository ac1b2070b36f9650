package dev.rowlock.conformance;

/** What can go wrong on PostgreSQL alone; the same for every version. */
abstract class PostgreSqlConformance extends Conformance {

  PostgreSqlConformance(TestDatabase database) {
    super(database);
  }
}
