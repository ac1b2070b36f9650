package dev.rowlock.dialect;

import dev.rowlock.Fault;
import java.sql.SQLException;

/** SQL Server's error numbers, which say more than the SQLSTATEs that its driver makes of them. */
final class SqlServerFaults {
  private SqlServerFaults() {}

  static Fault classify(SQLException e) {
    return switch (e.getErrorCode()) {
      case 1205, 41302, 41305, 41325 -> Fault.DEADLOCK;
      // 650: the session's isolation level was changed behind the driver's back, and READPAST is
      // refused; the level is set anew before the statement is tried again.
      case 650, 3960, 3961, 41301 -> Fault.SERIALIZATION;
      case 1222 -> Fault.LOCK_TIMEOUT;
      case -2, 3617 -> Fault.TIMEOUT;
      // A read-only database or file, or a readable secondary.
      case 3906, 3908, 3947, 976, 978, 979, 983 -> Fault.READ_ONLY;
      case 229, 230, 262, 297, 300, 371, 916, 18456, 18452, 18470, 18486, 18487, 18488, 4060 ->
          Fault.PRIVILEGE;
      // 308: an index that a hint names. 8622: the index is gone that a claim must seek in.
      case 207, 208, 308, 2812, 4902, 8622, 2715 -> Fault.MISSING_OBJECT;
      case 2601, 2627, 547, 515, 550, 544, 13561 -> Fault.CONSTRAINT;
      case 8152, 2628, 220, 241, 242, 245, 248, 295, 517, 8114, 8115, 8169, 257, 206 -> Fault.DATA;
      // Azure's and the network's ways to say: not now, or not any more.
      case 40613,
          40197,
          40501,
          40540,
          40143,
          40549,
          40550,
          10928,
          10929,
          49918,
          49919,
          49920,
          4221,
          615,
          926,
          921,
          927,
          596,
          10053,
          10054,
          10060,
          233,
          64,
          20,
          53,
          17142,
          6005,
          18401 ->
          Fault.CONNECTION;
      default -> bySqlState(e);
    };
  }

  private static Fault bySqlState(SQLException e) {
    String state = String.valueOf(e.getSQLState());
    // HYT00 is the driver's for a time limit of its own, HY008 for a statement that was cancelled.
    if (state.equals("HY008") || state.equals("HYT00")) {
      return Fault.TIMEOUT;
    }
    return StandardDialect.standard(e);
  }
}
