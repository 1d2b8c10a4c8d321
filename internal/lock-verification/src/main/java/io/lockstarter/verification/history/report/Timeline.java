package io.lockstarter.verification.history.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.lockstarter.verification.history.checker.RoundRecord;
import io.lockstarter.verification.history.checker.Violation;
import io.lockstarter.verification.history.nemesis.FaultEvent;
import io.lockstarter.verification.history.recording.Hold;

/**
 * Picture of the holds of a lock around a violation, with a line for each thread and with
 * the faults of that time.
 */
final class Timeline {

	private static final int WIDTH = 900;

	private static final int LABELS = 150;

	private static final int LINE = 18;

	/** Limit on holds in a picture: 200. */
	private static final int MAX_HOLDS = 200;

	private static final long MARGIN_NANOS = 20_000_000;

	private final long from;

	private final long to;

	private final StringBuilder shapes = new StringBuilder();

	private final Map<String, Integer> lines = new LinkedHashMap<>();

	private Timeline(long from, long to) {
		this.from = from;
		this.to = to;
	}

	static String draw(RoundRecord record, List<FaultEvent> faults, Violation violation) {
		long first = violation.holds().stream().mapToLong((hold) -> hold.grant().granted()).min().orElseThrow();
		long last = violation.holds().stream().mapToLong(Timeline::end).max().orElseThrow();
		long margin = MARGIN_NANOS + (last - first) / 4;
		Timeline timeline = new Timeline(first - margin, last + margin);
		faults.forEach(timeline::fault);
		record.jvms()
			.stream()
			.flatMap((jvm) -> jvm.holds().stream())
			.filter((hold) -> hold.grant().key().equals(violation.key()) && timeline.shows(hold))
			.limit(MAX_HOLDS)
			.forEach((hold) -> timeline.hold(hold, violation.holds().contains(hold)));
		return timeline.svg();
	}

	/** Returns the end of the drawn interval of a hold. */
	private static long end(Hold hold) {
		return Math.max(hold.grant().granted(), hold.believedEnd());
	}

	private boolean shows(Hold hold) {
		return hold.grant().granted() <= this.to && end(hold) >= this.from;
	}

	private void fault(FaultEvent event) {
		if (event.span().begin() <= this.to && event.span().end() >= this.from) {
			String target = (event.jvm() == FaultEvent.ALL) ? "" : String.format(Locale.ROOT, " (JVM %d)", event.jvm());
			int y = line("! " + event.fault().name().toLowerCase(Locale.ROOT) + target);
			bar(event.span().begin(), event.span().end(), y, "#f3c37a", event.fault() + target);
		}
	}

	private void hold(Hold hold, boolean involved) {
		int y = line(String.format(Locale.ROOT, "JVM %d %s", hold.grant().jvm(), hold.grant().thread()));
		String colour = involved ? "#c0392b" : hold.grant().isShared() ? "#8fbf8f" : "#7f9fcf";
		bar(hold.grant().granted(), end(hold), y, colour, String.format(Locale.ROOT,
				"%s, deadline %+.1f ms, released %s", hold, millis(hold.deadline()), hold.outcome()));
	}

	private double millis(long time) {
		return (time - this.from) / 1e6;
	}

	private int line(String label) {
		return this.lines.computeIfAbsent(label, (key) -> this.lines.size()) * LINE;
	}

	private void bar(long begin, long end, int y, String colour, String title) {
		double x = x(Math.max(begin, this.from));
		double width = Math.max(1, x(Math.min(end, this.to)) - x);
		this.shapes.append(String.format(Locale.ROOT,
				"<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"><title>%s</title></rect>", x, y + 2,
				width, LINE - 4, colour, title));
	}

	private double x(long time) {
		return LABELS + (double) (time - this.from) * (WIDTH - LABELS) / (this.to - this.from);
	}

	private String svg() {
		StringBuilder labels = new StringBuilder();
		this.lines.forEach((label, line) -> labels
			.append(String.format(Locale.ROOT, "<text x=\"0\" y=\"%d\">%s</text>", (line + 1) * LINE - 5, label)));
		int height = (this.lines.size() + 1) * LINE;
		return String.format(Locale.ROOT,
				"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-size=\"11\" font-family=\"sans-serif\">%s%s<text x=\"%d\" y=\"%d\">%.1f ms</text></svg>",
				WIDTH, height, labels, this.shapes, LABELS, height - 4, (this.to - this.from) / 1e6);
	}

}
