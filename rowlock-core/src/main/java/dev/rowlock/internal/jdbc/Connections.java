package dev.rowlock.internal.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/** Ends connections without complaint. */
final class Connections {
  private Connections() {}

  /** Cuts the connection off, also while another thread uses it. */
  static void abort(Connection connection) {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException | RuntimeException | LinkageError e) {
      // Not every driver can; closing it comes next.
    }
  }

  static void closeQuietly(Connection connection) {
    try {
      connection.close();
    } catch (SQLException | RuntimeException e) {
      // It is gone either way.
    }
  }
}
