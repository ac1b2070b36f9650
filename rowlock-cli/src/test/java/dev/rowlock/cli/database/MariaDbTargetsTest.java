package dev.rowlock.cli.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** URLs of MariaDB and MySQL: one driver for all of them. */
class MariaDbTargetsTest {

  private static Target url(String url) {
    return new Targets(Map.of(), Path.of("."))
        .find(new Credentials(Optional.of(url), Optional.empty(), Optional.empty()), () -> null);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mysql://h/d | jdbc:mariadb://h/d | ",
        "mariadb://u@h:3307/d?sslMode=trust | jdbc:mariadb://h:3307/d?sslMode=trust | u",
        "mysql://a%40b:p%3Aw@[::1]:3306/d | jdbc:mariadb://[::1]:3306/d | a@b",
        "jdbc:mysql://h/d?user=x | jdbc:mariadb://h/d?user=x | ",
        "jdbc:mariadb:replication://a,b/d | jdbc:mariadb:replication://a,b/d | "
      })
  void everyFormLeadsToTheOneDriver(String url, String jdbc, String user) {
    Target target = url(url);
    assertThat(target.jdbcUrl()).isEqualTo(jdbc);
    assertThat(target.properties().get("user")).isEqualTo(user);
    assertThat(target.product()).isEqualTo(Product.MARIADB);
  }

  @Test
  void aPasswordIsNotShown() {
    Target target = url("mysql://u:p%3Aw@h/d");
    assertThat(target.properties()).containsEntry("password", "p:w");
    assertThat(target.toString()).doesNotContain("p:w", "p%3Aw");
  }

  @Test
  void whatCannotBeReadIsRefused() {
    assertThatThrownBy(() -> url("mysql://u:%zz@h/d"))
        .hasMessageContaining("two hexadecimal digits")
        .hasMessageNotContaining("%zz");
    assertThat(url("mysql://u:a@b@h/d?x=@").properties()).containsEntry("password", "a@b");
  }
}
