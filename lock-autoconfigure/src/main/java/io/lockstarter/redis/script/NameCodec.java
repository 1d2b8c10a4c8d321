package io.lockstarter.redis.script;

import java.util.Locale;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Injective encoding of lock names, without the braces and control characters that a hash
 * tag must not contain.
 */
final class NameCodec {

	private static final Pattern ENCODED = Pattern.compile("(?:[^%]|%[0-9A-F]{2}|%u[0-9A-F]{4})*");

	private NameCodec() {
	}

	static String encode(String name) {
		StringBuilder encoded = null;
		for (int i = 0; i < name.length(); i++) {
			char c = name.charAt(i);
			boolean pair = Character.isHighSurrogate(c) && i + 1 < name.length()
					&& Character.isLowSurrogate(name.charAt(i + 1));
			if (encoded == null && (pair || !isReserved(c))) {
				i += pair ? 1 : 0;
				continue;
			}
			if (encoded == null) {
				encoded = new StringBuilder(name.length() + 16).append(name, 0, i);
			}
			if (pair) {
				encoded.append(c).append(name.charAt(++i));
			}
			else if (Character.isSurrogate(c)) {
				encoded.append(String.format(Locale.ROOT, "%%u%04X", (int) c));
			}
			else if (isReserved(c)) {
				encoded.append(String.format(Locale.ROOT, "%%%02X", (int) c));
			}
			else {
				encoded.append(c);
			}
		}
		return (encoded != null) ? encoded.toString() : name;
	}

	private static boolean isReserved(char c) {
		return c == '{' || c == '}' || c == '%' || c < ' ' || c == 0x7F || Character.isSurrogate(c);
	}

	/** Decodes a name, or returns {@code null} if the text is not an encoded name. */
	static @Nullable String decode(String encoded) {
		if (encoded.indexOf('%') < 0) {
			return encoded;
		}
		if (!ENCODED.matcher(encoded).matches()) {
			return null;
		}
		StringBuilder name = new StringBuilder(encoded.length());
		for (int i = 0; i < encoded.length(); i++) {
			char c = encoded.charAt(i);
			if (c != '%') {
				name.append(c);
				continue;
			}
			int start = i + ((encoded.charAt(i + 1) == 'u') ? 2 : 1);
			int end = (start == i + 2) ? start + 4 : start + 2;
			name.append((char) Integer.parseInt(encoded, start, end, 16));
			i = end - 1;
		}
		return name.toString();
	}

}
