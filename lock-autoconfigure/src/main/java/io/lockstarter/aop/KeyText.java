package io.lockstarter.aop;

import java.net.InetAddress;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Objects;
import java.util.TimeZone;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;

/**
 * The text of a key's value, the same in every JVM.
 */
final class KeyText {

	private KeyText() {
	}

	/**
	 * Return the text of a value, or the texts of several.
	 * @throws RefusedException if one of them makes no key, or there is none
	 */
	static List<String> all(@Nullable Object value) {
		Stream<?> values = several(value);
		if (values == null) {
			return List.of(of(value));
		}
		List<String> texts = values.map(KeyText::of).toList();
		if (texts.isEmpty()) {
			throw new RefusedException(
					("is an empty %s for this call, and would lock nothing; check the argument" + " before the call")
						.formatted(Objects.requireNonNull(value).getClass().getSimpleName()));
		}
		return texts;
	}

	/**
	 * Return the values, or {@code null} for one. Some simple values, such as a path, can
	 * be iterated over, too.
	 */
	private static @Nullable Stream<?> several(@Nullable Object value) {
		if (value instanceof Iterable<?> values && !ClassUtils.isSimpleValueType(value.getClass())) {
			return StreamSupport.stream(values.spliterator(), false);
		}
		return (value != null && value.getClass().isArray()) ? Arrays.stream(ObjectUtils.toObjectArray(value)) : null;
	}

	/**
	 * Return the text of a value.
	 * @throws RefusedException if the value makes no key
	 */
	static String of(@Nullable Object value) {
		if (value == null) {
			throw new RefusedException("is null for this call, and would lock what has nothing in common;"
					+ " check the argument before the call");
		}
		String text = textOf(value);
		if (text.isEmpty()) {
			throw new RefusedException("is empty for this call, and would lock what has nothing in common;"
					+ " check the argument before the call");
		}
		return text;
	}

	@SuppressWarnings("JavaUtilDate")
	private static String textOf(Object value) {
		if (value instanceof Enum<?> constant) {
			return constant.name();
		}
		if (value instanceof Class<?> type) {
			return type.getName();
		}
		if (value instanceof Date date) {
			return Instant.ofEpochMilli(date.getTime()).toString();
		}
		if (value instanceof TimeZone zone) {
			return zone.getID();
		}
		if (value instanceof InetAddress address) {
			return address.getHostAddress();
		}
		String text = ClassUtils.isSimpleValueType(value.getClass()) ? value.toString() : null;
		if (text == null || isIdentity(value, text)) {
			throw refused(value);
		}
		return text;
	}

	private static RefusedException refused(Object value) {
		if (value instanceof Iterable<?> || value.getClass().isArray()) {
			return new RefusedException("has a %s among its values for this call; each must be simple"
				.formatted(value.getClass().getSimpleName()));
		}
		return new RefusedException(("is a %s for this call, which has no text that is the same in every JVM;"
				+ " use a simple property of it, as in #order.id")
			.formatted(value.getClass().getName()));
	}

	/**
	 * Return whether a text is that of objects without one of their own, such as a custom
	 * number without a {@code toString}.
	 */
	private static boolean isIdentity(Object value, String text) {
		String type = value.getClass().getName();
		return text.startsWith(type) && text.startsWith("@", type.length());
	}

	/**
	 * A value makes no key. The message is the rest of a sentence on the key.
	 */
	static final class RefusedException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		RefusedException(String message) {
			super(message, null, false, false);
		}

	}

}
