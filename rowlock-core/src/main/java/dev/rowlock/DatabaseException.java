package dev.rowlock;

import java.sql.SQLException;
import java.util.Objects;

/** The database refused or failed a statement. */
public class DatabaseException extends RowlockException {
  private static final long serialVersionUID = 1L;

  /** What kind of trouble it was. */
  private final Fault fault;

  /**
   * With what was being done.
   *
   * @param message what was being done, what the database said, what to do
   * @param fault the kind of trouble, not null
   * @param cause the driver's exception, may be null
   */
  public DatabaseException(String message, Fault fault, SQLException cause) {
    super(message, cause);
    this.fault = Objects.requireNonNull(fault, "fault");
  }

  /**
   * What kind of trouble it was.
   *
   * @return the fault, never null
   */
  public Fault fault() {
    return fault;
  }
}
