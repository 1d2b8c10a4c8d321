package io.lockstarter.redis.script;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lockstarter.testing.RedisCluster;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SlotTags}.
 */
class SlotTagsTests {

	@Test
	void leadToEachSlot() {
		assertThat(IntStream.range(0, 16_384)).allSatisfy((slot) -> {
			assertThat(SlotTags.of(slot)).matches("[0-9a-z]{1,4}");
			assertThat(RedisCluster.slotOf("any:{" + SlotTags.of(slot) + "}")).isEqualTo(slot);
		});
	}

	@Test
	void areSharedByTheLocksOfASlot() {
		LockKeys keys = new LockKeys("lock:", () -> "client");
		Set<String> fences = IntStream.range(0, 200_000)
			.mapToObj((i) -> keys.all("order-" + i))
			.peek((all) -> assertThat(RedisCluster.slotOf(all.get(1))).isEqualTo(RedisCluster.slotOf(all.get(0))))
			.map((all) -> all.get(1))
			.collect(Collectors.toSet());
		assertThat(fences).hasSizeLessThanOrEqualTo(16_384);
	}

	@Test
	void areNotNeededWhereEachLockHasAFenceOfItsOwn() {
		assertThat(new LockKeys("lock:", () -> "client", true).all("a")).containsExactly("lock:{a}", "lock:{a}:fence",
				"lock:{a}:waiters", "lock:{a}:fence");
	}

}
