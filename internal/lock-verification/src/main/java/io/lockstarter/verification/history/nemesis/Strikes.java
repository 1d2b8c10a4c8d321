package io.lockstarter.verification.history.nemesis;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.SteppableClock;
import io.lockstarter.testing.TcpProxy;
import io.lockstarter.verification.history.recording.Span;
import io.lockstarter.verification.history.worker.Rush;
import io.lockstarter.verification.history.worker.Worker.Request;

/**
 * Implementations of the faults.
 */
final class Strikes {

	/** Limit on the wait for a matching request or reply: 1 s. */
	private static final Duration TRAP_TIMEOUT = Duration.ofSeconds(1);

	/** User of connections without a login. */
	private static final String LOCKS_USER = "default";

	private static final String[][] FORBIDDING = { { "-publish" }, { "-subscribe" }, { "-publish", "-subscribe" },
			{ "resetchannels" } };

	private final Stage stage;

	private final Random random;

	private final Duration longest;

	/**
	 * Creates the faults of a lane.
	 * @param longest the limit on the duration of faults that are measured in seconds
	 */
	Strikes(Stage stage, Random random, Duration longest) {
		this.stage = stage;
		this.random = random;
		this.longest = longest;
	}

	int stopShort() {
		return stop(partOfLease(10, 60));
	}

	int stopLong() {
		return stop(partOfLease(110, 200));
	}

	private int stop(long nanos) {
		Instance instance = this.stage.anyInstance(this.random);
		long begin = System.nanoTime();
		instance.stop();
		pause(nanos);
		instance.resume();
		this.stage.stopped(instance, new Span(begin, System.nanoTime()));
		return instance.number();
	}

	int killInstance() {
		Instance instance = this.stage.anyInstance(this.random);
		this.stage.replace(instance);
		return instance.number();
	}

	int interrupt() {
		return send(Request.INTERRUPT);
	}

	int cancel() {
		return send(Request.CANCEL);
	}

	int reopen() {
		return send(Request.REOPEN);
	}

	int blockListener() {
		return send(Request.BLOCK);
	}

	private int send(Request request) {
		Instance instance = this.stage.anyInstance(this.random);
		instance.request(request);
		return instance.number();
	}

	int stopRedisShort() {
		return stopRedis(partOfLease(5, 50));
	}

	int stopRedisLong() {
		return stopRedis(partOfLease(110, 180));
	}

	private int stopRedis(long nanos) {
		this.stage.redis().stop();
		pause(nanos);
		this.stage.redis().resume();
		return FaultEvent.ALL;
	}

	/**
	 * Stalls Redis while locks are handed over and released continuously, usually for
	 * longer than the age up to which a request is granted by a message.
	 */
	int stallRedis() {
		pause(Math.min(Rush.untilNext(), this.longest.toNanos()));
		long nanos = this.random.nextBoolean() ? millis(1000, 2000) : millis(300, 3000);
		return switch (this.random.nextInt(3)) {
			case 0 -> stopRedis(nanos);
			case 1 -> pauseRedis("ALL", nanos);
			// Replies to PING, but runs no script
			default -> pauseRedis("WRITE", nanos);
		};
	}

	private int pauseRedis(String mode, long nanos) {
		this.stage.redis().cli("CLIENT", "PAUSE", String.valueOf(TimeUnit.NANOSECONDS.toMillis(nanos)), mode);
		pause(nanos);
		return FaultEvent.ALL;
	}

	int takeRedisAway() {
		long nanos = millis(3000, 10_000);
		if (this.stage.scenario().topology() == Topology.DURABLE && this.random.nextBoolean()) {
			this.stage.redis().kill();
			pause(nanos);
			this.stage.redis().restart();
		}
		else {
			this.stage.proxies().forEach(TcpProxy::refuse);
			this.stage.proxies().forEach(TcpProxy::cutAll);
			pause(nanos);
			this.stage.proxies().forEach(TcpProxy::accept);
		}
		return FaultEvent.ALL;
	}

	int restartRedis() {
		this.stage.redis().kill();
		pause(partOfLease(0, 50));
		this.stage.redis().restart();
		return FaultEvent.ALL;
	}

	int emptyRedis() {
		this.stage.redis().kill();
		pause(partOfLease(0, 50));
		this.stage.redis().restartEmpty();
		return FaultEvent.ALL;
	}

	int flushKeys() {
		return call("FLUSHALL");
	}

	int evictKeys() {
		for (String key : this.stage.keys()) {
			this.stage.redis().cli("DEL", lock(key));
		}
		return FaultEvent.ALL;
	}

	int forceRelease() {
		return send(Request.FORCE_RELEASE);
	}

	int setClockForward() {
		SteppableClock clock = this.stage.clock();
		if (clock == null) {
			throw new MissedException("The clock of this Redis cannot be set");
		}
		clock.step(this.stage.lease().multipliedBy(3));
		return FaultEvent.ALL;
	}

	int failOver() {
		this.stage.failOver(() -> pause(partOfLease(10, 60)));
		return FaultEvent.ALL;
	}

	int cut() {
		return onNetwork((instance, proxy) -> proxy.cutAll());
	}

	int loseReply() {
		return trap((proxy) -> proxy.dropReplyTo(anyLock()), (proxy) -> {
		});
	}

