package dev.rowlock;

import java.util.Objects;

/** What happens to a row when it is completed. */
public sealed interface OnDone {

  /**
   * The row stays and its state or marker says so.
   *
   * @return the default policy
   */
  static OnDone update() {
    return new Update();
  }

  /**
   * The row is deleted.
   *
   * @return the policy
   */
  static OnDone delete() {
    return new Delete();
  }

  /**
   * The row is moved to another table of the same database, in one statement or transaction.
   *
   * @param table the archive table; it needs at least the key columns, and gets every column whose
   *     name both tables have
   * @return the policy
   */
  static OnDone archive(String table) {
    return new Archive(TableName.parse(table));
  }

  /** The row stays. */
  record Update() implements OnDone {}

  /** The row is deleted. */
  record Delete() implements OnDone {}

  /**
   * The row is moved.
   *
   * @param table where to, not null
   */
  record Archive(TableName table) implements OnDone {
    /**
     * Checks that a table is given.
     *
     * @param table see above
     */
    public Archive {
      Objects.requireNonNull(table, "table");
    }
  }
}
