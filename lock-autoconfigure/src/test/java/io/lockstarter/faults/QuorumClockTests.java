package io.lockstarter.faults;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.quorum.QuorumClients;
import io.lockstarter.testing.Needs;
import io.lockstarter.testing.SteppableClock;
import io.lockstarter.testing.Tool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The clocks of some of five servers are set. Those that agree with a majority go on,
 * with tokens that rise.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Needs(Tool.CLOCK)
class QuorumClockTests {

	private static final Duration LEASE = Duration.ofSeconds(10);

	private final Registries registries = new Registries();

	private final List<SteppableClock> clocks = Stream.generate(SteppableClock::create).limit(5).toList();

	private QuorumClients quorum;

	private DefaultLockRegistry registry;

	private long lastToken;

	@BeforeEach
	void startRedis() throws Exception {
		this.quorum = QuorumClients.startVoting(this.clocks, LEASE);
		this.registry = this.registries.open(this.quorum.connect(), LEASE);
		take(3);
	}

	@AfterEach
	void closeAll() throws Exception {
		this.registries.close();
		this.quorum.disconnect();
		this.quorum.close();
		this.clocks.forEach(SteppableClock::close);
	}

	@ParameterizedTest
	@CsvSource({ "3600, 3600", "-3600, 3600" })
	void twoWrongClocksAreOutvoted(long first, long second) throws Exception {
		step(first, second);
		take(20);
		step(-first, -second);
		take(20);
	}

	@ParameterizedTest
	@CsvSource({ "3600, 3600", "-3600, 3600" })
	void holderKeepsItsLockWhileTwoClocksAreSet(long first, long second) throws Exception {
		LockHandle handle = this.registry.acquire(request("held"));
		step(first, second);
		handle.extend(LEASE);
		DefaultLockRegistry rival = this.registries.open(this.quorum.connect(), LEASE);
		assertThat(rival.tryAcquire(request("held").waitTime(Duration.ofMillis(200)))).isEmpty();
		assertThat(handle.isValid()).isTrue();
		handle.close();
		try (LockHandle next = rival.acquire(request("held"))) {
			assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
		}
	}

	/**
	 * The lock has not been taken before: a server that is still at an earlier command
	 * while its clock is set forward keeps that lock's fence, and may vote on it.
	 */
	@Test
	void clocksThatLeaveNoMajorityAreATypedErrorUntilTheyAreSetRight() throws Exception {
		step(3600, 7200, -3600);
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> this.registry.acquire(request("new")).close())
			.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.CLOCKS_APART));
		step(-3600, -7200, 3600);
		take(20);
	}

	private void step(long... seconds) {
		IntStream.range(0, seconds.length)
			.forEach((server) -> this.clocks.get(server).step(Duration.ofSeconds(seconds[server])));
	}

	private void take(int times) throws Exception {
		for (int i = 0; i < times; i++) {
			try (LockHandle handle = this.registry.acquire(request("a"))) {
				assertThat(handle.fencingToken()).isGreaterThan(this.lastToken);
				this.lastToken = handle.fencingToken();
			}
		}
	}

	private static LockRequest request(String name) {
		return LockRequest.of(name).waitTime(Duration.ofSeconds(5));
	}

}
