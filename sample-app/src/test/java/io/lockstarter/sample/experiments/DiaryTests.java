package io.lockstarter.sample.experiments;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.lockstarter.sample.SampleProperties;
import io.lockstarter.sample.experiments.Event.Kind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests of {@link Diary}.
 */
class DiaryTests {

	private final EmbeddedDatabase database = new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2)
		.generateUniqueName(true)
		.addScript("schema.sql")
		.build();

	private final Diary diary = diary("north");

	@AfterEach
	void shutDown() {
		this.database.shutdown();
	}

	@Test
	void tellsEventsOfAllInstancesInTheirOrder() throws InterruptedException {
		Diary other = diary("south");
		this.diary.add(Experiment.FREEZE, Kind.STARTED, Long.MAX_VALUE, "freezes");
		this.diary.close();
		other.add(Experiment.FREEZE, Kind.FAILED, (Long) null, "could not go on");
		other.close();
		assertThat(this.diary.latest()).extracting(Event::instance, Event::kind, Event::token)
			.containsExactly(tuple("north", Kind.STARTED, String.valueOf(Long.MAX_VALUE)),
					tuple("south", Kind.FAILED, null));
	}

	@Test
	void keepsTheLatestEvents() throws InterruptedException {
		IntStream.rangeClosed(1, 205)
			.forEach((number) -> this.diary.add(Experiment.CUT, Kind.STEP, (long) number, "goes on"));
		this.diary.close();
		List<String> tokens = this.diary.latest().stream().map(Event::token).toList();
		assertThat(tokens).hasSize(200).startsWith("6").endsWith("205");
		assertThat(JdbcClient.create(this.database).sql("select count(*) from event").query(Integer.class).single())
			.isEqualTo(200);
	}

	private Diary diary(String instance) {
		return new Diary(JdbcClient.create(this.database),
				new SampleProperties(instance, ".", Duration.ZERO, new SampleProperties.Redis(0),
						new SampleProperties.Settlement("-"), new SampleProperties.Rendering(1, Duration.ZERO)));
	}

}
