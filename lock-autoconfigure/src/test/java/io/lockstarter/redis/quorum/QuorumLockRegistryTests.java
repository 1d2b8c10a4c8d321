package io.lockstarter.redis.quorum;

import java.time.Duration;
import java.util.List;

import io.lockstarter.contract.LockRegistryContract;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The registry keeps the contract on a quorum of five servers of this machine.
 */
@Tag("stress")
class QuorumLockRegistryTests extends LockRegistryContract {

	private static QuorumClients quorum;

	@BeforeAll
	static void startRedis() {
		quorum = QuorumClients.startVoting(Duration.ofMinutes(10));
	}

	@AfterAll
	static void stopRedis() {
		quorum.close();
	}

	@Override
	protected LockBackend newBackend() {
		return quorum.connect();
	}

	@Override
	protected void disconnect() throws Exception {
		quorum.disconnect();
	}

	@Override
	public List<LockType> types() {
		return List.of(LockType.REENTRANT, LockType.READ, LockType.WRITE);
	}

	@Test
	void refusesFairLocks() {
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> one().acquire(request().type(LockType.FAIR)))
			.withMessageContaining(name())
			.withMessageContaining("use the type REENTRANT")
			.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.NOT_SUPPORTED));
		assertNothingLeft();
	}

	@Test
	void refusesALeaseThatIsLongerThanAllowed() {
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> one().acquire(request().leaseTime(Duration.ofMinutes(11))))
			.withMessageContaining(name())
			.withMessageContaining("distributed-lock.quorum.longest-lease (600000 ms)");
		assertNothingLeft();
	}

	@Test
	void listsWhatAMajorityHas() throws Exception {
		one().acquire(request());
		one().acquire(LockRequest.of(name() + "-abandoned"));
		quorum.servers().subList(0, 3).forEach((server) -> server.cli("DEL", "lock:{" + name() + "-abandoned}"));
		assertThat(two().locks("", 1000).join().locks()).extracting(LockMonitor.LockSnapshot::name)
			.filteredOn((seen) -> seen.startsWith(name()))
			.containsExactly(name());
	}

	@Override
	public boolean isForgotten(String name) {
		String key = "lock:{" + name + "}";
		return quorum.servers()
			.stream()
			.allMatch((server) -> Long.valueOf(0).equals(server.cli("EXISTS", key, key + ":waiters")));
	}

}
