package dev.rowlock.conformance;

/** The suite and the hazards of MariaDB and MySQL. */
abstract class MySqlConformance extends Conformance
    implements MySqlHazards, MySqlShapes, MySqlNights, MySqlPlans {
  MySqlConformance(TestDatabase database) {
    super(database);
  }
}
