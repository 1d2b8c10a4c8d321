package io.lockstarter.core;

import java.util.Locale;

/**
 * Text for a log, of which a part may come from a user of the application: what names a
 * lock must not look like a line of its own.
 */
public final class OneLine {

	private OneLine() {
	}

	/**
	 * Show by their codes, as in Java's source, what ends a line and what cannot be seen:
	 * control and format characters, among them those that turn the direction of text.
	 * @param text any text
	 * @return the same on one line
	 */
	public static String of(String text) {
		return text.codePoints().anyMatch(OneLine::isUnsafe) ? escape(text) : text;
	}

	private static String escape(String text) {
		StringBuilder shown = new StringBuilder(text.length() + 16);
		text.codePoints().forEach((c) -> {
			if (isUnsafe(c)) {
				for (char unit : Character.toChars(c)) {
					shown.append(String.format(Locale.ROOT, "\\u%04X", (int) unit));
				}
			}
			else {
				shown.appendCodePoint(c);
			}
		});
		return shown.toString();
	}

	private static boolean isUnsafe(int c) {
		return switch (Character.getType(c)) {
			case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
					Character.SURROGATE ->
				true;
			default -> false;
		};
	}

}
