package io.lockstarter.sample.boxoffice;

import java.time.Duration;
import java.time.Instant;

import io.lockstarter.sample.SampleProperties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link Settlement}.
 */
class SettlementTests {

	private static final SampleProperties PROPERTIES = new SampleProperties("north", ".", Duration.ZERO,
			new SampleProperties.Redis(0), new SampleProperties.Settlement("-"),
			new SampleProperties.Rendering(1, Duration.ZERO));

	private final EmbeddedDatabase database = new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2)
		.generateUniqueName(true)
		.addScript("schema.sql")
		.build();

	private final JdbcClient jdbc = JdbcClient.create(this.database);

	private final Tickets tickets = new Tickets(this.jdbc);

	@AfterEach
	void close() {
		this.database.shutdown();
	}

	@Test
	void paysLaterForTicketsThatAreSoldMeanwhile() {
		sell("A1");
		assertThat(settlement(() -> sell("A2")).settle()).extracting(Settlement.Statement::tickets).isEqualTo(1);
		Settlement next = settlement(() -> {
		});
		assertThat(next.settle()).extracting(Settlement.Statement::tickets).isEqualTo(1);
		assertThat(next.settle()).isNull();
		assertThat(next.statements()).hasSize(2);
	}

	private void sell(String seat) {
		this.tickets.add(new Ticket(seat, "ann", PROPERTIES.instance(), Instant.now()));
	}

	private Settlement settlement(Runnable meanwhile) {
		return new Settlement(this.jdbc, this.tickets, new Paperwork(PROPERTIES) {
			@Override
			void fillIn() {
				meanwhile.run();
			}
		}, PROPERTIES);
	}

}
