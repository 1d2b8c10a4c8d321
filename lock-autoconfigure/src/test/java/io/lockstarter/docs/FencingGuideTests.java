package io.lockstarter.docs;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What docs/fencing.md shows compiles and works.
 */
class FencingGuideTests {

	private static final Page PAGE = Page.of("docs", "fencing.md");

	private static final String SNIPPETS = Page.source(FencingSnippets.class);

	@ParameterizedTest
	@MethodSource
	void showsOnlyCodeThatCompiles(String line) {
		assertThat(Page.shows(SNIPPETS, line)).as(line).isTrue();
	}

	static Stream<String> showsOnlyCodeThatCompiles() {
		assertThat(PAGE.lines()).hasSizeGreaterThan(10);
		return PAGE.lines();
	}

	/** With the table that the page shows. */
	@Test
	void registersAndVerifiesWithoutSpringsTransactions() throws Exception {
		JdbcDataSource database = new JdbcDataSource();
		database.setURL("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()));
		JdbcClient jdbc = JdbcClient.create(database);
		jdbc.sql(PAGE.text().lines().filter((line) -> line.startsWith("CREATE TABLE")).findFirst().orElseThrow())
			.update();
		jdbc.sql("CREATE TABLE shipped (id VARCHAR(20))").update();
		try (InMemoryLockBackend backend = new InMemoryLockBackend(new InMemoryLockStore());
				DefaultLockRegistry registry = new DefaultLockRegistry(backend,
						new EngineSettings("here", Duration.ofSeconds(20), Duration.ofSeconds(30), null, false, 64),
						List.of())) {
			FencingSnippets snippets = new FencingSnippets(registry, database);
			snippets.ship("42");
			snippets.ship("42");
		}
		assertThat(jdbc.sql("SELECT id FROM shipped").query(String.class).list()).containsExactly("42", "42");
		assertThat(jdbc.sql("SELECT name FROM lock_fence").query(String.class).list()).containsExactly("order:42");
	}

}
