package io.lockstarter.redis;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionException;

import io.lockstarter.contract.LockBackendContract;
import io.lockstarter.contract.Settings;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The Redis backend keeps the contract where the default locale writes other digits than
 * 0 to 9, or has other capital letters.
 */
@ParameterizedClass
@ValueSource(strings = { "ar-EG", "fa-IR", "tr-TR" })
class LocaleTests extends LockBackendContract {

	private static final Locale DEFAULT = Locale.getDefault();

	private static RedisServer redis;

	private final RedisClients clients = new RedisClients();

	@Parameter
	String languageTag;

	@BeforeAll
	static void startRedis() {
		redis = RedisServer.startGuarded();
	}

	@BeforeParameterizedClassInvocation
	static void changeDefault(String languageTag) {
		Locale.setDefault(Locale.forLanguageTag(languageTag));
	}

	@AfterParameterizedClassInvocation
	static void restoreDefault() {
		Locale.setDefault(DEFAULT);
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
	}

	@AfterEach
	void disconnect() throws Exception {
		this.clients.close();
	}

	@AfterEach
	void clientsKeepToThePublishedRules() {
		assertThat(redis.violations()).isEmpty();
	}

	@Override
	protected LockBackend newBackend() {
		return this.clients.connect(redis.host(), redis.port());
	}

	@Test
	void writesPortsInAsciiDigits() {
		assertThat(newBackend().location().toString()).contains(":" + redis.port());
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> this.clients.connect("localhost", 1).connect().join())
			.havingCause()
			.withMessageContaining("localhost:1 ");
	}

	@Test
	void writesTimesAndPermitsInAsciiDigits() throws InterruptedException {
		try (DefaultLockRegistry registry = new DefaultLockRegistry(newBackend(),
				Settings.of("instance-1", Duration.ofMillis(20), Duration.ofSeconds(30)), List.of())) {
			LockRequest request = LockRequest.of("printer \u0130\u0131").permits(2);
			try (LockHandle first = registry.acquire(request.owner(LockOwner.create("a")));
					LockHandle second = registry.acquire(request.owner(LockOwner.create("b")))) {
				assertThat(first.fencingToken()).isLessThan(second.fencingToken());
				assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
					.isThrownBy(() -> registry.acquire(request))
					.withMessageMatching("\\p{ASCII}+\u0130\u0131\\p{ASCII}+")
					.withMessageContaining("(all 2 permits are held, by instance-1/a");
			}
		}
	}

}
