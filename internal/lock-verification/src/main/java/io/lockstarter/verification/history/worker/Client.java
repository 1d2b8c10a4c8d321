package io.lockstarter.verification.history.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.redis.RedisLockBackend;
import io.lockstarter.verification.history.recording.Recorder;
import io.lockstarter.verification.history.recording.Span;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Client of one application: a registry with its own connections.
 */
final class Client implements AutoCloseable {

	private static final String PREFIX = "lock:";

	/** Default wait time: 2 s. */
	private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);

	/** Longest time between two readings of the clock for an exact deadline: 1 ms. */
	private static final long MAX_READ_NANOS = 1_000_000;

	private final LettuceConnectionFactory connections;

	private final LockBackend backend;

	private final DefaultLockRegistry registry;

	private final Recorder recorder;

	private final long longestBlockNanos;

	private final AtomicBoolean blocking = new AtomicBoolean();

	/** Locks that a thread has acquired so far as part of a joint request. */
	private static final ThreadLocal<@Nullable List<Taken>> JOINT = new ThreadLocal<>();

	/** Holds that were handed over, until their owners receive them. */
	private final Set<String> handedOver = ConcurrentHashMap.newKeySet();

	Client(WorkerOrder order, Recorder recorder, UnaryOperator<LockBackend> tampering) {
		this.recorder = recorder;
		this.longestBlockNanos = order.lease().multipliedBy(2).toNanos();
		this.connections = new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", order.port()));
		this.connections.afterPropertiesSet();
		this.connections.start();
		this.backend = tampering.apply(new RedisLockBackend(this.connections, PREFIX, Worker.RETENTION));
		recorder.opened(this.backend.clientId());
		EngineSettings settings = new EngineSettings("jvm-" + order.jvm(), LONGEST_WAIT, order.renewedLease(), null,
				false, order.handoverLimit());
		this.registry = new DefaultLockRegistry(this.backend, settings, List.of(new HistoryListener()));
	}

	DefaultLockRegistry registry() {
		return this.registry;
	}

	/** Returns whether a new hold was handed over by another owner in this JVM. */
	boolean wasHandedOver(LockHandle lock) {
		return this.handedOver.remove(nameOf(lock));
	}

	/** Makes the listener block once, for up to two leases. */
	void blockListener() {
		this.blocking.set(true);
	}

	/** Begins a joint request of the calling thread. */
	void beginJoint() {
		JOINT.set(new ArrayList<>());
	}

	/** Returns the locks that the joint request has acquired, which may be incomplete. */
	List<Taken> endJoint() {
		List<Taken> taken = Objects.requireNonNull(JOINT.get());
		JOINT.remove();
		return taken;
	}

	private static String nameOf(LockHandle lock) {
		return lock.name() + '#' + lock.fencingToken();
	}

	/**
	 * Returns the local deadline of a hold, in the past if the hold is no longer valid.
	 */
	static long deadlineOf(LockHandle handle) {
		while (true) {
			long before = System.nanoTime();
			Duration remaining = handle.remainingLease();
			if (remaining.isZero()) {
				return Long.MIN_VALUE;
			}
			if (System.nanoTime() - before < MAX_READ_NANOS) {
				return before + remaining.toNanos();
			}
		}
	}

	@Override
	public void close() {
		this.recorder.closing(this.backend.clientId(), System.nanoTime());
		this.registry.close();
		this.backend.close();
		this.connections.destroy();
	}

	/**
	 * Listener that records the events of the registry.
	 */
	private final class HistoryListener implements LockListener {

		@Override
		public void acquired(LockHandle lock, Duration waited) {
			List<Taken> taken = JOINT.get();
			if (taken != null) {
				taken.add(new Taken(lock, System.nanoTime(), deadlineOf(lock)));
			}
		}

		@Override
		public void handedOver(LockHandle lock) {
			Client.this.handedOver.add(nameOf(lock));
		}

		@Override
		public void renewed(LockHandle lock) {
			if (Client.this.blocking.compareAndSet(true, false)) {
				block();
			}
			Client.this.recorder.extended(lock.name(), lock.type(), lock.fencingToken(), deadlineOf(lock));
		}

		private void block() {
			long begin = System.nanoTime();
			long end = begin + ThreadLocalRandom.current().nextLong(Client.this.longestBlockNanos);
			// Recorded in advance, because the JVM may be killed meanwhile
			Client.this.recorder.blocked(new Span(begin, end));
			for (long left = end - begin; left > 0; left = end - System.nanoTime()) {
				LockSupport.parkNanos(left);
			}
		}

		@Override
		public void lost(LockLoss loss) {
			long now = System.nanoTime();
			Client.this.recorder.lost(loss.name(), loss.type(), loss.fencingToken(), now, loss.reason().name());
		}

	}

	/**
	 * Lock that was acquired as one of several.
	 *
	 * @param lock the handle
	 * @param at the time of the grant
	 * @param deadline the end of the lease at that time
	 */
	record Taken(LockHandle lock, long at, long deadline) {
	}

}
