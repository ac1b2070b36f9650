package dev.rowlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Servers are named by variables, and what is wrong with one is said at once. */
class ExternalServerTest {

  @Test
  void variablesNameAServer() {
    ExternalServer server =
        ExternalServer.named(
            "POSTGRES",
            Map.of(
                "ROWLOCK_TEST_POSTGRES_URL", "jdbc:postgresql://h/d",
                "ROWLOCK_TEST_POSTGRES_USER", "u",
                "ROWLOCK_TEST_POSTGRES_PASSWORD", "secret",
                "ROWLOCK_TEST_OTHER_URL", "jdbc:x"));
    assertThat(server.url()).isEqualTo("jdbc:postgresql://h/d");
    assertThat(server.user()).contains("u");
    assertThat(server.password()).contains("secret");
    assertThat(server.toString()).doesNotContain("secret");
  }

  @Test
  void anEmptyVariableIsNone() {
    ExternalServer server =
        ExternalServer.named(
            "X", Map.of("ROWLOCK_TEST_X_URL", "jdbc:x", "ROWLOCK_TEST_X_USER", ""));
    assertThat(server.user()).isEmpty();
    assertThat(server.password()).isEmpty();
  }

  @Test
  void anotherKindOfUrlIsExplained() {
    assertThatThrownBy(
            () ->
                ExternalServer.named(
                    "POSTGRES", Map.of("ROWLOCK_TEST_POSTGRES_URL", "postgres://u:secret@h/d")))
        .hasMessageContainingAll("ROWLOCK_TEST_POSTGRES_URL", "JDBC URL")
        .hasMessageNotContaining("secret");
  }

  @Test
  void aServerThatDoesNotAnswerIsExplained() {
    ExternalServer server =
        ExternalServer.named(
            "POSTGRES",
            Map.of("ROWLOCK_TEST_POSTGRES_URL", "jdbc:postgresql://localhost:1/d?user=u"));
    assertThatThrownBy(server::connect)
        .hasMessageContainingAll("ROWLOCK_TEST_POSTGRES_URL", "localhost:1", "is it running");
  }
}
