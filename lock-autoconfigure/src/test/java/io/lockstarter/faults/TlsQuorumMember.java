package io.lockstarter.faults;

import java.time.Duration;
import java.util.List;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.quorum.QuorumLockBackend;
import io.lockstarter.redis.quorum.QuorumSettings;
import io.lockstarter.testing.ChildJvm;

import org.springframework.core.NestedExceptionUtils;

/**
 * An instance that asks some servers for a lock until it gets it, and tells why it did
 * not.
 */
final class TlsQuorumMember {

	private static final Duration LONGEST_LEASE = Duration.ofSeconds(1);

	private TlsQuorumMember() {
	}

	public static void main(String[] uris) throws Exception {
		ChildJvm.exitWithParent();
		try (Registries registries = new Registries()) {
			QuorumSettings settings = new QuorumSettings(List.of(uris), "lock:", Duration.ofMinutes(10), LONGEST_LEASE);
			DefaultLockRegistry registry = registries.open(registries.keep(new QuorumLockBackend(settings, null)),
					LONGEST_LEASE);
			while (!isGranted(registry)) {
				// A cold JVM on a busy machine may take longer than a connection may
			}
			System.out.println("held");
		}
	}

	private static boolean isGranted(DefaultLockRegistry registry) throws InterruptedException {
		try (LockHandle handle = registry.acquire(LockRequest.of("a").waitTime(Duration.ofSeconds(20)))) {
			return handle.isValid();
		}
		catch (LockBackendException ex) {
			System.out
				.println("refused as %s: %s".formatted(ex.reason(), NestedExceptionUtils.getMostSpecificCause(ex)));
			return false;
		}
	}

}
