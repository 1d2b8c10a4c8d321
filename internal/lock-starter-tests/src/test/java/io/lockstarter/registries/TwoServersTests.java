package io.lockstarter.registries;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests of an application that keeps locks in two Redis servers, of which one fails.
 */
class TwoServersTests {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static final HttpClient HTTP = HttpClient.newHttpClient();

	private RedisServer main;

	private RedisServer billing;

	private ConfigurableApplicationContext context;

	private Shop shop;

	@BeforeEach
	void start() {
		this.main = RedisServer.start();
		this.billing = RedisServer.start();
		this.context = SpringApplication.run(Application.class, "--server.port=0",
				"--spring.data.redis.host=" + this.main.host(), "--spring.data.redis.port=" + this.main.port(),
				"--billing.port=" + this.billing.port(),
				"--distributed-lock.registries.billing.connection-factory=billingRedis",
				"--distributed-lock.registries.billing.key-prefix=billing:", "--distributed-lock.wait-time=0",
				"--management.endpoint.health.show-details=always",
				"--management.endpoints.web.exposure.include=health,locks");
		this.shop = this.context.getBean(Shop.class);
		await().atMost(PATIENCE).untilAsserted(() -> assertHealth("UP", "UP"));
	}

	@AfterEach
	void close() {
		this.context.close();
		this.billing.close();
		this.main.close();
	}

	@Test
	void keepsEachLockOnItsServer() throws Exception {
		this.shop.ship(() -> this.shop.book(() -> {
			assertThat(this.main.cli("KEYS", "lock:{*")).asString().contains("ship").doesNotContain("book");
			assertThat(this.billing.cli("KEYS", "billing:{*")).asString().contains("book").doesNotContain("ship");
			assertThat(this.main.cli("KEYS", "billing:*")).asString().isEqualTo("[]");
			assertThat(this.billing.cli("KEYS", "lock:*")).asString().isEqualTo("[]");
			return "both";
		}));
		assertThat(get("/actuator/locks").body()).startsWith("{\"registries\":{\"default\":{\"held\":[]");
		assertThat(get("/actuator/locks?registry=billing").body()).startsWith("{\"held\":[]");
		assertThat(get("/actuator/locks?scope=cluster").statusCode()).isEqualTo(400);
		assertThat(get("/actuator/locks?scope=cluster&registry=billing").statusCode()).isEqualTo(200);
		assertThat(this.shop.bookInCode()).isEqualTo("billing");
	}

	@Test
	void goesOnWithOneWhenTheOtherHasStopped() throws Exception {
		this.billing.kill();
		for (int i = 0; i < 20; i++) {
			assertThat(this.shop.ship(() -> "shipped")).isEqualTo("shipped");
		}
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> this.shop.book(() -> "booked"))
			.withMessageContaining("book")
			.withMessageContaining(":" + this.billing.port());
		assertThat(assertHealth("UP", "DOWN").body()).contains(":" + this.billing.port());
		assertThat(this.shop.ship(() -> "shipped")).isEqualTo("shipped");
		this.billing.restart();
		await().atMost(PATIENCE).untilAsserted(() -> assertHealth("UP", "UP"));
		assertThat(this.shop.book(() -> "booked")).isEqualTo("booked");
	}

	@Test
	void goesOnWithTheOtherWhenTheDefaultOneHasStopped() throws Exception {
		this.main.kill();
		for (int i = 0; i < 20; i++) {
			assertThat(this.shop.book(() -> "booked")).isEqualTo("booked");
		}
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> this.shop.ship(() -> "shipped"))
			.withMessageContaining(":" + this.main.port());
		assertHealth("DOWN", "UP");
		assertThat(this.shop.book(() -> "booked")).isEqualTo("booked");
	}

	@Test
	void releasesTheLocksOfBothOnShutdown() throws Exception {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch ending = new CountDownLatch(1);
		CompletableFuture<String> work = CompletableFuture.supplyAsync(() -> this.shop.ship(() -> this.shop.book(() -> {
			begun.countDown();
			await().atMost(PATIENCE).until(() -> ending.getCount() == 0);
			return LockContext.current().isValid() ? "held" : "lost";
		})), (task) -> new Thread(task).start());
		assertThat(begun.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
		CompletableFuture<?> end = CompletableFuture.runAsync(this.context::close, (task) -> new Thread(task).start());
		await().atMost(PATIENCE).until(this.context::isClosed);
		ending.countDown();
		assertThat(work).succeedsWithin(PATIENCE).isEqualTo("held");
		assertThat(end).succeedsWithin(PATIENCE);
		assertThat(this.main.cli("EXISTS", "lock:{Shop.ship}")).isEqualTo(0L);
		assertThat(this.billing.cli("EXISTS", "billing:{Shop.book}")).isEqualTo(0L);
	}

	private HttpResponse<String> assertHealth(String main, String billing) throws IOException, InterruptedException {
		HttpResponse<String> health = get("/actuator/health/distributedLock");
		assertThat(JsonParserFactory.getJsonParser().parseMap(health.body())).as(health.body())
			.extractingByKey("components")
			.satisfies((parts) -> assertThat(parts).extracting("default.status", "billing.status")
				.containsExactly(main, billing));
		assertThat(health.statusCode()).isEqualTo((main + billing).contains("DOWN") ? 503 : 200);
		return health;
	}

	private HttpResponse<String> get(String path) throws IOException, InterruptedException {
		URI address = URI
			.create("http://localhost:" + this.context.getEnvironment().getProperty("local.server.port") + path);
		return HTTP.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean(defaultCandidate = false)
		RedisConnectionFactory billingRedis(@Value("${billing.port}") int port) {
			return new LettuceConnectionFactory("127.0.0.1", port);
		}

		@Bean
		Shop shop(@Qualifier("billing") LockRegistry billing) {
			return new Shop(billing);
		}

	}

	static class Shop {

		private final LockRegistry billing;

		Shop(LockRegistry billing) {
			this.billing = billing;
		}

		@DistributedLock
		String ship(Supplier<String> work) {
			return work.get();
		}

		@DistributedLock(registry = "billing")
		String book(Supplier<String> work) {
			return work.get();
		}

		String bookInCode() throws InterruptedException {
			return this.billing.execute(LockRequest.of("code"), () -> LockContext.current().registry());
		}

	}

}
