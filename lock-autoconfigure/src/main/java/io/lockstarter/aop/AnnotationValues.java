package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.time.Duration;

import io.lockstarter.core.Durations;
import org.jspecify.annotations.Nullable;

import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.StringValueResolver;

/**
 * Values of one annotation's attributes, with validation.
 */
final class AnnotationValues {

	private final Method method;

	private final StringValueResolver placeholders;

	AnnotationValues(Method method, StringValueResolver placeholders) {
		this.method = method;
		this.placeholders = placeholders;
	}

	/**
	 * Returns a duration.
	 * @param attribute the attribute's name
	 * @param text its text
	 * @param least the minimum
	 * @param fix the remedy for a shorter duration
	 * @return the duration, or {@code null} if the text is empty
	 */
	@Nullable Duration duration(String attribute, String text, Duration least, String fix) {
		Duration duration = duration(attribute, text);
		String objection = (duration != null) ? Durations.objection(duration, least) : null;
		if (duration != null && objection != null) {
			throw invalid(attribute, "%s = \"%s\" %s".formatted(attribute, text, objection),
					(duration.compareTo(least) < 0) ? fix : "make it shorter", null);
		}
		return duration;
	}

	private @Nullable Duration duration(String attribute, String text) {
		String value = resolve(attribute, text).strip();
		if (value.isEmpty()) {
			return null;
		}
		if (value.equals("0")) {
			return Duration.ZERO;
		}
		try {
			if (value.matches("[+-]?\\d+")) {
				throw new IllegalArgumentException("the unit is missing");
			}
			return DurationFormatterUtils.detectAndParse(value);
		}
		catch (IllegalArgumentException | ArithmeticException ex) {
			String resolved = value.equals(text) ? "" : " (resolved to \"%s\")".formatted(value);
			throw invalid(attribute, "%s = \"%s\"%s is not a duration".formatted(attribute, text, resolved),
					"write a number with its unit, such as \"10s\" or \"500ms\", or an ISO 8601 duration such as \"PT10S\"",
					ex);
		}
	}

	/** Returns a text with its placeholders resolved. */
	String resolve(String attribute, String text) {
		if (!text.contains("${")) {
			return text;
		}
		String fix = "define the property, or give a default as in \"${my.property:10s}\"";
		String problem = "%s = \"%s\" has a placeholder that cannot be resolved".formatted(attribute, text);
		try {
			String value = this.placeholders.resolveStringValue(text);
			if (value != null && !value.contains("${")) {
				return value;
			}
		}
		catch (IllegalArgumentException ex) {
			throw invalid(attribute, problem, fix, ex);
		}
		throw invalid(attribute, problem, fix, null);
	}

	private InvalidLockAnnotationException invalid(String attribute, String problem, String fix,
			@Nullable Throwable cause) {
		return new InvalidLockAnnotationException(this.method, attribute, problem, fix, cause);
	}

}
