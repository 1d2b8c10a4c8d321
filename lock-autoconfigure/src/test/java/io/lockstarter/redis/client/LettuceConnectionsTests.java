package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lockstarter.redis.client.RedisFailure.Kind;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests of {@link LettuceConnections} and {@link LettuceFactory}.
 */
class LettuceConnectionsTests {

	private final RedisServer redis = RedisServer.start();

	private final AtomicInteger dropped = new AtomicInteger();

	private LettuceFactory factory = factory(LettuceClientConfiguration.defaultConfiguration());

	private final LettuceConnections connections = new LettuceConnections(this.factory, Runnable::run, (opened) -> {
	}, this.dropped::incrementAndGet);

	@AfterEach
	void close() {
		this.factory.close();
		this.redis.close();
	}

	private LettuceFactory factory(LettuceClientConfiguration settings) {
		return new LettuceFactory(new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(this.redis.host(), this.redis.port()), settings), Duration.ZERO);
	}

	@Test
	void closedConnectionIsReplaced() {
		StatefulRedisConnection<byte[], byte[]> first = link();
		first.close();
		assertThat(this.connections.ready()).isNull();
		assertThat(link()).isNotSameAs(first);
		assertThat(link().sync().ping()).isEqualTo("PONG");
	}

	@Test
	void closesConnectionThatItResets() {
		StatefulRedisConnection<byte[], byte[]> first = link();
		this.connections.reset();
		await().until(() -> !first.isOpen());
		assertThat(this.dropped).hasValue(0);
		link();
		this.connections.drop();
		assertThat(this.dropped).hasValue(1);
	}

	@Test
	void actionsRunInTheirOrderOnceAConnectionIsOpen() {
		Queue<Runnable> opening = new ArrayDeque<>();
		LettuceConnections slow = new LettuceConnections(this.factory, opening::add, (opened) -> {
		}, () -> {
		});
		List<Integer> order = new ArrayList<>();
		AtomicBoolean overtaken = new AtomicBoolean();
		for (int i = 0; i < 50_000; i++) {
			int number = i;
			slow.whenOpen((opened) -> {
				overtaken.compareAndSet(false, slow.ready() != null);
				order.add(number);
			});
		}
		opening.remove().run();
		assertThat(opening).isEmpty();
		assertThat(order).hasSize(50_000).isSorted();
		assertThat(overtaken).isFalse();
		assertThat(slow.ready()).isNotNull();
	}

	@Test
	void actionsDoNotRunIfNoConnectionCanBeOpened() {
		this.redis.kill();
		assertThat(this.connections.whenOpen((opened) -> this.dropped.incrementAndGet())).isCompletedExceptionally();
		assertThat(this.dropped).hasValue(0);
		this.redis.restart();
		assertThat(link().isOpen()).isTrue();
	}

	@Test
	void commandWithoutReplyOnClosedConnectionIsLost() {
		CompletionStage<?> blocked = link().async().blpop(0, "nothing".getBytes());
		await().until(() -> String.valueOf(this.redis.cli("CLIENT", "LIST")).contains("cmd=blpop"));
		this.connections.drop();
		Throwable failure = catchThrowableOfType(CompletionException.class, () -> blocked.toCompletableFuture().join());
		LettuceFailures failures = new LettuceFailures(this.factory, this.connections, new LettuceReconnectFailures());
		assertThat(failures.explain(failure).kind()).isEqualTo(Kind.LOST);
	}

	@Test
	void startIsTriedAgainAfterAFailure() {
		AtomicBoolean failing = new AtomicBoolean();
		this.factory = factory(LettuceClientConfiguration.builder()
			.redisCredentialsProviderFactory(new RedisCredentialsProviderFactory() {

				@Override
				public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
					if (failing.get()) {
						throw new IllegalStateException("planted");
					}
					return RedisCredentialsProviderFactory.super.createCredentialsProvider(configuration);
				}

			})
			.build());
		assertThat(this.factory.get().isRunning()).isTrue();
		this.factory.stop();
		failing.set(true);
		assertThatIllegalStateException().isThrownBy(() -> this.factory.get());
		failing.set(false);
		assertThat(this.factory.connect().isOpen()).isTrue();
	}

	private StatefulRedisConnection<byte[], byte[]> link() {
		return (StatefulRedisConnection<byte[], byte[]>) this.connections.get().join().link();
	}

}
