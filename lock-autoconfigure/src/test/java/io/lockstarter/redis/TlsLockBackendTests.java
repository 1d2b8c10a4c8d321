package io.lockstarter.redis;

import java.nio.file.Path;

import io.lockstarter.contract.LockBackendContract;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.testing.Needs;
import io.lockstarter.testing.ServerCertificate;
import io.lockstarter.testing.TlsRedis;
import io.lockstarter.testing.Tool;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Redis backend keeps the contract over Lettuce with TLS and a password.
 */
@Needs(Tool.TLS)
@Tag("stress")
class TlsLockBackendTests extends LockBackendContract {

	private static ServerCertificate certificate;

	private static TlsRedis redis;

	private final RedisClients clients = new RedisClients();

	@BeforeAll
	static void startRedis(@TempDir Path folder) {
		certificate = ServerCertificate.create(folder, ServerCertificate.LOCAL);
		redis = TlsRedis.start(certificate);
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
	}

	@Override
	protected LockBackend newBackend() {
		return this.clients.connect(TlsClients.address(redis), TlsClients.lettuce(certificate));
	}

	@AfterEach
	void disconnect() throws Exception {
		this.clients.close();
	}

}
