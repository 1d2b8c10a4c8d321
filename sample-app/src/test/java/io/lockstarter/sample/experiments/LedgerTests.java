package io.lockstarter.sample.experiments;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link Ledger}.
 */
class LedgerTests {

	private final EmbeddedDatabase database = new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2)
		.generateUniqueName(true)
		.addScript("schema.sql")
		.build();

	private final JdbcClient jdbc = JdbcClient.create(this.database);

	private final Ledger ledger = new Ledger(this.jdbc);

	@BeforeEach
	void open() {
		this.ledger.open();
	}

	@AfterEach
	void shutDown() {
		this.database.shutdown();
	}

	@Test
	void refusesLowerTokenThanItHasSeen() {
		assertThat(this.ledger.write("first", 41)).isTrue();
		assertThat(this.ledger.write("next", 43)).isTrue();
		assertThat(this.ledger.write("stale", 42)).isFalse();
		assertThat(token()).isEqualTo(43);
	}

	@Test
	void takesSeveralWritesOfOneHold() {
		assertThat(this.ledger.write("first", 41)).isTrue();
		assertThat(this.ledger.write("second", 41)).isTrue();
	}

	@Test
	void keepsTokenWhenOpenedAgain() {
		this.ledger.write("first", 41);
		this.ledger.open();
		assertThat(token()).isEqualTo(41);
	}

	private long token() {
		return this.jdbc.sql("select token from ledger").query(Long.class).single();
	}

}
