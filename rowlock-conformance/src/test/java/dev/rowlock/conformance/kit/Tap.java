package dev.rowlock.conformance.kit;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Sits between Rowlock and the driver: sees every call that matters, and may throw instead of it or
 * after it.
 */
public interface Tap {

  /** What is called. */
  enum Kind {
    CONNECT,
    EXECUTE,
    COMMIT,
    ROLLBACK,
    CLOSE
  }

  /**
   * One call.
   *
   * @param kind what is called
   * @param sql the statement, empty unless it is {@link Kind#EXECUTE}
   * @param connection the driver's connection; null before {@link Kind#CONNECT}
   */
  record Call(Kind kind, String sql, Connection connection) {}

  /** Before the driver is called; what it throws is thrown instead. */
  default void before(Call call) throws SQLException {}

  /** After the driver has answered without an exception; what it throws replaces the answer. */
  default void after(Call call) throws SQLException {}
}
