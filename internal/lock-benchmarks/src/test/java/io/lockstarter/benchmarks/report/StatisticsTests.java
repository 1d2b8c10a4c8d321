package io.lockstarter.benchmarks.report;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StatisticsTests {

	@Test
	void medianOfAnOddNumberIsTheMiddleOne() {
		assertThat(Statistics.median(List.of(9.0, 1.0, 2.0))).isEqualTo(2);
	}

	@Test
	void medianOfAnEvenNumberLiesBetweenTheMiddleTwo() {
		assertThat(Statistics.median(List.of(4.0, 1.0, 2.0, 9.0))).isEqualTo(3);
	}

	@Test
	void nothingHasNoMedian() {
		assertThat(Statistics.median(List.of())).isNaN();
		assertThat(Statistics.percentile(List.of(), 0.5)).isNaN();
	}

	@Test
	void percentileIsTheValueThatThePartDoesNotExceed() {
		List<Double> values = IntStream.rangeClosed(1, 100).mapToObj(Double::valueOf).toList();
		assertThat(Statistics.percentile(values, 0.5)).isEqualTo(50);
		assertThat(Statistics.percentile(values, 0.99)).isEqualTo(99);
		assertThat(Statistics.percentile(values, 1)).isEqualTo(100);
		assertThat(Statistics.percentile(List.of(7.0), 0.99)).isEqualTo(7);
	}

	@Test
	void mediansAreTakenForEachMetric() {
		Map<Metric, Double> medians = Statistics.medians(List.of(Map.of(Metric.THROUGHPUT, 1.0, Metric.CPU, 5.0),
				Map.of(Metric.THROUGHPUT, 3.0), Map.of(Metric.THROUGHPUT, 2.0)));
		assertThat(medians).containsExactlyInAnyOrderEntriesOf(Map.of(Metric.THROUGHPUT, 2.0, Metric.CPU, 5.0));
	}

	@Test
	void sharesArePartsOfTheMean() {
		long[] shares = { 50, 100, 150 };
		assertThat(Statistics.leastShare(shares)).isEqualTo(0.5);
		assertThat(Statistics.greatestShare(shares)).isEqualTo(1.5);
	}

}
