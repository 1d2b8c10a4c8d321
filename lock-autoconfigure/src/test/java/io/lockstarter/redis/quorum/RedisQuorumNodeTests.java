package io.lockstarter.redis.quorum;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.core.backend.LockBackend.Renew;
import io.lockstarter.core.backend.LockBackend.TenureProperties;
import io.lockstarter.core.backend.LockBackend.Waiting;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.redis.ClientId;
import io.lockstarter.redis.RedisLockBackend;
import io.lockstarter.testing.CommandStats;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What one server of a quorum says to proposals.
 */
class RedisQuorumNodeTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final long REACH = LEASE.toNanos() / 2000;

	private static final long CYCLES = 50;

	private static RedisServer redis;

	private final NodeConnections connections = new NodeConnections(null);

	private RedisLockBackend backend;

	private RedisQuorumNode node;

	@BeforeAll
	static void startRedis() {
		redis = RedisServer.start();
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
	}

	@BeforeEach
	void connect() {
		redis.cli("FLUSHALL");
		redis.cli("SET", "lock:quorum", "1");
		this.node = node(LEASE);
		this.node.connect().join();
	}

	private RedisQuorumNode node(Duration longestLease) {
		Duration retention = Duration.ofMinutes(10);
		this.backend = RedisLockBackend.ofQuorum(this.connections.open(redis.uri()), "lock:", retention,
				new ClientId());
		return new RedisQuorumNode("here", this.backend,
				new QuorumSettings(List.of("redis://a", "redis://b", "redis://c"), "lock:", retention, longestLease));
	}

	@AfterEach
	void disconnect() {
		this.backend.close();
		this.connections.close();
	}

	/**
	 * Seven to acquire and four to release, since a proposal may reach a slow server
	 * after the release: each tenure's end is marked.
	 */
	@Test
	void uncontendedCycleRunsElevenCommandsInItsScripts() {
		cycle(1);
		CommandStats before = redis.stats();
		for (long sequence = 2; sequence <= 1 + CYCLES; sequence++) {
			cycle(sequence);
		}
		assertThat(redis.stats().minus(before).calls()).isEqualTo(Map.of("evalsha", 2 * CYCLES, "time", CYCLES, "get",
				CYCLES, "exists", CYCLES, "hmget", 3 * CYCLES, "hset", 3 * CYCLES, "pexpire", CYCLES, "del", CYCLES));
	}

	@Test
	void connectsAnewAfterItWasDisconnected() {
		this.node.disconnect();
		await().until(() -> String.valueOf(redis.cli("CLIENT", "LIST")).lines().count() == 1);
		cycle(1);
	}

	private void cycle(long sequence) {
		long base = now() + sequence * LockBackend.TOKEN_BASES;
		assertThat(this.node
			.propose(new Acquire("a", tenure(sequence), LockType.REENTRANT, "me", LEASE, null), base, false)
			.join()).isEqualTo(new Vote.Granted(base, false));
		assertThat(this.node.release(new Release("a", tenure(sequence), Intent.LEAVE, null)).join().outcome())
			.isEqualTo(Outcome.RELEASED);
	}

	@Test
	void grantsTheProposedBase() {
		long base = now();
		assertThat(propose(1, base, false)).isEqualTo(new Vote.Granted(base, false));
		assertThat(propose(1, base + 500, false)).as("repeated").isEqualTo(new Vote.Granted(base, false));
	}

	@Test
	void raisesTheBaseOfATenureThatProposesAgain() {
		long base = now();
		propose(1, base, false);
		assertThat(propose(1, base + 500, true)).isEqualTo(new Vote.Granted(base + 500, false));
		assertThat(propose(1, base + 100, true)).as("late").isEqualTo(new Vote.Granted(base + 500, false));
		cancel(1);
		assertThat(propose(2, base + 515, false)).isEqualTo(new Vote.TooLow(base + 516));
		assertThat(propose(2, base + 516, false)).isEqualTo(new Vote.Granted(base + 516, false));
	}

	@Test
	void raisesTheBaseOfAReader() {
		long base = now();
		assertThat(propose(1, base, false, LockType.READ)).isEqualTo(new Vote.Granted(base, false));
		assertThat(propose(1, base + 9, false, LockType.READ)).isEqualTo(new Vote.Granted(base, false));
		assertThat(propose(1, base + 500, true, LockType.READ)).isEqualTo(new Vote.Granted(base + 500, false));
		assertThat(propose(2, base + 400, false, LockType.READ)).isEqualTo(new Vote.TooLow(base + 516));
	}

	@Test
	void raisesTheBaseOfAReaderOnlyAboveThoseOfOthers() {
		long base = now();
		propose(1, base, false, LockType.READ);
		assertThat(propose(2, base + 16, false, LockType.READ)).isEqualTo(new Vote.Granted(base + 16, false));
		assertThat(propose(1, base + 16, true, LockType.READ)).isEqualTo(new Vote.TooLow(base + 32));
		assertThat(propose(1, base + 31, true, LockType.READ)).isEqualTo(new Vote.TooLow(base + 32));
		assertThat(propose(1, base, true, LockType.READ)).as("late").isEqualTo(new Vote.Granted(base, false));
		assertThat(propose(1, base + 32, true, LockType.READ)).isEqualTo(new Vote.Granted(base + 32, false));
		assertThat(propose(2, base + 33, true, LockType.READ)).isEqualTo(new Vote.TooLow(base + 48));
		assertThat(propose(1, base + 32, true, LockType.READ)).as("repeated")
			.isEqualTo(new Vote.Granted(base + 32, false));
		assertThat(propose(1, base + 33, true, LockType.READ)).as("of the last base")
			.isEqualTo(new Vote.Granted(base + 33, false));
	}

	@Test
	void refusesABaseThatIsTooFarAhead() {
		assertThat(propose(1, now() + REACH + 1_000_000, false)).isEqualTo(new Vote.TooHigh());
		assertThat(propose(1, now() + REACH - 1_000_000, false)).isInstanceOf(Vote.Granted.class);
	}

	@Test
	void judgesByItsClockWhatItHasForgotten() {
		long before = now();
		assertThat(propose(1, before - REACH - 1_000_000, false)).isInstanceOfSatisfying(Vote.TooLow.class,
				(vote) -> assertThat(vote.least()).isGreaterThanOrEqualTo(before));
		assertThat(propose(1, before - REACH + 1_000_000, false)).isInstanceOf(Vote.Granted.class);
	}

	@Test
	void endsATenureWithoutWakingOrForgettingWhoWaits() {
		propose(1, now(), false);
		redis.cli("ZADD", "lock:{a}:waiters", "5", "lock:wake:" + "0".repeat(32));
		redis.cli("HSET", "lock:{a}:fence", "waits", "1");
		assertThat(cancel(1)).isEqualTo(Outcome.RELEASED);
		assertThat(redis.cli("ZCARD", "lock:{a}:waiters")).isEqualTo(1L);
		assertThat(redis.cli("EXISTS", "lock:{a}")).isEqualTo(0L);
		assertThat(propose(1, now(), false)).isEqualTo(new Vote.Ended());
	}

	@Test
	void doesNotVoteBeforeTheLongestLeaseHasPassed() {
		redis.cli("DEL", "lock:quorum");
		Duration longest = Duration.ofMillis(600);
		RedisQuorumNode forgetful = node(longest);
		assertThat(propose(forgetful, 1, now(), false, LockType.REENTRANT)).isEqualTo(new Vote.Abstained(longest));
		long begin = System.nanoTime();
		await().until(() -> redis.cli("EXISTS", "lock:quorum").equals(1L));
		assertThat(redis.cli("PTTL", "lock:quorum")).as("never expires").isEqualTo(-1L);
		await().pollInterval(Duration.ofMillis(5))
			.until(() -> propose(forgetful, 1, now(), false, LockType.REENTRANT) instanceof Vote.Granted);
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(500));
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "FAIR")
	void putsBackATenureThatItHasForgotten(LockType type) {
		long base = now() - 10 * REACH;
		assertThat(putBack(7, base, type)).isTrue();
		assertThat(putBack(7, base, type)).as("repeated").isTrue();
		assertThat(renew(7)).isTrue();
		assertThat((Long) redis.cli("PTTL", "lock:{a}")).isBetween(1L, LEASE.toMillis());
		assertThat((Long) redis.cli("PTTL", "lock:{a}:fence")).isGreaterThan(LEASE.toMillis());
		assertThat(propose(1, now(), false, LockType.WRITE)).isInstanceOf(Vote.Refused.class);
		assertThat(propose(2, now(), false, LockType.READ))
			.isInstanceOf((type == LockType.READ) ? Vote.Granted.class : Vote.Refused.class);
	}

	@Test
	void acceptsNoBaseThatMayBeBelowWhatItHadForgottenWhenItPutATenureBack() {
		assertThat(putBack(7, now() - 10 * REACH, LockType.WRITE)).isTrue();
		cancel(7);
		assertThat(propose(8, now() - REACH - 1_000_000, false)).isInstanceOf(Vote.TooLow.class);
		assertThat(propose(8, now() - REACH + 1_000_000, false)).isInstanceOf(Vote.Granted.class);
	}

	@Test
	void acceptsNoBaseBelowThatOfATenureThatItPutBack() {
		long base = now() + REACH / 2;
		assertThat(putBack(7, base, LockType.WRITE)).isTrue();
		cancel(7);
		assertThat(propose(8, base + 15, false)).isEqualTo(new Vote.TooLow(base + 16));
	}

	@Test
	void acceptsNoBaseBelowALaterOneBecauseItPutATenureBack() {
		long base = now();
		propose(1, base, false);
		cancel(1);
		this.node = node(LEASE);
		assertThat(putBack(7, base - 100, LockType.WRITE)).isTrue();
		cancel(7);
		assertThat(propose(8, base + 15, false)).isEqualTo(new Vote.TooLow(base + 16));
	}

	@Test
	void putsATenureBackOnlyWhenItMayVote() {
		redis.cli("DEL", "lock:quorum");
		assertThat(putBack(7, now(), LockType.WRITE)).as("as if just restarted").isFalse();
		await().until(() -> redis.cli("EXISTS", "lock:quorum").equals(1L));
		assertThat(putBack(7, now(), LockType.WRITE)).as("too soon").isFalse();
		assertThat(redis.cli("EXISTS", "lock:{a}", "lock:{a}:fence")).isEqualTo(0L);
		redis.cli("SET", "lock:quorum", "1");
		assertThat(putBack(7, now(), LockType.WRITE)).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "WRITE, WRITE", "WRITE, READ", "READ, WRITE" })
	void putsNoTenureBackWhereAnotherHasTheLock(LockType there, LockType back) {
		propose(1, now(), false, there);
		assertThat(putBack(7, now(), back)).isFalse();
		assertThat(renew(7)).isFalse();
		assertThat(renew(1)).isTrue();
	}

	@Test
	void putsAReaderBackBesideOthers() {
		propose(1, now(), false, LockType.READ);
		assertThat(putBack(7, now(), LockType.READ)).isTrue();
		assertThat(renew(1)).isTrue();
		assertThat(renew(7)).isTrue();
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "FAIR")
	void putsNoTenureBackThatHasEnded(LockType type) {
		cancel(7);
		assertThat(putBack(7, now(), type)).isFalse();
		propose(8, now(), false, type);
		cancel(8);
		assertThat(putBack(8, now(), type)).isFalse();
		propose(9, now(), false, type);
		cancel(9);
		assertThat(putBack(8, now(), type)).as("not the last to end").isFalse();
	}

	/** With which its client tried to write. */
	@Test
	void putsAReaderBackThoughLaterTenuresHaveEnded() {
		cancel(8);
		assertThat(putBack(7, now(), LockType.READ)).isTrue();
		assertThat(putBack(8, now(), LockType.READ)).isFalse();
	}

	@Test
	void putsNothingBackInPlaceOfSomethingElse() {
		redis.cli("SET", "lock:{a}", "else");
		assertThat(putBack(7, now(), LockType.WRITE)).isFalse();
		assertThat(redis.cli("GET", "lock:{a}")).isEqualTo("else");
	}

	private boolean putBack(long sequence, long base, LockType type) {
		return this.node.putBack(new Renew("a", tenure(sequence), 1, LEASE), new TenureProperties(type, "me", base))
			.join();
	}

	private boolean renew(long sequence) {
		return this.node.renew(List.of(new Renew("a", tenure(sequence), 1, Duration.ZERO))).get(0).join().held();
	}

	@Test
	void keepsAMarkerThatIsThere() {
		assertThat(this.node.probe().join().votes()).isTrue();
		assertThat(redis.cli("GET", "lock:quorum")).isEqualTo("1");
	}

	private Vote propose(long sequence, long base, boolean raise) {
		return propose(sequence, base, raise, LockType.REENTRANT);
	}

	private Vote propose(long sequence, long base, boolean raise, LockType type) {
		return propose(this.node, sequence, base, raise, type);
	}

	private Vote propose(RedisQuorumNode asked, long sequence, long base, boolean raise, LockType type) {
		return asked
			.propose(new Acquire("a", tenure(sequence), type, "me", Duration.ofMillis(500),
					new Waiting(OptionalLong.empty(), Duration.ZERO, false)), base, raise)
			.join();
	}

	private Outcome cancel(long sequence) {
		return this.node.cancel("a", tenure(sequence)).join().outcome();
	}

	private TenureId tenure(long sequence) {
		return new TenureId(this.backend.clientId(), sequence);
	}

	/** The time of this machine, on which the server runs as well. */
	private static long now() {
		return System.currentTimeMillis() * 1000;
	}

}
