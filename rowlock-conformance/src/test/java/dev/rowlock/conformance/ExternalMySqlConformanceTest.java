package dev.rowlock.conformance;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * The suite on a MySQL or MariaDB that somebody else runs, through the driver that the URL names:
 * {@code jdbc:mysql:} or {@code jdbc:mariadb:}. Tests work in databases of their own, {@code
 * rowlock_test_…}, which they drop. The server's time zone tables must be loaded.
 */
@EnabledIfEnvironmentVariable(
    named = "ROWLOCK_TEST_MYSQL_URL",
    matches = ".+",
    disabledReason = "ROWLOCK_TEST_MYSQL_URL names no server")
class ExternalMySqlConformanceTest extends MySqlConformance {

  /** Held while the class that first asks is initialized: one for each JVM. */
  private static final class Shared {
    static final MySqlDatabase DATABASE = of(ExternalServer.named("MYSQL"));
  }

  ExternalMySqlConformanceTest() {
    super(Shared.DATABASE);
  }

  private static MySqlDatabase of(ExternalServer server) {
    Map<String, String> properties = new HashMap<>();
    server.user().ifPresent(user -> properties.put("user", user));
    server.password().ifPresent(password -> properties.put("password", password));
    String run = UUID.randomUUID().toString().substring(0, 8);
    return new MySqlDatabase(server.url(), properties, "rowlock_test_" + run + "_") {
      @Override
      public Optional<String> lacks(Facility facility) {
        boolean may = server.setting("ROLES").orElse("").equals("true");
        return facility == Facility.LOGIN_ROLES && !may
            ? Optional.of("ROWLOCK_TEST_MYSQL_ROLES is not true, so no user is made on it")
            : super.lacks(facility);
      }
    };
  }
}