	int loseRequest() {
		return trap((proxy) -> proxy.cutBeforeRequest(anyLock()), (proxy) -> {
		});
	}

	int repeatRequest() {
		return trap((proxy) -> proxy.holdRequest(anyLock()), (proxy) -> {
			pause(partOfLease(5, 150));
			proxy.deliverHeld().join();
		});
	}

	private int trap(Function<TcpProxy, CompletableFuture<Void>> arm, Consumer<TcpProxy> then) {
		return onNetwork((instance, proxy) -> {
			CompletableFuture<Void> struck = arm.apply(proxy);
			try {
				struck.get(TRAP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
			}
			catch (TimeoutException ex) {
				if (struck.cancel(false)) {
					throw new MissedException("No such request arrived");
				}
			}
			catch (InterruptedException | ExecutionException ex) {
				throw new IllegalStateException(ex);
			}
			then.accept(proxy);
		});
	}

	int holdRequests() {
		return onNetwork((instance, proxy) -> {
			proxy.holdRequests();
			pause(partOfLease(10, 160));
			proxy.releaseHeld();
		});
	}

	int holdReplies() {
		return onNetwork((instance, proxy) -> {
			proxy.holdReplies();
			pause(partOfLease(10, 160));
			proxy.releaseHeld();
		});
	}

	int delay() {
		return onNetwork((instance, proxy) -> {
			this.stage.delay(proxy, Duration.ofNanos(partOfLease(0, 8)), Duration.ofNanos(partOfLease(0, 8)));
			pause(partOfLease(20, 150));
			this.stage.delay(proxy, Duration.ZERO, Duration.ZERO);
		});
	}

	int halfOpen() {
		return onNetwork((instance, proxy) -> {
			proxy.holdRequests();
			proxy.holdReplies();
			proxy.refuse();
			pause(partOfLease(10, 160));
			proxy.cutAll();
			proxy.releaseHeld();
			proxy.accept();
		});
	}

	/** Makes connections unresponsive, which clients detect after about five seconds. */
	int silenceConnections() {
		return onNetwork((instance, proxy) -> silence(proxy, proxy::silenceAll, millis(8000, 10_000)));
	}

	int silenceSubscriptions() {
		return onNetwork((instance, proxy) -> silence(proxy, proxy::silenceSubscriptions, millis(2000, 5000)));
	}

	private static void silence(TcpProxy proxy, Runnable silence, long nanos) {
		silence.run();
		pause(nanos);
		// Closes the connections that clients have not dropped
		proxy.cutAll();
	}

	int forbidMessages() {
		RedisServer redis = this.stage.redis();
		// From here on, the log contains intended refusals
		if (!redis.violations().isEmpty()) {
			throw new IllegalStateException("The published rules do not allow " + redis.violations());
		}
		for (String rule : FORBIDDING[this.random.nextInt(FORBIDDING.length)]) {
			redis.cli("ACL", "SETUSER", LOCKS_USER, rule);
		}
		if (this.random.nextBoolean()) {
			// Existing subscriptions might continue otherwise
			redis.cli("CLIENT", "KILL", "TYPE", "pubsub");
		}
		pause(millis(1000, 4000));
		redis.cli("ACL", "SETUSER", LOCKS_USER, "+publish", "+subscribe", "resetchannels", "&lock:wake:*");
		return call("ACL", "LOG", "RESET");
	}

	int killClients() {
		return call("CLIENT", "KILL", "TYPE", "normal");
	}

	int killSubscriptions() {
		return call("CLIENT", "KILL", "TYPE", "pubsub");
	}

	int flushScripts() {
		return call("SCRIPT", "FLUSH");
	}

	int fillMemory() {
		this.stage.redis().cli("CONFIG", "SET", "maxmemory", "1");
		pause(partOfLease(10, 100));
		return call("CONFIG", "SET", "maxmemory", "0");
	}

	int makeReadOnly() {
		// No process listens on port 1
		this.stage.redis().cli("REPLICAOF", "127.0.0.1", "1");
		pause(partOfLease(10, 250));
		return call("REPLICAOF", "NO", "ONE");
	}

	private int call(String... command) {
		this.stage.redis().cli(command);
		return FaultEvent.ALL;
	}

	private int onNetwork(BiConsumer<Instance, TcpProxy> action) {
		Instance instance = this.stage.anyInstance(this.random);
		action.accept(instance, instance.proxy());
		return instance.number();
	}

	private String anyLock() {
		List<String> keys = this.stage.keys();
		return lock(keys.get(this.random.nextInt(keys.size())));
	}

	private static String lock(String key) {
		return "lock:{" + key + "}";
	}

	private long partOfLease(int fromPercent, int toPercent) {
		return this.stage.lease().toNanos() * (fromPercent + this.random.nextInt(toPercent - fromPercent)) / 100;
	}

	/** Returns a random time between two, up to the limit on the duration of faults. */
	private long millis(int from, int to) {
		return Math.min(Duration.ofMillis(from + this.random.nextInt(to - from)).toNanos(), this.longest.toNanos());
	}

	static void pause(long nanos) {
		long end = System.nanoTime() + nanos;
		for (long left = nanos; left > 0; left = end - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

	/**
	 * Fault without a target.
	 */
	static final class MissedException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		MissedException(String message) {
			super(message);
		}

	}

}
