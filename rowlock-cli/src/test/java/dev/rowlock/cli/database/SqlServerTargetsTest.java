package dev.rowlock.cli.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** URLs of SQL Server, and what is said when it cannot be connected to. */
class SqlServerTargetsTest {

  private static Target target(String url, String user, String password) {
    Credentials flags =
        new Credentials(Optional.of(url), Optional.ofNullable(user), Optional.ofNullable(password));
    return new Targets(Map.of(), Path.of(".")).find(flags, () -> Credentials.NONE);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "sqlserver://u:p%40w@h/db | jdbc:sqlserver://h | sqlserver://u@h/db | db",
        "sqlserver://u:p%40w@h:1444/a%3Bb | jdbc:sqlserver://h:1444 | sqlserver://u@h:1444/a;b | a;b",
        "sqlserver://u:p%40w@h%5Cinst | jdbc:sqlserver://h\\inst | sqlserver://u@h\\inst/ |",
        "sqlserver://u:p%40w@[::1]:1444/db | jdbc:sqlserver://[::1]:1444 | sqlserver://u@[::1]:1444/db | db",
        "sqlserver://u:p%40w@:1444 | jdbc:sqlserver://localhost:1444 | sqlserver://u@localhost:1444/ |",
      })
  void sqlServerUrls(String url, String jdbc, String shown, String database) {
    Target target = target(url, null, null);
    assertThat(target.jdbcUrl()).isEqualTo(jdbc);
    assertThat(target.shown()).isEqualTo(shown);
    assertThat(target.product()).isEqualTo(Product.SQLSERVER);
    assertThat(target.properties()).containsEntry("user", "u").containsEntry("password", "p@w");
    assertThat(target.properties().get("databaseName")).isEqualTo(database);
  }

  @Test
  void propertiesAreTheDriversWhateverTheirCase() {
    assertThat(
            target("sqlserver://h/d?TrustServerCertificate=true&applicationname=x", "u", "p")
                .properties())
        .isEqualTo(
            Map.of(
                "databaseName", "d",
                "trustServerCertificate", "true",
                "applicationName", "x",
                "user", "u",
                "password", "p"));
  }

  @Test
  void aJdbcUrlIsTakenAsItIs() {
    String url = "jdbc:sqlserver://h:1;databaseName=d;user=u;password={a;b}}c};encrypt=false";
    Target target = target(url, null, null);
    assertThat(target.jdbcUrl()).isEqualTo(url);
    assertThat(target.properties()).isEmpty();
    assertThat(target.shown())
        .isEqualTo("jdbc:sqlserver://h:1;databaseName=d;user=u;password=***;encrypt=false");
    assertThat(target(url, "other", "secret").properties())
        .isEqualTo(Map.of("user", "other", "password", "secret"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "sqlserver://u:secret@h/d?encypt=false | sqlserver://u:***@h/d?encypt=false: property 'encypt' is not known to the driver; did you mean 'encrypt'?",
        "sqlserver://h/d?encrypt | sqlserver://h/d?encrypt: property 'encrypt' has no value",
        "sqlserver://h:99999/d | sqlserver://h:99999/d: port '99999'; allowed: 1 to 65535",
        "sqlserver://h%3Bx=y/d | sqlserver://h%3Bx=y/d: host 'h;x=y'; allowed: a name, an address, or host\\instance",
        "sqlserver://h/d%zz | sqlserver://h/d%zz: a % is not followed by two hexadecimal digits; write % itself as %25",
      })
  void mistakesAreOneLineWithoutSecrets(String url, String message) {
    assertThatThrownBy(() -> target(url, null, null)).hasMessage(message);
  }

  @Test
  void otherSecretsOfAUrlAreHiddenToo() {
    assertThat(Secrets.hide("jdbc:sqlserver://h;trustStorePassword=x;keyStoreSecret={y;z};a=b"))
        .isEqualTo("jdbc:sqlserver://h;trustStorePassword=***;keyStoreSecret=***;a=b");
  }

  @ParameterizedTest
  @CsvSource({
    "18456, S0001, true",
    "4060, S0001, true",
    "18488, S0001, true",
    "0, , true",
    "0, 08S01, false",
    "40613, S0001, false",
    "49918, S0001, false",
    "40615, S0001, false"
  })
  void mistakesAreToldFromOutages(int code, String state, boolean mistake) {
    assertThat(SqlServerRefusal.mistake(new SQLException("no", state, code))).isEqualTo(mistake);
  }

  @Test
  void whatTheDriverSaysIsCutToWhatHelps() {
    assertThat(
            SqlServerRefusal.said(
                "The driver could not establish a secure connection to SQL Server by using Secure Sockets Layer (SSL) encryption. Error: \"PKIX path building failed: unable to find valid certification path to requested target\". ClientConnectionId:582cf673-311e-49b9-97a3-af20c9d4f3ea"))
        .endsWith(
            "requested target\"; Java does not trust the server's certificate: in the URL give trustStore=FILE with its authority, or hostNameInCertificate=NAME if it is made out to another name, or, on a network that you trust, trustServerCertificate=true")
        .doesNotContain("ClientConnectionId");
    assertThat(
            SqlServerRefusal.said(
                "The application requested encryption but the server is not configured to support SSL. ClientConnectionId:2aa71eae-046e-4d3a-9ef1-373dd848578e"))
        .isEqualTo(
            "The application requested encryption but the server is not configured to support SSL; encrypt=false in the URL connects without encryption, for a network that you trust");
  }
}
