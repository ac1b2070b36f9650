package dev.rowlock;

import java.util.List;
import java.util.Objects;

/**
 * The statements that Rowlock runs for a mapping, to read or to paste into a program in any
 * language.
 *
 * @param dialect the database they are for
 * @param statements in the order of a row's life
 * @param advice DDL that is recommended, with its reason
 */
public record SqlListing(String dialect, List<Statement> statements, List<Statement> advice) {

  /**
   * Copies the lists.
   *
   * @param dialect see above
   * @param statements see above
   * @param advice see above
   */
  public SqlListing {
    Objects.requireNonNull(dialect, "dialect");
    statements = List.copyOf(statements);
    advice = List.copyOf(advice);
  }

  /**
   * One statement.
   *
   * @param name for example {@code claim}
   * @param comment what it does and promises, one line
   * @param sql the text, with values as {@code :name}
   */
  public record Statement(String name, String comment, String sql) {}
}
