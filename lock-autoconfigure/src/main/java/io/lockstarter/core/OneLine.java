package io.lockstarter.core;

/**
 * Text for a log, of which a part may come from a user of the application: what names a
 * lock must not look like a line of its own.
 */
public final class OneLine {

	private OneLine() {
	}

	/**
	 * Show control characters and the ends of lines by their codes, as in Java's source.
	 * @param text any text
	 * @return the same on one line
	 */
	public static String of(String text) {
		for (int i = 0; i < text.length(); i++) {
			if (isUnsafe(text.charAt(i))) {
				return escape(text);
			}
		}
		return text;
	}

	private static String escape(String text) {
		StringBuilder shown = new StringBuilder(text.length() + 16);
		text.chars().forEach((c) -> {
			if (isUnsafe((char) c)) {
				shown.append("\\u%04X".formatted(c));
			}
			else {
				shown.append((char) c);
			}
		});
		return shown.toString();
	}

	private static boolean isUnsafe(char c) {
		return Character.isISOControl(c) || c == 0x2028 || c == 0x2029;
	}

}
