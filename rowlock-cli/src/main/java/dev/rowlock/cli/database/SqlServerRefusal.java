package dev.rowlock.cli.database;

import java.sql.SQLException;
import java.util.Set;

/** Why a SQL Server could not be connected to: what to say, and whose mistake it was. */
final class SqlServerRefusal {

  /**
   * The login, the password or the database is wrong, and stays so: 18456 and its kin; 4060 and 911
   * a database that is not there or may not be used; 4064 the login's own database.
   */
  private static final Set<Integer> WRONG =
      Set.of(18456, 18452, 18470, 18486, 18487, 18488, 4060, 4062, 4063, 4064, 911);

  private static final String UNTRUSTED =
      "; Java does not trust the server's certificate: in the URL give trustStore=FILE with its authority, or hostNameInCertificate=NAME if it is made out to another name, or, on a network that you trust, trustServerCertificate=true";

  private static final String NO_ENCRYPTION =
      "; encrypt=false in the URL connects without encryption, for a network that you trust";

  private SqlServerRefusal() {}

  /** Whether trying again cannot help. */
  static boolean mistake(SQLException e) {
    // The driver gives no SQLSTATE to what it finds wrong in the URL itself.
    return WRONG.contains(e.getErrorCode())
        || e.getSQLState() == null
        || !advice(String.valueOf(e.getMessage())).isEmpty();
  }

  /** The driver's message without what helps nobody, and with what to do. */
  static String said(String message) {
    String text =
        message
            .replaceAll("\\s*ClientConnectionId:\\s*[0-9a-fA-F-]+", "")
            .replaceAll("\\s*Verify the connection properties\\.? [^\"]*(?=\")", "")
            .strip();
    String advice = advice(message);
    return advice.isEmpty() ? text : text.replaceAll("\\.$", "") + advice;
  }

  private static String advice(String message) {
    if (message.contains("is not configured to support SSL")) {
      return NO_ENCRYPTION;
    }
    boolean certificate =
        message.contains("PKIX path")
            || message.contains("validate the server name")
            || message.contains("certificate");
    return certificate ? UNTRUSTED : "";
  }
}
