package io.lockstarter.testing;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RedisCluster}.
 */
@Tag("stress")
class RedisClusterTests {

	private static RedisCluster healthy;

	@BeforeAll
	static void start() {
		healthy = RedisCluster.start();
	}

	@AfterAll
	static void close() {
		healthy.close();
	}

	@Test
	void eachSlotHasAMasterWithAReplica() {
		assertThat(healthy.addresses()).doesNotHaveDuplicates().hasSize(6);
		List<RedisServer> masters = healthy.masters();
		assertThat(masters).hasSize(3);
		assertThat(masters).extracting(healthy::replicaOf).doesNotHaveDuplicates().doesNotContainAnyElementsOf(masters);
		assertThat(List.of(0, 16383)).extracting(healthy::ownerOf).doesNotHaveDuplicates().isSubsetOf(masters);
		assertThat(IntStream.range(0, 20).mapToObj((i) -> healthy.ownerOf("key" + i))).containsAll(masters);
	}

	@Test
	void slotOfAKeyIsThatOfItsHashTag() {
		RedisServer node = healthy.nodes().get(0);
		assertThat(List.of("a", "lock:{a}", "lock:{a}:fence", "{}a", "a{", "\u00e9")).allSatisfy(
				(key) -> assertThat(node.cli("CLUSTER", "KEYSLOT", key)).isEqualTo((long) RedisCluster.slotOf(key)));
		assertThat(RedisCluster.slotOf("lock:{a}:fence")).isEqualTo(RedisCluster.slotOf("a"));
	}

	@Test
	void ownerServesItsKeysWhileOthersPointToIt() {
		RedisServer owner = healthy.ownerOf("a");
		assertThat(owner.cli("SET", "a", "b")).isEqualTo("OK");
		assertThat(healthy.nodes()).filteredOn((node) -> node != owner)
			.hasSize(5)
			.allSatisfy((node) -> assertThatExceptionOfType(RespClient.ErrorReply.class)
				.isThrownBy(() -> node.cli("GET", "a"))
				.withMessage("MOVED %d %s", RedisCluster.slotOf("a"), owner.address()));
	}

	@Test
	void replicaTakesOverWhenAMasterIsKilled() {
		try (RedisCluster cluster = RedisCluster.start()) {
			RedisServer master = cluster.ownerOf("a");
			RedisServer replica = cluster.replicaOf(master);
			master.cli("SET", "a", "b");
			await().until(() -> replica.cli("DBSIZE").equals(1L));
			master.kill();
			assertThat(cluster.ownerOf("a")).isSameAs(master);
			assertThat(cluster.awaitFailover("a", master)).isSameAs(replica);
			assertThat(cluster.masters()).hasSize(3).contains(replica).doesNotContain(master);
			assertThat(replica.cli("GET", "a")).isEqualTo("b");
			master.restart();
			await().until(() -> cluster.replicaOf(replica) == master);
		}
	}

	@Test
	void replicaTakesOverWhenAMasterHangs() {
		try (RedisCluster cluster = RedisCluster.start()) {
			RedisServer master = cluster.ownerOf("a");
			RedisServer replica = cluster.replicaOf(master);
			master.stop();
			try (RespClient impatient = master.connect(Duration.ofMillis(100))) {
				assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> impatient.call("PING"));
			}
			assertThat(cluster.ownerOf("a")).isSameAs(master);
			assertThat(cluster.awaitFailover("a", master)).isSameAs(replica);
			master.resume();
			assertThat(cluster.ownerOf("a")).isSameAs(replica);
			await().until(() -> cluster.replicaOf(replica) == master);
		}
	}

}
