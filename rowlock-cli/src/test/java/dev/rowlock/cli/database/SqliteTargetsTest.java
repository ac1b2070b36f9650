package dev.rowlock.cli.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.ConfigurationException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of SQLite by URL. */
class SqliteTargetsTest {
  @TempDir Path directory;

  private Target url(String url) {
    Credentials none = new Credentials(Optional.empty(), Optional.empty(), Optional.empty());
    return new Targets(Map.of(), directory)
        .find(new Credentials(Optional.of(url), Optional.empty(), Optional.empty()), () -> none);
  }

  @ParameterizedTest
  @CsvSource({
    "sqlite:app.db, jdbc:sqlite:app.db",
    "sqlite:///var/app.db, jdbc:sqlite:/var/app.db",
    "sqlite:/var/app.db, jdbc:sqlite:/var/app.db",
    "jdbc:sqlite:app.db, jdbc:sqlite:app.db"
  })
  void everyForm(String url, String jdbc) {
    assertThat(url(url).jdbcUrl()).isEqualTo(jdbc);
  }

  @ParameterizedTest
  @ValueSource(strings = {"sqlite:", "sqlite://host/app.db"})
  void whatNamesNoFileIsRefused(String url) {
    assertThatThrownBy(() -> url(url))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("names no file");
  }

  @Test
  void theFileIsOpenedWithAWriteAheadLogAndPatience() throws Exception {
    try (Database database = Database.open(url("sqlite://" + directory.resolve("a.db")), 2);
        Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      try (ResultSet mode = statement.executeQuery("pragma journal_mode")) {
        assertThat(mode.getString(1)).isEqualTo("wal");
      }
      try (ResultSet busy = statement.executeQuery("pragma busy_timeout")) {
        assertThat(busy.getInt(1)).isEqualTo(5000);
      }
    }
  }
}
