package dev.rowlock.dialect;

import dev.rowlock.Fault;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;

/** What the error numbers of MariaDB, MySQL, Galera and their drivers mean. */
final class MySqlFaults {
  private MySqlFaults() {}

  static Fault of(SQLException e) {
    return switch (e.getErrorCode()) {
      // Also Galera's certification failure, which comes at COMMIT.
      case 1213 -> Fault.DEADLOCK;
      // 1020: the row changed after the snapshot (MariaDB 11.6.2 and later, REPEATABLE READ).
      // 1412: the table was altered after the snapshot. 1615: it was altered after PREPARE.
      // 1665: statements are logged now; the level is chosen anew.
      case 1020, 1412, 1615, 1665 -> Fault.SERIALIZATION;
      // With innodb_rollback_on_timeout off only the statement is undone; the caller of this rolls
      // the transaction back. 3572 is NOWAIT, 1637 and 1206 are full lock structures.
      case 1205, 3572, 1206, 1637 -> Fault.LOCK_TIMEOUT;
      case 1317, 1969, 3024 -> Fault.TIMEOUT;
      case 1290, 1792, 1836, 3100 -> Fault.READ_ONLY;
      case 1044, 1045, 1142, 1143, 1227, 1370, 1410, 1698, 3118 -> Fault.PRIVILEGE;
      case 1049, 1051, 1054, 1072, 1146, 1176, 1305 -> Fault.MISSING_OBJECT;
      // 1047: this Galera node is not part of the primary component. 1927, 4031: killed, idle.
      case 1040,
          1043,
          1047,
          1053,
          1077,
          1079,
          1129,
          1130,
          1152,
          1153,
          1158,
          1159,
          1160,
          1161,
          1184,
          1203,
          1226,
          1927,
          2002,
          2003,
          2006,
          2013,
          2055,
          4031 ->
          Fault.CONNECTION;
      case 1048, 1062, 1169, 1216, 1217, 1364, 1451, 1452, 1557, 1586, 1761, 3819, 4025 ->
          Fault.CONSTRAINT;
      case 1264, 1265, 1292, 1366, 1406, 1411, 1416, 1525, 1690, 3140, 3141, 3144, 4038 ->
          Fault.DATA;
      // 1644 is a trigger's SIGNAL.
      default -> other(e);
    };
  }

  /**
   * MariaDB's driver throws a lost connection's exception for every state that it does not know,
   * such as the 45000 of a trigger. A real one has a state of class 08, or (of a pool) none.
   */
  private static Fault other(SQLException e) {
    String state = e.getSQLState();
    boolean told = state != null && !state.isEmpty() && !state.startsWith("08");
    return told && e instanceof SQLTransientConnectionException
        ? StandardDialect.standard(new SQLException(e.getMessage(), state, e.getErrorCode()))
        : StandardDialect.standard(e);
  }
}
