package io.lockstarter.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.style.Styler.ChartTheme;

/**
 * Charts of measured figures.
 */
final class Charts {

	private static final String FOLDER = "benchmark-charts";

	private static final List<Metric> DRAWN = List.of(Metric.THROUGHPUT, Metric.WAIT_P99, Metric.WAKE_UP_P50,
			Metric.WAKE_UP_P99, Metric.CORES, Metric.CALL);

	private static final int WIDTH = 900;

	private static final int HEIGHT = 420;

	private static final int LABEL_DEGREES = 30;

	/** Width of labels, small enough that no label is omitted. */
	private static final int LABEL_WIDTH = 20;

	/** Smallest drawn value, because a logarithmic axis has no zero. */
	private static final double LEAST = 1e-4;

	/** Decades between a bar and the end of the axis. */
	private static final double MARGIN = 0.1;

	private Charts() {
	}

	/** Returns the metrics of a scenario that are drawn. */
	static List<Metric> drawn(Outcome outcome) {
		return outcome.metrics()
			.stream()
			.filter(DRAWN::contains)
			.filter((metric) -> outcome.rows().stream().anyMatch((row) -> !Double.isNaN(row.figure(metric))))
			.toList();
	}

	/** Returns the path of a chart relative to the report. */
	static String file(Outcome outcome, Metric metric) {
		return "%s/%s-%s.svg".formatted(FOLDER, outcome.scenario(), metric.name().toLowerCase(Locale.ROOT));
	}

	static void write(List<Outcome> outcomes, Path folder) throws IOException {
		Files.createDirectories(folder.resolve(FOLDER));
		for (Outcome outcome : outcomes) {
			for (Metric metric : drawn(outcome)) {
				ChartEncoder.saveChart(chart(outcome, metric), folder.resolve(file(outcome, metric)).toString(), "svg");
			}
		}
	}

	private static CategoryChart chart(Outcome outcome, Metric metric) {
		CategoryChart chart = new CategoryChartBuilder().width(WIDTH)
			.height(HEIGHT)
			.theme(ChartTheme.GGPlot2)
			.title(outcome.title())
			.yAxisTitle(metric.title() + " (logarithmic)")
			.build();
		List<Row> rows = outcome.rows().stream().filter((row) -> !Double.isNaN(row.figure(metric))).toList();
		List<Double> values = rows.stream().map((row) -> Math.max(LEAST, row.figure(metric))).toList();
		chart.getStyler().setLegendVisible(false);
		chart.getStyler()
			.setYAxisLogarithmic(true)
			.setXAxisLabelRotation(LABEL_DEGREES)
			.setXAxisTickMarkSpacingHint(LABEL_WIDTH)
			.setYAxisMin(powerOfTen(Math.floor(Math.log10(Collections.min(values)) - MARGIN)))
			.setYAxisMax(powerOfTen(Math.ceil(Math.log10(Collections.max(values)) + MARGIN)));
		chart.addSeries(metric.title(), rows.stream().map(Row::label).toList(), values);
		return chart;
	}

	private static double powerOfTen(double exponent) {
		return Math.pow(10, exponent);
	}

}
