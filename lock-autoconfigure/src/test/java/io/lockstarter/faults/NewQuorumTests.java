package io.lockstarter.faults;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.quorum.QuorumClients;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.throwable;

/**
 * A quorum of servers that have never seen a lock, and do not vote until whatever they
 * may have forgotten has run out.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NewQuorumTests {

	private static final Duration LONGEST_LEASE = Duration.ofMinutes(1);

	private static final Duration LEASE = Duration.ofSeconds(10);

	private static final Pattern UNTIL = Pattern.compile("is ready at (\\S+Z)");

	private final Registries registries = new Registries();

	private final QuorumClients quorum = QuorumClients.start(LONGEST_LEASE);

	private final DefaultLockRegistry registry = this.registries.open(this.quorum.connect(), LEASE);

	@AfterEach
	void closeAll() throws Exception {
		this.registries.close();
		this.quorum.disconnect();
		this.quorum.close();
	}

	@ParameterizedTest
	@EnumSource(value = LockType.class, names = "FAIR", mode = EnumSource.Mode.EXCLUDE)
	void requestFailsAndIsToldUntilWhen(LockType type) {
		LockRequest request = LockRequest.of("a").type(type).waitTime(Duration.ZERO);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> this.registry.tryAcquire(request))
			.satisfies(this::tellsUntilWhen);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> this.registry.get(request).tryLock())
			.satisfies(this::tellsUntilWhen);
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> this.registry.acquire(request.waitTime(Duration.ofMillis(200))))
			.satisfies(this::tellsUntilWhen);
	}

	@Test
	void severalRequestsAtOnceFailAlike() {
		for (int i = 0; i < 2; i++) {
			CompletableFuture<LockHandle> first = this.registry
				.acquireAsync(LockRequest.of("a").waitTime(Duration.ofMillis(300)));
			CompletableFuture<LockHandle> second = this.registry
				.acquireAsync(LockRequest.of("a").waitTime(Duration.ofMillis(200)));
			for (CompletableFuture<LockHandle> each : List.of(first, second)) {
				assertThat(each).failsWithin(30, TimeUnit.SECONDS)
					.withThrowableThat()
					.havingCause()
					.asInstanceOf(throwable(LockBackendException.class))
					.satisfies(this::tellsUntilWhen);
			}
		}
	}

	@Test
	void requestFailsAlikeWhileSomeServersAreDown() {
		this.quorum.servers().subList(0, 2).forEach(RedisServer::kill);
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> this.registry.tryAcquire(LockRequest.of("a").waitTime(Duration.ZERO)))
			.satisfies(this::tellsUntilWhen);
	}

	private void tellsUntilWhen(LockBackendException failure) {
		assertThat(failure.reason()).isEqualTo(Reason.LOADING);
		assertThat(failure).hasMessageContaining("the lock backend is not ready")
			.hasMessageContaining("distributed-lock.quorum.longest-lease");
		Matcher until = UNTIL.matcher(failure.detail());
		assertThat(until.find()).as(failure.detail()).isTrue();
		assertThat(Instant.parse(until.group(1))).isBetween(Instant.now().plusSeconds(5),
				Instant.now().plus(LONGEST_LEASE).plusSeconds(2));
	}

}
