package io.lockstarter.benchmarks.report;

import java.util.Locale;

/**
 * Writes numbers for people.
 */
final class Numbers {

	private static final double SMALL = 100;

	private Numbers() {
	}

	static String format(double value, int decimals) {
		return Double.isNaN(value) ? "n/a" : String.format(Locale.ROOT, "%,." + decimals + "f", value);
	}

	/** Writes how many times as much something is. */
	static String ratio(double value, double base) {
		double ratio = value / base;
		if (Double.isNaN(ratio) || Double.isInfinite(ratio)) {
			return "–";
		}
		if (ratio >= SMALL) {
			return format(ratio, 0);
		}
		return format(ratio, (ratio < 0.095) ? 4 : 2);
	}

}
