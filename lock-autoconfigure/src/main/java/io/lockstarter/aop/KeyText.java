package io.lockstarter.aop;

import java.math.BigDecimal;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.TimeZone;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;

/**
 * Text of a key's value, which is the same in every JVM.
 */
final class KeyText {

	/** Remedy for a key of bytes. */
	static final String TEXT_OF_BYTES = "use a text that is made of it, as in T(java.util.HexFormat).of().formatHex(#digest)";

	/** Maximum length of a key in UTF-8: 1024 bytes. */
	private static final int LONGEST = 1024;

	/**
	 * Maximum number of zeros that a number is written with. Beyond it, the scientific
	 * notation is used.
	 */
	private static final int MOST_ZEROS = 100;

	private KeyText() {
	}

	/** Returns whether values of a type are arrays of bytes, which count as one value. */
	static boolean isOfBytes(Class<?> type) {
		return type == byte[].class || type == Byte[].class;
	}

	/**
	 * Returns the text of a value, or the texts of its elements.
	 * @throws RefusedException if one of them cannot be a key, or there is none
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
	 * Returns the elements of a value, or {@code null} for a single value. Some simple
	 * values, such as a path, are iterable as well.
	 */
	private static @Nullable Stream<?> several(@Nullable Object value) {
		if (value != null && isOfBytes(value.getClass())) {
			throw new RefusedException("is a " + value.getClass().getSimpleName() + " for this call; " + TEXT_OF_BYTES);
		}
		if (value instanceof Iterable<?> values && !ClassUtils.isSimpleValueType(value.getClass())) {
			return StreamSupport.stream(values.spliterator(), false);
		}
		return (value != null && value.getClass().isArray()) ? Arrays.stream(ObjectUtils.toObjectArray(value)) : null;
	}

	/**
	 * Returns the text of a value.
	 * @throws RefusedException if the value cannot be a key
	 */
	static String of(@Nullable Object boxed) {
		Object value = KotlinValues.unbox(boxed);
		if (value == null) {
			throw withoutKey("null");
		}
		String text = textOf(value);
		if (text.isEmpty()) {
			throw withoutKey("empty");
		}
		int length = (text.length() > LONGEST / 3) ? text.getBytes(StandardCharsets.UTF_8).length : 0;
		if (length > LONGEST) {
			throw new RefusedException(String.format(Locale.ROOT,
					"has a text of %d bytes for this call, and may have %d; use a simple property, or a hash of it",
					length, LONGEST));
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
		if (value instanceof BigDecimal number) {
			return textOf(number);
		}
		String text = ClassUtils.isSimpleValueType(value.getClass()) ? value.toString()
				: KotlinValues.textOf(value).orElse(null);
		if (text == null || isIdentity(value, text)) {
			throw refused(value);
		}
		return text;
	}

	/** Returns the same text for equal numbers, and that of an integer for whole ones. */
	private static String textOf(BigDecimal number) {
		BigDecimal stripped = number.stripTrailingZeros();
		return (Math.abs((long) stripped.scale()) > MOST_ZEROS) ? stripped.toString() : stripped.toPlainString();
	}

	/**
	 * Returns the refusal of a null or empty value, because all calls with such a key
	 * would share one lock.
	 */
	private static RefusedException withoutKey(String what) {
		return new RefusedException(
				"is %1$s for this call. All calls whose key is %1$s would wait for the same lock,".formatted(what)
						+ " although they may be unrelated: check the argument before the call");
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
	 * Returns whether a text is the default one of {@link Object#toString}, such as that
	 * of a custom number without a {@code toString} method.
	 */
	private static boolean isIdentity(Object value, String text) {
		String type = value.getClass().getName();
		return text.startsWith(type) && text.startsWith("@", type.length());
	}

	/**
	 * Thrown when a value cannot be a key. The message continues a sentence about the
	 * key.
	 */
	static final class RefusedException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		RefusedException(String message) {
			super(message, null, false, false);
		}

	}

}
