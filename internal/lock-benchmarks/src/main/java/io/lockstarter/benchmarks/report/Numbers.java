package io.lockstarter.benchmarks.report;

import java.util.Locale;

/**
 * Format of numbers in reports.
 */
final class Numbers {

	private static final double SMALL = 100;

	private Numbers() {
	}

	static String format(double value, int decimals) {
		return Double.isNaN(value) ? "n/a" : String.format(Locale.ROOT, "%,." + decimals + "f", value);
	}

	/** Formats the ratio of two values. */
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
