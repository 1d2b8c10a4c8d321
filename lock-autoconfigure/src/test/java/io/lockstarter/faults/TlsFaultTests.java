package io.lockstarter.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.redis.TlsClients;
import io.lockstarter.testing.ChildJvm;
import io.lockstarter.testing.Needs;
import io.lockstarter.testing.ServerCertificate;
import io.lockstarter.testing.TlsRedis;
import io.lockstarter.testing.Tool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A Redis behind TLS that its clients have no reason to trust.
 */
@Needs(Tool.TLS)
@ExtendWith(StressRun.class)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TlsFaultTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final Registries registries = new Registries();

	private ServerCertificate certificate;

	private TlsRedis redis;

	@BeforeEach
	void startRedis() {
		this.certificate = ServerCertificate.shared(ServerCertificate.LOCAL);
		this.redis = TlsRedis.start(this.certificate);
	}

	@AfterEach
	void closeAll() throws Exception {
		this.registries.close();
		this.redis.close();
	}

	@Test
	void serverWhoseCertificateIsNotTrustedIsATypedError() throws Exception {
		RedisClients clients = this.registries.keep(new RedisClients());
		assertRefused(
				clients.connect(TlsClients.address(this.redis), LettuceClientConfiguration.builder().useSsl().build()),
				"PKIX");
		ServerCertificate other = ServerCertificate.shared("ip:127.0.0.1,dns:localhost");
		assertRefused(clients.connect(TlsClients.address(this.redis), TlsClients.lettuce(other)), "PKIX");
		assertRefused(clients.connect(TlsClients.jedis(this.redis, other)), "PKIX");
	}

	@Test
	void serverWithTheCertificateOfAnotherIsATypedError() throws Exception {
		ServerCertificate stolen = ServerCertificate.shared("dns:redis.example");
		TlsRedis impostor = this.registries.keep(TlsRedis.start(stolen));
		RedisClients clients = this.registries.keep(new RedisClients());
		assertRefused(clients.connect(TlsClients.address(impostor), TlsClients.lettuce(stolen)),
				"No subject alternative names");
		assertRefused(clients.connect(TlsClients.jedis(impostor, stolen)), "No subject alternative names");
	}

	@Test
	void clientWithoutTlsGetsATypedError() throws Exception {
		RedisClients clients = this.registries.keep(new RedisClients());
		RedisStandaloneConfiguration plain = TlsClients.address(this.redis);
		assertRefused(clients.connect(plain), "");
	}

	@Tag("stress")
	@Test
	void quorumTrustsWhatItsJvmTrusts() {
		List<String> uris = new ArrayList<>(List.of(this.redis.uri()));
		for (int i = 0; i < 2; i++) {
			uris.add(this.registries.keep(TlsRedis.start(this.certificate)).uri());
		}
		String[] nodes = uris.toArray(String[]::new);
		List<String> trusting = List.of("-Djavax.net.ssl.trustStore=" + this.certificate.trustStore(),
				"-Djavax.net.ssl.trustStorePassword=" + ServerCertificate.PASSWORD);
		try (ChildJvm trusted = ChildJvm.start(trusting, TlsQuorumMember.class, nodes);
				ChildJvm distrusting = ChildJvm.start(TlsQuorumMember.class, nodes)) {
			trusted.awaitLine("held"::equals, Duration.ofSeconds(40));
			distrusting.awaitLine(
					(line) -> line.startsWith("refused as UNREACHABLE") && line.contains("certification path"),
					Duration.ofSeconds(40));
		}
	}

	private void assertRefused(LockBackend backend, String words) throws Exception {
		try (DefaultLockRegistry registry = this.registries.open(backend, LEASE)) {
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> registry.acquire(LockRequest.of("a").waitTime(Duration.ofSeconds(30))))
				.satisfies((failure) -> {
					assertThat(failure.reason()).isEqualTo(Reason.UNREACHABLE);
					assertThat(failure).hasStackTraceContaining(words);
				});
		}
		assertThat((List<?>) this.redis.server().cli("KEYS", "*")).isEmpty();
	}

}
