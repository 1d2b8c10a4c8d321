package io.lockstarter.testing;

import java.util.List;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link SlotMigration}, with {@link SlotMigrationLoop}.
 */
class SlotMigrationTests {

	private static final String KEY = "lock:{a}";

	private static final String OTHER_KEY = "lock:{a}:fence";

	private static RedisCluster cluster;

	private SlotMigration migration;

	private RedisServer source;

	private RedisServer target;

	@BeforeAll
	static void startCluster() {
		cluster = RedisCluster.start();
	}

	@AfterAll
	static void closeCluster() {
		cluster.close();
	}

	@BeforeEach
	void prepare() {
		this.source = cluster.ownerOf(KEY);
		this.target = cluster.masters().stream().filter((master) -> master != this.source).findFirst().orElseThrow();
		this.migration = cluster.migration(KEY, this.target);
		this.source.cli("SET", KEY, "x", "PX", "60000");
		this.source.cli("SET", OTHER_KEY, "y");
	}

	@AfterEach
	void empty() {
		cluster.masters().forEach((master) -> master.cli("FLUSHALL"));
	}

	@Test
	void nothingMovesBeforeTheFirstStep() {
		assertThat(this.migration.source()).isSameAs(this.source);
		assertThat(this.migration.target()).isSameAs(this.target);
		assertThat(this.migration.keys()).containsExactlyInAnyOrder(KEY, OTHER_KEY);
		assertThat(this.source.cli("GET", KEY)).isEqualTo("x");
		assertRefused(() -> this.target.cli("GET", KEY), "MOVED");
	}

	@Test
	void slotMovesWithItsKeysStepByStep() {
		this.migration.begin();
		assertThat(this.source.cli("MGET", KEY, OTHER_KEY)).isEqualTo(List.of("x", "y"));
		assertRefused(() -> this.source.cli("GET", "new{a}"), "ASK");
		this.migration.moveKey(KEY);
		assertThat(this.migration.keys()).containsExactly(OTHER_KEY);
		assertRefused(() -> this.source.cli("GET", KEY), "ASK");
		assertRefused(() -> this.source.cli("MGET", KEY, OTHER_KEY), "TRYAGAIN");
		assertRefused(() -> this.target.cli("GET", KEY), "MOVED");
		assertThat(asking("GET", KEY)).isEqualTo("x");
		assertThat(cluster.ownerOf(KEY)).isSameAs(this.source);
		assertThatIllegalStateException().isThrownBy(this.migration::finish).withMessageContaining(OTHER_KEY);
		assertThat(this.migration.moveKey()).isTrue();
		assertThat(this.migration.moveKey()).isFalse();
		this.migration.finish();
		assertThat(cluster.ownerOf(KEY)).isSameAs(this.target);
		assertThat(this.target.cli("MGET", KEY, OTHER_KEY)).isEqualTo(List.of("x", "y"));
		assertThat((Long) this.target.cli("PTTL", KEY)).isBetween(30_000L, 60_000L);
		assertThat(this.target.cli("PTTL", OTHER_KEY)).isEqualTo(-1L);
	}

	@Test
	void everyNodePointsToTheTargetInTheEnd() {
		this.migration.complete();
		assertThat(cluster.masters()).hasSize(3);
		await().untilAsserted(() -> assertThat(cluster.nodes()).filteredOn((node) -> node != this.target)
			.hasSize(5)
			.allSatisfy((node) -> assertRefused(() -> node.cli("GET", KEY),
					"MOVED %d %s".formatted(RedisCluster.slotOf(KEY), this.target.address()))));
	}

	@Test
	void loopVisitsEachMasterUntilClosed() {
		try (SlotMigrationLoop loop = cluster.migrateInLoop(KEY)) {
			await().until(() -> cluster.ownerOf(KEY) == this.target);
			await().until(() -> cluster.ownerOf(KEY) == this.source);
			await().until(() -> loop.moves() > 20);
		}
		RedisServer owner = cluster.ownerOf(KEY);
		assertThat(owner.cli("MGET", KEY, OTHER_KEY)).isEqualTo(List.of("x", "y"));
		assertThat(cluster.migration(KEY, owner).keys()).hasSize(2);
	}

	private Object asking(String... command) {
		try (RespClient client = this.target.connect()) {
			client.call("ASKING");
			return client.call(command);
		}
	}

	private static void assertRefused(ThrowingCallable call, String message) {
		assertThatExceptionOfType(RespClient.ErrorReply.class).isThrownBy(call).withMessageStartingWith(message);
	}

}
