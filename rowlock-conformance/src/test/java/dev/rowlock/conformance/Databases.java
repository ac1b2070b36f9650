package dev.rowlock.conformance;

import java.util.stream.Stream;

/** The databases that the suite runs on. For {@code @MethodSource}. */
public final class Databases {
  private Databases() {}

  /** One of each; all but H2 are shared by the whole run. */
  public static Stream<TestDatabase> all() {
    Stream<TestDatabase> all = Stream.of(h2(), sqlite(), postgresOldest(), postgresNewest());
    if (MariaDbServer.present()) {
      all = Stream.concat(all, Stream.of(mariaDbOldest(), mariaDbNewest()));
    }
    return MySqlServer.missing().isEmpty() ? Stream.concat(all, Stream.of(mySql())) : all;
  }

  public static TestDatabase h2() {
    return new H2Database();
  }

  public static TestDatabase sqlite() {
    return new SqliteDatabase();
  }

  public static TestDatabase postgresNewest() {
    return EmbeddedPostgresDatabase.shared("newest");
  }

  /** The oldest one that Rowlock supports. */
  public static TestDatabase postgresOldest() {
    return EmbeddedPostgresDatabase.shared("oldest");
  }

  public static TestDatabase mariaDbNewest() {
    return MariaDbServer.shared("newest");
  }

  /** The oldest one that there are binaries of. */
  public static TestDatabase mariaDbOldest() {
    return MariaDbServer.shared("oldest");
  }

  /** Only where {@link MySqlServer#missing()} says nothing. */
  public static TestDatabase mySql() {
    return MySqlServer.shared();
  }
}
