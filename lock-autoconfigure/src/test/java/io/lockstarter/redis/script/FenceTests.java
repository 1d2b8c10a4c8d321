package io.lockstarter.redis.script;

import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;

import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.redis.OneLock;
import io.lockstarter.testing.RedisCluster;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * What is remembered of locks that nobody has.
 */
class FenceTests extends OneLock {

	private final ScriptClient client = client();

	/** Of eight digits, as that of a client that has run for long. */
	private long last = 10_000_000;

	@Test
	void isAllThatIsLeftOfALockThatWasReleased() {
		use(20);
		assertThat(exists(this.fence)).isTrue();
		assertThat(redis.cli("PTTL", this.fence)).isEqualTo(-1L);
		assertThat(List.of(exists(this.key), exists(this.waiters), exists(this.clients))).containsOnly(false);
	}

	@Test
	void marksStaySmallHoweverOftenTheLockIsUsed() {
		end(20);
		Object bytes = redis.cli("MEMORY", "USAGE", this.clients);
		end(200);
		assertThat(redis.cli("MEMORY", "USAGE", this.clients)).isEqualTo(bytes);
		assertThat(redis.cli("OBJECT", "ENCODING", this.clients)).asString().isIn("listpack", "ziplist");
	}

	@Test
	void knowsTheLastReleasesAgain() {
		end(100);
		assertThat(LongStream.rangeClosed(this.last - 5, this.last)).allMatch(this::isReleasedBefore);
		assertThat(this.client.cancel(this.last + 1)).isEqualTo(Outcome.NOT_HELD);
	}

	@Test
	void forgetsNoReleaseForThoseThatFoundNothingToEnd() {
		end(3);
		assertThat(LongStream.rangeClosed(this.last + 1, this.last + 100).mapToObj(this.client::cancel))
			.containsOnly(Outcome.NOT_HELD);
		assertThat(LongStream.rangeClosed(this.last - 2, this.last)).allMatch(this::isReleasedBefore);
	}

	@Test
	void marksOutliveTheLongestDelay() {
		end(1);
		redis.cli("PEXPIRE", this.clients, "10000");
		end(1);
		assertThat((Long) redis.cli("PTTL", this.clients)).isGreaterThan(500_000);
	}

	/** By the clock alone they would be lower, if it was set back. */
	@Test
	void letsTokensFollowThatAreHigherThanTheLastOnes() {
		long last = giveTokensAheadOfTheClock();
		assertThat(this.client.release(1)).isEqualTo(Outcome.RELEASED);
		assertThat(client().base(LockType.REENTRANT, 1)).isGreaterThanOrEqualTo(last + LockBackend.TOKEN_BASES);
	}

	@Test
	void letsTokensFollowByMessageThatAreHigherThanTheLastOnes() {
		ScriptClient next = client().listening();
		long last = giveTokensAheadOfTheClock();
		next.queue(LockType.REENTRANT, 1);
		this.client.release(1);
		await().until(() -> !next.offers.isEmpty());
		assertThat(next.offers.element().base()).isGreaterThanOrEqualTo(last + LockBackend.TOKEN_BASES);
	}

	private long giveTokensAheadOfTheClock() {
		long base = this.client.base(LockType.REENTRANT, 1) + Duration.ofHours(1).toNanos() / 1000;
		redis.cli("SET", this.fence, Long.toString(base));
		return base;
	}

	@Test
	void isSharedByAllLocksOfASlot() {
		long last = giveTokensAheadOfTheClock();
		assertThat(RedisCluster.slotOf(this.fence)).isEqualTo(RedisCluster.slotOf(this.key));
		redis.cli("SET", this.fence, "not a number");
		this.client.release(1);
		assertThatThrownBy(() -> client().acquire(LockType.REENTRANT, 1)).hasMessageContaining(this.fence);
		assertThat(redis.cli("GET", this.fence)).isEqualTo("not a number");
		redis.cli("SET", this.fence, Long.toString(last));
		assertThat(client().base(LockType.REENTRANT, 1)).isEqualTo(last + LockBackend.TOKEN_BASES);
	}

	private void use(int times) {
		for (int i = 0; i < times; i++) {
			this.last++;
			this.client.base(LockType.REENTRANT, this.last);
			assertThat(this.client.release(this.last)).isEqualTo(Outcome.RELEASED);
		}
	}

	private void end(int times) {
		for (int i = 0; i < times; i++) {
			this.last++;
			this.client.base(LockType.REENTRANT, this.last);
			assertThat(this.client.cancel(this.last)).isEqualTo(Outcome.RELEASED);
		}
	}

	private boolean isReleasedBefore(long sequence) {
		return this.client.cancel(sequence) == Outcome.RELEASED_BEFORE;
	}

}
