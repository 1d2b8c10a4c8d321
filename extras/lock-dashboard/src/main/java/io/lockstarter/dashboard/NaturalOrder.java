package io.lockstarter.dashboard;

import java.util.Comparator;

/**
 * Order of texts that compares the numbers in them by value: order:9 comes before
 * order:10.
 */
enum NaturalOrder implements Comparator<String> {

	/** The single instance. */
	INSTANCE;

	@Override
	public int compare(String one, String other) {
		int i = 0;
		int j = 0;
		while (i < one.length() && j < other.length()) {
			int compared;
			if (isDigit(one.charAt(i)) && isDigit(other.charAt(j))) {
				int endOfOne = endOfNumber(one, i);
				int endOfOther = endOfNumber(other, j);
				compared = compareNumbers(one.substring(i, endOfOne), other.substring(j, endOfOther));
				i = endOfOne;
				j = endOfOther;
			}
			else {
				compared = Character.compare(Character.toLowerCase(one.charAt(i++)),
						Character.toLowerCase(other.charAt(j++)));
			}
			if (compared != 0) {
				return compared;
			}
		}
		int rest = Integer.compare(one.length() - i, other.length() - j);
		return (rest != 0) ? rest : one.compareTo(other);
	}

	private static boolean isDigit(char character) {
		return character >= '0' && character <= '9';
	}

	private static int endOfNumber(String text, int start) {
		int end = start;
		while (end < text.length() && isDigit(text.charAt(end))) {
			end++;
		}
		return end;
	}

	/** Compares two numbers, which may have any number of digits. */
	private static int compareNumbers(String one, String other) {
		String left = one.replaceFirst("^0+(?=.)", "");
		String right = other.replaceFirst("^0+(?=.)", "");
		int byLength = Integer.compare(left.length(), right.length());
		return (byLength != 0) ? byLength : left.compareTo(right);
	}

}
