package dev.rowlock.cli.command;

import dev.rowlock.cli.config.Durations;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads durations of options. */
final class DurationConverter implements ITypeConverter<Duration> {
  @Override
  public Duration convert(String text) {
    return Durations.parse(text)
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "found '%s'; allowed: %s".formatted(text, Durations.ALLOWED)));
  }
}
