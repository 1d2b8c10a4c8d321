package io.lockstarter.aop;

import java.net.InetAddress;
import java.time.Instant;
import java.util.Date;
import java.util.TimeZone;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * The text of a key's value, the same in every JVM.
 */
final class KeyText {

	private KeyText() {
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
		if (isSimple(value)) {
			return value.toString();
		}
		throw refused(value);
	}

	private static RefusedException refused(Object value) {
		if (value instanceof Iterable<?> || value.getClass().isArray()) {
			return new RefusedException("is a %s for this call; a key must be one simple value"
				.formatted(value.getClass().getSimpleName()));
		}
		return new RefusedException(("is a %s for this call, which has no text that is the same in every JVM;"
				+ " use a simple property of it, as in #order.id")
			.formatted(value.getClass().getName()));
	}

	/**
	 * Return whether a value's type has a text of its own. A custom number without a
	 * {@code toString} would show its identity.
	 */
	private static boolean isSimple(Object value) {
		return ClassUtils.isSimpleValueType(value.getClass()) && !isIdentity(value);
	}

	private static boolean isIdentity(Object value) {
		return value.toString().startsWith(value.getClass().getName() + "@");
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
