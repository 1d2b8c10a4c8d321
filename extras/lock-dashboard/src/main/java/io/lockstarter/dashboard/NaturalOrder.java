package io.lockstarter.dashboard;

import java.util.Comparator;

/**
 * Order of texts in which numbers count as numbers: order:9 comes before order:10.
 */
enum NaturalOrder implements Comparator<String> {

	/** The only one. */
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

	private static int endOfNumber(String text, int begin) {
		int end = begin;
		while (end < text.length() && isDigit(text.charAt(end))) {
			end++;
		}
		return end;
	}

	/** Of however many digits. */
	private static int compareNumbers(String one, String other) {
		String left = one.replaceFirst("^0+(?=.)", "");
		String right = other.replaceFirst("^0+(?=.)", "");
		int byLength = Integer.compare(left.length(), right.length());
		return (byLength != 0) ? byLength : left.compareTo(right);
	}

}
