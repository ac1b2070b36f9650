/** Turns a table in the SQL database you already run into a safe, fast work queue. */
module dev.rowlock {
  requires transitive java.sql;

  exports dev.rowlock;
  exports dev.rowlock.spi;
}
