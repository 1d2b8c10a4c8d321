package io.lockstarter.core;

import java.util.Locale;

/**
 * Escaping of text for a log. A part of the text, such as a lock's name, may come from a
 * user of the application and must not look like a separate line.
 */
public final class OneLine {

	private OneLine() {
	}

	/**
	 * Escapes line breaks and invisible characters as in Java source: control and format
	 * characters, including those that change the direction of text.
	 * @param text any text
	 * @return the text on one line
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
