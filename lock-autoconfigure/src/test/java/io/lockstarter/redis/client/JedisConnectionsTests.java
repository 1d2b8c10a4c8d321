package io.lockstarter.redis.client;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisDataException;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * Which connections of Jedis return to the pool.
 */
class JedisConnectionsTests {

	private final JedisFactory factory = mock(JedisFactory.class);

	private final SerialExecutors lanes = new SerialExecutors("lock-jedis");

	private final JedisConnections connections = new JedisConnections(this.factory, this.lanes);

	private final Connection socket = mock(Connection.class);

	private final RedisConnection borrowed = mock(RedisConnection.class);

	@BeforeEach
	void lend() {
		JedisConnectionFactory pool = mock(JedisConnectionFactory.class);
		Jedis jedis = mock(Jedis.class);
		given(this.factory.get()).willReturn(pool);
		given(pool.getConnection()).willReturn(this.borrowed);
		given(this.borrowed.getNativeConnection()).willReturn(jedis);
		given(jedis.getConnection()).willReturn(this.socket);
	}

	@AfterEach
	void close() {
		this.lanes.close();
	}

	@Test
	void connectionReturnsAfterItsCommand() throws IOException {
		this.connections.discardBorrowed();
		assertThat(this.connections.<String>apply((redis) -> "reply")).isEqualTo("reply");
		verify(this.borrowed).close();
		verify(this.socket, never()).forceDisconnect();
	}

	/** Another one may lead to the new master, although a search has just failed. */
	@Test
	void commandThatAReplicaRefusesIsRepeatedOnce() throws Exception {
		AtomicInteger tries = new AtomicInteger();
		assertThat(this.connections.<String>send("lane", (redis) -> {
			if (tries.incrementAndGet() == 1) {
				throw new JedisDataException("READONLY You can't write against a read only replica.");
			}
			return "reply";
		}).get(10, TimeUnit.SECONDS)).isEqualTo("reply");
		verify(this.socket, atLeastOnce()).forceDisconnect();
		verify(this.borrowed, times(2)).close();
	}

	@Test
	void commandThatEveryServerRefusesFails() {
		AtomicInteger tries = new AtomicInteger();
		CompletableFuture<String> reply = this.connections.send("lane", (redis) -> {
			tries.incrementAndGet();
			throw new JedisDataException("READONLY You can't write against a read only replica.");
		});
		assertThat(reply).failsWithin(10, TimeUnit.SECONDS)
			.withThrowableThat()
			.withCauseInstanceOf(JedisDataException.class);
		assertThat(tries).hasValue(2);
	}

	/** It may have run before the server became a replica. */
	@Test
	void commandThatADemotionInterruptsIsNotRepeatedSilently() {
		AtomicInteger tries = new AtomicInteger();
		CompletableFuture<String> reply = this.connections.send("lane", (redis) -> {
			tries.incrementAndGet();
			throw new JedisDataException("UNBLOCKED force unblock from blocking operation");
		});
		assertThat(reply).failsWithin(10, TimeUnit.SECONDS);
		assertThat(tries).hasValue(1);
	}

	/** The search tries only those that are in the pool. */
	@Test
	void connectionThatIsInUseDuringASearchDoesNotReturn() throws IOException {
		String reply = this.connections.apply((redis) -> {
			this.connections.discardBorrowed();
			return "reply";
		});
		assertThat(reply).isEqualTo("reply");
		verify(this.socket, atLeastOnce()).forceDisconnect();
		verify(this.borrowed).close();
	}

}
