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
 * Filter, order and range of the rows that a page requests.
 *
 * @param text the text that the name, an instance or a thread must contain, in lower case
 * @param metricName the name under which the locks must count in meters, or {@code null}
 * @param problemsOnly whether only locks with problems are requested
 * @param column the column by which the rows are sorted
 * @param descending whether the order is descending
 * @param offset the number of rows to skip
 * @param limit the maximum number of rows
 * @param pinned the keys of further requested rows
 */
record ViewQuery(String text, @Nullable String metricName, boolean problemsOnly, SortColumn column, boolean descending,
		int offset, int limit, Set<String> pinned) {

	private static final int DEFAULT_LIMIT = 50;

	private static final int MAX_LIMIT = 200;

	/** Returns the query in the parameters of a request. */
	static ViewQuery of(Function<String, @Nullable String> parameters) {
		String text = parameters.apply("q");
		String metricName = parameters.apply("metricName");
		String pinned = parameters.apply("pinned");
		String sort = parameters.apply("sort");
		return new ViewQuery((text != null) ? text.strip().toLowerCase(Locale.ROOT) : "",
				(metricName == null || metricName.isEmpty()) ? null : metricName,
				"true".equals(parameters.apply("problemsOnly")), SortColumn.of((sort != null) ? sort : "problem"),
				"true".equals(parameters.apply("descending")), number(parameters, "offset", 0, Integer.MAX_VALUE),
				number(parameters, "limit", DEFAULT_LIMIT, MAX_LIMIT), (pinned == null || pinned.isEmpty()) ? Set.of()
						: Arrays.stream(pinned.split(",", MAX_LIMIT)).collect(Collectors.toUnmodifiableSet()));
	}

	private static int number(Function<String, @Nullable String> parameters, String name, int defaultValue, int max) {
		String text = parameters.apply(name);
		if (text == null || text.isEmpty()) {
			return defaultValue;
		}
		if (!text.matches("\\d{1,9}")) {
			throw new InvalidEndpointRequestException(name + " is " + text,
					"The parameter '%s' must be a number".formatted(name));
		}
		return Math.min(Integer.parseInt(text), max);
	}

	Comparator<RowView> order() {
		Comparator<RowView> order = this.column.order();
		return (this.descending ? order.reversed() : order).thenComparing(SortColumn.BY_NAME);
	}

	/**
	 * Returns whether a lock passes the filter.
	 * @param row the lock as the viewer sees it
	 * @param lock the same lock
	 */
	boolean matches(RowView row, LockRow lock) {
		return (this.metricName == null || this.metricName.equals(row.metricName()))
				&& (!this.problemsOnly || !row.problems().isEmpty()) && (this.text.isEmpty() || contains(row.name())
						|| contains(row.metricName()) || lock.texts().anyMatch(this::contains));
	}

	private boolean contains(String each) {
		return each.toLowerCase(Locale.ROOT).contains(this.text);
	}

	/**
	 * Column by which rows are sorted.
	 */
	enum SortColumn {

		NAME, TYPE, HOLDER, HELD, LEASE, WAITING, WAIT,

		/**
		 * Column of problems. Its ascending order begins with the worst problems, and
		 * among equal ones with the locks that have waiting requests.
		 */
		PROBLEM;

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
				case PROBLEM -> Comparator.comparing(RowView::level)
					.reversed()
					.thenComparing((row) -> row.level() == LockRow.Level.GOOD || row.requests() == 0);
			};
		}

		private static SortColumn of(String name) {
			return Arrays.stream(values())
				.filter((each) -> each.name().equalsIgnoreCase(name))
				.findFirst()
				.orElseThrow(() -> new InvalidEndpointRequestException("sort is " + name,
						"The parameter 'sort' must be one of " + Arrays.toString(values()).toLowerCase(Locale.ROOT)));
		}

	}

}
