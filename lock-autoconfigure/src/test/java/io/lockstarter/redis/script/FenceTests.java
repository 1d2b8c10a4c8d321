package io.lockstarter.redis.script;

import java.time.Duration;
import java.util.stream.LongStream;

import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.redis.OneLock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a lock's fence remembers, and how much that takes.
 */
class FenceTests extends OneLock {

	private final ScriptClient client = client();

	/** Of eight digits, as that of a client that has run for long. */
	private long last = 10_000_000;

	@Test
	void staysSmallHoweverOftenTheLockIsUsed() {
		use(20);
		Object bytes = redis.cli("MEMORY", "USAGE", this.fence);
		use(200);
		assertThat(redis.cli("MEMORY", "USAGE", this.fence)).isEqualTo(bytes);
		assertThat(redis.cli("OBJECT", "ENCODING", this.fence)).asString().isIn("listpack", "ziplist");
	}

	@Test
	void knowsTheLastReleasesAgain() {
		use(100);
		assertThat(LongStream.rangeClosed(this.last - 5, this.last)).allMatch(this::isReleasedBefore);
		assertThat(this.client.release(this.last + 1)).isEqualTo(Outcome.NOT_HELD);
	}

	@Test
	void forgetsNoReleaseForThoseThatFoundNothingToEnd() {
		use(3);
		assertThat(LongStream.rangeClosed(this.last + 1, this.last + 100).mapToObj(this.client::release))
			.containsOnly(Outcome.NOT_HELD);
		assertThat(LongStream.rangeClosed(this.last - 2, this.last)).allMatch(this::isReleasedBefore);
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
		redis.cli("HSET", this.fence, "base", Long.toString(base));
		return base;
	}

	@Test
	void outlivesTheLeaseOfOneWhoIsGrantedTheLockByMessage() {
		ScriptClient next = client().listening();
		this.client.base(LockType.REENTRANT, 1);
		next.queue(LockType.REENTRANT, 1);
		redis.cli("PEXPIRE", this.fence, "10000");
		this.client.release(1);
		await().until(() -> !next.offers.isEmpty());
		assertThat(remainingMillis()).isGreaterThan(ScriptClient.LEASE.toMillis());
	}

	@Test
	void thatSomebodyHasDeletedEndsSomeTimeAfterAnotherBeginsToWait() {
		this.client.base(LockType.REENTRANT, 1);
		redis.cli("DEL", this.fence);
		client().queue(LockType.REENTRANT, 1);
		assertThat(remainingMillis()).isGreaterThan(ScriptClient.LEASE.toMillis());
	}

	@Test
	void outlivesALeaseThatIsRenewed() {
		this.client.acquire(LockType.REENTRANT, 1, Duration.ofSeconds(10));
		redis.cli("PEXPIRE", this.fence, "10000");
		assertThat(this.client.renew(1, ScriptClient.LEASE)).isTrue();
		assertThat(remainingMillis()).isGreaterThan(ScriptClient.LEASE.toMillis());
	}

	private long remainingMillis() {
		return (Long) redis.cli("PTTL", this.fence);
	}

	private void use(int times) {
		for (int i = 0; i < times; i++) {
			this.last++;
			this.client.base(LockType.REENTRANT, this.last);
			assertThat(this.client.release(this.last)).isEqualTo(Outcome.RELEASED);
		}
	}

	private boolean isReleasedBefore(long sequence) {
		return this.client.release(sequence) == Outcome.RELEASED_BEFORE;
	}

}
