package io.lockstarter.redis.quorum;

import java.time.Duration;

import io.lockstarter.contract.LockBackendContract;
import io.lockstarter.core.backend.LockBackend;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/**
 * The quorum backend keeps the contract on five servers of this machine.
 */
class QuorumLockBackendTests extends LockBackendContract {

	private static QuorumClients quorum;

	@BeforeAll
	static void startRedis() {
		quorum = QuorumClients.startVoting(Duration.ofMinutes(1));
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
	protected int messagesAnEvent() {
		return quorum.servers().size();
	}

	@AfterEach
	void disconnect() throws Exception {
		quorum.disconnect();
	}

}
