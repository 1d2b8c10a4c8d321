package io.lockstarter.benchmarks;

import java.time.Duration;

import org.springframework.boot.convert.DurationStyle;
import picocli.CommandLine.ITypeConverter;

/**
 * Converter of durations in the formats of Spring Boot.
 */
final class DurationConverter implements ITypeConverter<Duration> {

	@Override
	public Duration convert(String value) {
		return DurationStyle.detectAndParse(value);
	}

}
