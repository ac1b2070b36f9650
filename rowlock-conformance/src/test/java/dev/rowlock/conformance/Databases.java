package dev.rowlock.conformance;

import java.util.stream.Stream;

/** The databases that the suite runs on. For {@code @MethodSource}. */
public final class Databases {
  private Databases() {}

  /** One of each; all but H2 are shared by the whole run. */
  public static Stream<TestDatabase> all() {
    Stream<TestDatabase> everywhere = Stream.of(h2(), sqlite(), postgresOldest(), postgresNewest());
    Stream<TestDatabase> mariaDb =
        MariaDbServer.present() ? Stream.of(mariaDbOldest(), mariaDbNewest()) : Stream.empty();
    Stream<TestDatabase> mySql =
        MySqlServer.missing().isEmpty() ? Stream.of(mySql()) : Stream.empty();
    return Stream.concat(everywhere, Stream.concat(mariaDb, mySql));
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
