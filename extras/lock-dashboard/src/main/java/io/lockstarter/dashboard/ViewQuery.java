package io.lockstarter.dashboard;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.lockstarter.dashboard.View.RowView;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/**
 * What a page wants to see of the locks.
 *
 * @param text what names, instances or threads must contain, in lower case
 * @param metricName the name under which locks must count in meters, or {@code null}
 * @param troubled whether only those are wanted with which something is wrong
 * @param sorting by what rows are sorted
 * @param descending whether the largest comes first
 * @param offset how many rows come before the first one wanted
 * @param limit how many rows are wanted
 * @param pinned keys of rows that are wanted wherever they are
 */
record ViewQuery(String text, @Nullable String metricName, boolean troubled, Sorting sorting, boolean descending,
		int offset, int limit, Set<String> pinned) {

	private static final int LIMIT = 50;

	private static final int LARGEST_LIMIT = 200;

	/** Reads the parameters of a request. */
	static ViewQuery of(Function<String, @Nullable String> parameters) {
		String text = parameters.apply("q");
		String metricName = parameters.apply("metricName");
		String pinned = parameters.apply("pinned");
		String sort = parameters.apply("sort");
		return new ViewQuery((text != null) ? text.strip().toLowerCase(Locale.ROOT) : "",
				(metricName == null || metricName.isEmpty()) ? null : metricName,
				"true".equals(parameters.apply("troubled")), Sorting.of((sort != null) ? sort : "trouble"),
				"true".equals(parameters.apply("descending")), number(parameters, "offset", 0, Integer.MAX_VALUE),
				number(parameters, "limit", LIMIT, LARGEST_LIMIT), (pinned == null || pinned.isEmpty()) ? Set.of()
						: Arrays.stream(pinned.split(",", LARGEST_LIMIT)).collect(Collectors.toUnmodifiableSet()));
	}

	private static int number(Function<String, @Nullable String> parameters, String name, int byDefault, int largest) {
		String text = parameters.apply(name);
		if (text == null || text.isEmpty()) {
			return byDefault;
		}
		if (!text.matches("\\d{1,9}")) {
			throw new InvalidEndpointRequestException(name + " is " + text,
					"The parameter '%s' must be a number".formatted(name));
		}
		return Math.min(Integer.parseInt(text), largest);
	}

	Comparator<RowView> order() {
		Comparator<RowView> order = this.sorting.order();
		return (this.descending ? order.reversed() : order).thenComparing(Sorting.BY_NAME);
	}

	/**
	 * Returns whether a lock passes the filter.
	 * @param row the lock as the viewer sees it
	 * @param lock the same lock
	 */
	boolean isPassedBy(RowView row, LockRow lock) {
		return (this.metricName == null || this.metricName.equals(row.metricName()))
				&& (!this.troubled || !row.troubles().isEmpty()) && (this.text.isEmpty() || contains(row.name())
						|| contains(row.metricName()) || lock.texts().anyMatch(this::contains));
	}

	private boolean contains(String each) {
		return each.toLowerCase(Locale.ROOT).contains(this.text);
	}

	/**
	 * By what rows are sorted.
	 */
	enum Sorting {

		NAME, TYPE, HOLDER, HELD, LEASE, WAITING, WAIT,

		/**
		 * Ascending: the worst come first, and of these the ones that others wait for.
		 */
		TROUBLE;

		private static final Comparator<RowView> BY_NAME = Comparator.comparing(RowView::name, NaturalOrder.INSTANCE)
			.thenComparing(RowView::key);

		private Comparator<RowView> order() {
			return switch (this) {
				case NAME -> BY_NAME;
				case TYPE -> Comparator.comparing((RowView row) -> (row.type() != null) ? row.type() : "");
				case HOLDER -> Comparator.comparing(
						(RowView row) -> (row.holder() != null) ? row.holder().instance() : "", NaturalOrder.INSTANCE);
				case HELD -> Comparator.comparingLong(RowView::heldMillis);
				case LEASE -> Comparator.comparingLong(RowView::leaseMillis);
				case WAITING -> Comparator.comparingInt(RowView::requests);
				case WAIT -> Comparator.comparingLong(RowView::longestWaitMillis);
				case TROUBLE -> Comparator.comparing(RowView::level)
					.reversed()
					.thenComparing((row) -> row.level() == LockRow.Level.GOOD || row.requests() == 0);
			};
		}

		private static Sorting of(String name) {
			return Arrays.stream(values())
				.filter((each) -> each.name().equalsIgnoreCase(name))
				.findFirst()
				.orElseThrow(() -> new InvalidEndpointRequestException("sort is " + name,
						"The parameter 'sort' must be one of " + Arrays.toString(values()).toLowerCase(Locale.ROOT)));
		}

	}

}
