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
 * The locks as one application sees them: a registry over connections of its own.
 */
final class Client implements AutoCloseable {

	private static final String PREFIX = "lock:";

	private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);

	/** How long it may take to look at the clock twice. */
	private static final long LONGEST_LOOK_NANOS = 1_000_000;

	private final LettuceConnectionFactory connections;

	private final LockBackend backend;

	private final DefaultLockRegistry registry;

	private final Recorder recorder;

	private final long longestBlockNanos;

	private final AtomicBoolean blocking = new AtomicBoolean();

	/** What a thread that takes several locks has taken so far. */
	private static final ThreadLocal<@Nullable List<Taken>> JOINT = new ThreadLocal<>();

	/** The holds that were handed over, until their owners know of them. */
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
		this.registry = new DefaultLockRegistry(this.backend, settings, List.of(new Ear()));
	}

	DefaultLockRegistry registry() {
		return this.registry;
	}

	/** Whether a new hold was handed over by another owner in this JVM. */
	boolean wasHandedOver(LockHandle lock) {
		return this.handedOver.remove(nameOf(lock));
	}

	/** Lets the listener block once, for about as long as locks last. */
	void blockListener() {
		this.blocking.set(true);
	}

	/** The calling thread is about to take several locks as one. */
	void beginJoint() {
		JOINT.set(new ArrayList<>());
	}

	/** Returns what it has taken, be that all or not. */
	List<Taken> endJoint() {
		List<Taken> taken = Objects.requireNonNull(JOINT.get());
		JOINT.remove();
		return taken;
	}

	private static String nameOf(LockHandle lock) {
		return lock.name() + '#' + lock.fencingToken();
	}

	/** When a hold ends by the local clock, long ago if it is not valid any more. */
	static long deadlineOf(LockHandle handle) {
		while (true) {
			long before = System.nanoTime();
			Duration remaining = handle.remainingLease();
			if (remaining.isZero()) {
				return Long.MIN_VALUE;
			}
			if (System.nanoTime() - before < LONGEST_LOOK_NANOS) {
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
	 * Writes down what the registry tells.
	 */
	private final class Ear implements LockListener {

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
			// In advance, since the JVM may be killed meanwhile
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
	 * A lock that was taken as one of several.
	 *
	 * @param lock its handle
	 * @param at when it was taken
	 * @param deadline until when its lease lasted then
	 */
	record Taken(LockHandle lock, long at, long deadline) {
	}

}
