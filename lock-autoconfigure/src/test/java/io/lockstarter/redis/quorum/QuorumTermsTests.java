package io.lockstarter.redis.quorum;

import java.time.Duration;
import java.util.List;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What no quorum grants is refused before anybody is asked: here nobody could be.
 */
class QuorumTermsTests {

	private static final QuorumSettings NOBODY = new QuorumSettings(
			List.of("redis://127.0.0.1:1", "redis://127.0.0.1:2", "redis://127.0.0.1:3"), "lock:",
			Duration.ofMinutes(1), Duration.ofMinutes(10));

	@Test
	void refusesFairLocks() {
		assertRefused(LockRequest.of("name").type(LockType.FAIR), "use the type REENTRANT");
	}

	@Test
	void refusesPermits() {
		assertRefused(LockRequest.of("name").permits(2), "keep this lock in a single Redis");
	}

	@ParameterizedTest
	@EnumSource(names = { "REENTRANT", "READ", "WRITE" })
	void refusesALeaseThatIsLongerThanAllowed(LockType type) {
		assertRefused(LockRequest.of("name").type(type).leaseTime(Duration.ofMinutes(11)),
				"distributed-lock.quorum.longest-lease (600000 ms)");
	}

	private static void assertRefused(LockRequest request, String told) {
		EngineSettings settings = new EngineSettings("one", Duration.ofSeconds(1), Duration.ofSeconds(30), null, false,
				0);
		try (QuorumLockBackend backend = new QuorumLockBackend(NOBODY, null);
				DefaultLockRegistry registry = new DefaultLockRegistry(backend, settings, List.of())) {
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> registry.acquire(request))
				.withMessageContaining("name")
				.withMessageContaining(told)
				.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.NOT_SUPPORTED));
		}
	}

}
