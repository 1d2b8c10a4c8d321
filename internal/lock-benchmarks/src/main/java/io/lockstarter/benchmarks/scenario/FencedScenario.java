package io.lockstarter.benchmarks.scenario;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

import javax.sql.DataSource;

import io.lockstarter.benchmarks.Options;
import io.lockstarter.benchmarks.aspect.Shipments;
import io.lockstarter.benchmarks.aspect.Shipments.Way;
import io.lockstarter.benchmarks.report.Metric;
import io.lockstarter.benchmarks.report.Outcome;
import io.lockstarter.benchmarks.report.Row;
import io.lockstarter.benchmarks.report.Statistics;
import io.lockstarter.testing.PostgresFixture;
import io.lockstarter.testing.RedisServer;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Scenario that measures the cost and the statements of a fence around a transaction in
 * PostgreSQL.
 */
record FencedScenario() implements Scenario {

	private static final List<Metric> METRICS = List.of(Metric.CALL, Metric.STATEMENTS);

	private static final Duration WARM_UP = Duration.ofSeconds(3);

	private static final Duration ROUND = Duration.ofSeconds(1);

	@Override
	public String id() {
		return "fenced";
	}

	@Override
	public Outcome run(Options options) {
		int rounds = options.form().pick(5, 9);
		Counting database = new Counting(PostgresFixture.createDatabase());
		Map<Way, List<Map<Metric, Double>>> figures = new EnumMap<>(Way.class);
		try (RedisServer redis = RedisServer.start();
				ConfigurableApplicationContext application = Shipments.start(database, redis.port())) {
			Shipments shipments = application.getBean(Shipments.class);
			Way.all().forEach((way) -> measure(way.call(shipments), WARM_UP, database));
			for (int i = 0; i < rounds; i++) {
				Way.all()
					.forEach((way) -> figures.computeIfAbsent(way, (key) -> new ArrayList<>())
						.add(measure(way.call(shipments), ROUND, database)));
			}
		}
		return new Outcome(id(), "Annotated method with a transaction", String.format(Locale.ROOT,
				"One thread; a method reads and writes a row of PostgreSQL (without fsync) in one transaction; medians of %d rounds of %d ms in turns. Statements besides commits, exactly",
				rounds, ROUND.toMillis()), METRICS,
				Way.all().stream().map((way) -> row(way, figures.getOrDefault(way, List.of()))).toList());
	}

	private static Row row(Way way, List<Map<Metric, Double>> rounds) {
		return new Row(way.toString(), Statistics.medians(rounds), rounds, "", List.of());
	}

	private static Map<Metric, Double> measure(LongConsumer call, Duration time, Counting database) {
		long statements = database.statements.get();
		long begin = System.nanoTime();
		long calls = 0;
		long taken;
		do {
			call.accept(calls++);
			taken = System.nanoTime() - begin;
		}
		while (taken < time.toNanos());
		return new EnumMap<>(Map.of(Metric.CALL, (double) taken / calls, Metric.STATEMENTS,
				(double) (database.statements.get() - statements) / calls));
	}

	/**
	 * Data source that counts prepared statements, each of which is executed once.
	 */
	private static final class Counting extends DelegatingDataSource {

		private final AtomicLong statements = new AtomicLong();

		Counting(DataSource target) {
			super(target);
		}

		@Override
		public Connection getConnection() throws SQLException {
			Connection connection = super.getConnection();
			return (Connection) Proxy.newProxyInstance(Counting.class.getClassLoader(),
					new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
						if (method.getName().equals("prepareStatement")) {
							this.statements.incrementAndGet();
						}
						try {
							return method.invoke(connection, arguments);
						}
						catch (InvocationTargetException ex) {
							throw ex.getTargetException();
						}
					});
		}

	}

}
