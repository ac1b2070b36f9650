package dev.rowlock.internal.jdbc;

import dev.rowlock.spi.Dialect;
import javax.sql.DataSource;

/**
 * Where connections come from and what is spoken on them.
 *
 * @param dataSource the user's
 * @param dialect the database's
 */
public record Source(DataSource dataSource, Dialect dialect) {

  /**
   * Another way to the same database.
   *
   * @param other the data source to use instead
   * @return a source with the same dialect
   */
  public Source with(DataSource other) {
    return new Source(other, dialect);
  }
}
