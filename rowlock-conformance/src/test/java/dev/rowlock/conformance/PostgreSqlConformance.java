package dev.rowlock.conformance;

/** What can go wrong on PostgreSQL alone; the same for every version. */
abstract class PostgreSqlConformance extends Conformance
    implements PostgreSqlPlans, PostgreSqlShapes, PostgreSqlSessions, PostgreSqlNetwork {

  PostgreSqlConformance(TestDatabase database) {
    super(database);
  }
}
