package dev.rowlock.cli.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {
  @ParameterizedTest
  @CsvSource({
    "500ms, PT0.5S",
    "30s, PT30S",
    "5m, PT5M",
    "2h, PT2H",
    "1d, PT24H",
    "PT5M, PT5M",
    "pt1.5s, PT1.5S",
    "1h30m, PT1H30M",
    "1.5s, PT1.5S",
    "0, PT0S",
    "' 3S ', PT3S",
    "P1D, PT24H"
  })
  void reads(String text, Duration expected) {
    assertThat(Durations.parse(text)).contains(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "5", "5x", "-5s", "PT-5S", "s", "5 m", "1e3s", "99999999999999d", "five"})
  void refuses(String text) {
    assertThat(Durations.parse(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "PT0.25S, 250ms",
    "PT12S, 12s",
    "PT1.5S, 1.5s",
    "PT75S, 1m15s",
    "PT2H, 2h",
    "PT26H30M, 1d2h"
  })
  void shows(Duration duration, String expected) {
    assertThat(Durations.show(duration)).isEqualTo(expected);
  }
}
