package dev.rowlock.conformance;

/** The suite and the hazards of MariaDB and MySQL. */
abstract class MySqlConformance extends Conformance
    implements MySqlHazards, MySqlShapes, MySqlKeys, MySqlNights, MySqlPlans {
  MySqlConformance(TestDatabase database) {
    super(database);
  }
}
