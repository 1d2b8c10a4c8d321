package io.lockstarter.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.testing.BlockedLog;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.TcpProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A log that takes no message for as long as three leases: its disk is full, its pipe is
 * blocked, or the collector behind it hangs.
 */
class BlockedLogTests extends RedisOfItsOwn {

	private static final Duration LEASE = Duration.ofMillis(1500);

	/** Renewals within three leases, each of which is renewed every third of it. */
	private static final int RENEWALS = 9;

	private BlockedLog log;

	@BeforeEach
	void blockLog() {
		this.log = BlockedLog.begin();
	}

	@AfterEach
	void unblockLog() {
		this.log.close();
	}

	/**
	 * Three instances, each with something to log: Redis refuses wake-up messages of the
	 * first, the second has no subscription, and that of the third is silent.
	 */
	@ParameterizedTest
	@EnumSource
	void locksAreRenewedAndRequestsEnd(Client client) throws Exception {
		List<Instance> instances = new ArrayList<>();
		for (Fault fault : Fault.values()) {
			instances.add(new Instance(client, fault));
		}
		instances.forEach(Instance::strike);
		for (Instance each : instances) {
			await().atMost(PATIENCE).until(() -> each.renewals.get() >= RENEWALS || !each.losses.isEmpty());
			assertThat(each.losses).as("losses after %s", each.fault).isEmpty();
			assertThat(each.held.isValid()).as("held after %s", each.fault).isTrue();
			assertThat(each.registry.tryAcquire(LockRequest.of("other"))).hasValueSatisfying(LockHandle::close);
			assertThat(each.registry.tryAcquire(LockRequest.of("awaited").waitTime(Duration.ofMillis(100)))).isEmpty();
		}
		this.log.release();
		for (Instance each : instances) {
			String message = each.fault.message(client);
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThat(this.log.lines()).anyMatch((text) -> text.startsWith(message)));
		}
	}

	/**
	 * What goes wrong with the messages of an instance.
	 */
	enum Fault {

		NOT_ALLOWED, BROKEN, SILENT;

		String message(Client client) {
			return switch (this) {
				case NOT_ALLOWED -> "Redis refuses wake-up messages";
				case BROKEN -> "Subscribing to ";
				case SILENT -> (client == Client.JEDIS) ? "" : "A message to ";
			};
		}

	}

	/**
	 * A client library.
	 */
	enum Client {

		LETTUCE {
			@Override
			LockBackend connect(RedisClients clients, String host, int port) {
				return clients.connect(host, port);
			}
		},
		JEDIS {
			@Override
			LockBackend connect(RedisClients clients, String host, int port) {
				return clients.connect(new JedisConnectionFactory(new RedisStandaloneConfiguration(host, port)));
			}
		};

		abstract LockBackend connect(RedisClients clients, String host, int port);

	}

	/** An instance that holds a lock and waits for another one. */
	private final class Instance implements LockListener {

		private final Client client;

		private final Fault fault;

		private final RedisServer server;

		private final TcpProxy proxy;

		private final DefaultLockRegistry registry;

		private final LockHandle held;

		private final AtomicInteger renewals = new AtomicInteger();

		private final List<LockLoss> losses = new CopyOnWriteArrayList<>();

		Instance(Client client, Fault fault) throws InterruptedException {
			this.client = client;
			this.fault = fault;
			this.server = BlockedLogTests.this.registries.keep(RedisServer.start());
			this.proxy = BlockedLogTests.this.registries.keep(TcpProxy.to(this.server));
			RedisClients clients = BlockedLogTests.this.registries.keep(new RedisClients());
			this.registry = BlockedLogTests.this.registries
				.open(client.connect(clients, this.proxy.host(), this.proxy.port()), LEASE, this);
			Registries.warmUp(this.registry);
			BlockedLogTests.this.registries.open(this.server.host(), this.server.port(), Duration.ofMinutes(1))
				.acquire(LockRequest.of("awaited"));
			this.held = this.registry.acquire(LockRequest.of("held"));
		}

		void strike() {
			if (this.fault == Fault.NOT_ALLOWED) {
				this.server.cli("ACL", "SETUSER", "default", "-publish", "-subscribe");
			}
			else if (this.fault == Fault.BROKEN && this.client == Client.LETTUCE) {
				// Lettuce mends by itself what was there once.
				this.proxy.refuse();
			}
			this.registry.acquireAsync(LockRequest.of("awaited").waitTime(PATIENCE));
			if (this.fault == Fault.SILENT || (this.fault == Fault.BROKEN && this.client == Client.JEDIS)) {
				await().until(() -> !((List<?>) this.server.cli("PUBSUB", "CHANNELS")).isEmpty());
				await().until(() -> this.registry.health().get().details().get("subscription").equals("up"));
			}
			if (this.fault == Fault.SILENT) {
				this.proxy.silenceSubscriptions();
			}
			else if (this.client == Client.JEDIS && this.fault == Fault.BROKEN) {
				this.server.cli("CLIENT", "KILL", "TYPE", "pubsub");
			}
		}

		@Override
		public void renewed(LockHandle lock) {
			this.renewals.incrementAndGet();
		}

		@Override
		public void lost(LockLoss loss) {
			this.losses.add(loss);
		}

	}

}
