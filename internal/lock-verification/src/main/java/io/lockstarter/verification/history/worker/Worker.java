package io.lockstarter.verification.history.worker;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.testing.ChildJvm;
import io.lockstarter.verification.history.recording.PermitKeys;
import io.lockstarter.verification.history.recording.Recorder;

/**
 * JVM whose threads acquire locks. Receives commands as lines on its input.
 */
public final class Worker {

	/** Prefix of every line for the parent. */
	public static final String REPLY = "reply ";

	/** Time for which tombstones of workers stay in Redis: 1 min. */
	public static final Duration RETENTION = Duration.ofMinutes(1);

	/** Prefix of the names of locks for the warm-up. */
	public static final String WARM_UP = "warm-up-";

	/** Longest lease of a lock for the warm-up: 5 s. */
	public static final Duration WARM_UP_LEASE = Duration.ofSeconds(5);

	private static final Duration CALL_TIMEOUT = Duration.ofSeconds(20);

	private static final Duration SETTLE_TIMEOUT = Duration.ofSeconds(8);

	/** Wait time for all permits, which exceeds the leases of killed JVMs: 5 s. */
	private static final Duration PERMIT_WAIT = Duration.ofSeconds(5);

	private final WorkerOrder order;

	private final UnaryOperator<LockBackend> tampering;

	private final Recorder recorder;

	private final List<Actor> actors = new ArrayList<>();

	private final List<Thread> threads = new ArrayList<>();

	private volatile Client client;

	private Worker(WorkerOrder order, UnaryOperator<LockBackend> tampering) {
		this.order = order;
		this.tampering = tampering;
		this.recorder = new Recorder(order.history());
		this.client = open();
	}

	/**
	 * Runs a worker until its parent exits.
	 * @param arguments the {@link WorkerOrder}
	 * @throws InterruptedException never
	 */
	public static void main(String[] arguments) throws InterruptedException {
		run(arguments, UnaryOperator.identity());
	}

	/**
	 * Runs a worker with a modified backend.
	 * @param arguments the {@link WorkerOrder}
	 * @param tampering the modification of the backend
	 * @throws InterruptedException never
	 */
	public static void run(String[] arguments, UnaryOperator<LockBackend> tampering) throws InterruptedException {
		PrintStream out = System.out;
		Worker worker = new Worker(WorkerOrder.of(arguments), tampering);
		ExecutorService executor = Executors.newSingleThreadExecutor();
		ChildJvm.exitWithParent((line) -> executor.execute(() -> out.println(REPLY + worker.reply(line))));
		StallMeter.start(worker.recorder);
		worker.begin();
		out.println(REPLY + "ready");
		new CountDownLatch(1).await();
	}

	private Client open() {
		return new Client(this.order, this.recorder, this.tampering);
	}

	private void begin() {
		warmUp();
		Guards guards = Guards.map(this.order.guards(), this.order.keys().size());
		for (int i = 0; i < this.order.threads(); i++) {
			Actor actor = new Actor(this.order, i, () -> this.client, this.recorder, guards);
			Thread thread = new Thread(actor, "actor-" + i);
			this.actors.add(actor);
			this.threads.add(thread);
			thread.start();
		}
	}

	/** Connects and loses a lock once, because both load classes on first use. */
	private void warmUp() {
		LockRequest request = LockRequest.of(WARM_UP + this.order.jvm());
		boolean warm = false;
		while (!warm) {
			try {
				this.client.registry().acquire(request.leaseTime(WARM_UP_LEASE)).close();
				LockHandle lost = this.client.registry().acquire(request.leaseTime(this.order.lease().dividedBy(2)));
				awaitCondition(() -> !lost.isValid());
				lost.close();
			}
			catch (LockLostException ex) {
				warm = true;
			}
			catch (LockBackendException | LockAcquisitionTimeoutException ex) {
				// Redis is unavailable, or the lock is still held after a late release
				LockSupport.parkNanos(10_000_000);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException("Unexpected interrupt", ex);
			}
		}
	}

	private String reply(String line) {
		try {
			return reply(Request.valueOf(line));
		}
		catch (RuntimeException | Error ex) {
			return "failed " + ex;
		}
	}

	private String reply(Request request) {
		return switch (request) {
			case INTERRUPT -> interruptAll();
			case CANCEL -> cancelAll();
			case BLOCK -> block();
			case REOPEN -> reopen();
			case FORCE_RELEASE -> forceRelease();
			case FINISH -> finish();
			case TAKE_PERMITS -> takePermits();
			case CLOSE -> close();
		};
	}

	private String interruptAll() {
		this.threads.forEach(Thread::interrupt);
		return "interrupted";
	}

	private String cancelAll() {
		this.actors.forEach(Actor::cancelNext);
		return "cancelled";
	}

	private String block() {
		this.client.blockListener();
		return "blocked";
	}

	/**
	 * Replaces the client by a new one, and closes the old one with its holders and
	 * waiters.
	 */
	private String reopen() {
		Client before = this.client;
		this.client = open();
		closeInTime(before);
		return "reopened";
	}

	private String forceRelease() {
		String key = this.order.keys().get(ThreadLocalRandom.current().nextInt(this.order.keys().size()));
		return "released " + this.client.registry().forceRelease(key).size();
	}

	/** Ends all work, and returns what the engine still holds afterwards. */
	private String finish() {
		this.actors.forEach(Actor::end);
		List<String> left = new ArrayList<>();
		for (Thread thread : this.threads) {
			join(thread);
			if (thread.isAlive()) {
				left.add("%s hangs: %s".formatted(thread.getName(), Arrays.toString(thread.getStackTrace())));
			}
		}
		awaitCondition(() -> remaining(this.client).isEmpty());
		left.addAll(remaining(this.client));
		return "finished " + String.join("; ", left);
	}

	/**
	 * Acquires all permits of each lock at once, and returns those that cannot be
	 * acquired.
	 */
	private String takePermits() {
		return "taken " + this.order.keys()
			.stream()
			.filter(PermitKeys::isOne)
			.map(this::missingPermits)
			.filter((missing) -> !missing.isEmpty())
			.collect(Collectors.joining("; "));
	}

	private String missingPermits(String key) {
		LockRequest request = LockRequest.of(key).permits(PermitKeys.permits(key)).waitTime(PERMIT_WAIT);
		List<LockHandle> taken = new ArrayList<>();
		try {
			while (taken.size() < request.permits()) {
				taken.add(this.client.registry().acquire(request.owner(LockOwner.create("all-" + taken.size()))));
			}
			return "";
		}
		catch (LockAcquisitionTimeoutException ex) {
			return String.format(Locale.ROOT, "only %d of %d permits of %s can be acquired: %s", taken.size(),
					request.permits(), key, ex.getMessage());
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Unexpected interrupt", ex);
		}
		finally {
			taken.forEach(LockHandle::close);
		}
	}

	private static List<String> remaining(Client client) {
		List<String> remaining = new ArrayList<>();
		add(remaining, "locks held", client.registry().heldCount());
		add(remaining, "requests waiting", client.registry().waitingCount());
		add(remaining, "names kept", Internals.names(client.registry()));
		add(remaining, "timers pending", Internals.timers(client.registry()));
		return remaining;
	}

	private static void add(List<String> remaining, String kind, int count) {
		if (count > 0) {
			remaining.add(count + " " + kind);
		}
	}

	/** Closes the client, and returns its remaining threads. */
	private String close() {
		closeInTime(this.client);
		awaitCondition(() -> threadsOfTheLibrary().isEmpty());
		return "closed " + threadsOfTheLibrary();
	}

	/** Closes a client, and reports an anomaly if that hangs. */
	private void closeInTime(Client client) {
		Thread closer = new Thread(client::close, "closer");
		closer.setDaemon(true);
		closer.start();
		join(closer);
		if (closer.isAlive()) {
			this.recorder.anomaly("Closing hangs: " + Arrays.toString(closer.getStackTrace()));
		}
	}

	private static String threadsOfTheLibrary() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map(Thread::getName)
			.filter((name) -> name.startsWith("lock-") || name.startsWith("lettuce-"))
			.sorted()
			.collect(Collectors.joining(", "));
	}

	private static void awaitCondition(BooleanSupplier state) {
		long end = System.nanoTime() + SETTLE_TIMEOUT.toNanos();
		while (!state.getAsBoolean() && System.nanoTime() - end < 0) {
			LockSupport.parkNanos(5_000_000);
		}
	}

	private static void join(Thread thread) {
		try {
			thread.join(CALL_TIMEOUT.toMillis());
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Unexpected interrupt", ex);
		}
	}

	/**
	 * Command to a worker. The worker replies with a line.
	 */
	public enum Request {

		/** Interrupts all threads that acquire locks. */
		INTERRUPT,
		/** Cancels the next asynchronous request of each thread. */
		CANCEL,
		/** Blocks the listener at the next renewal. */
		BLOCK,
		/** Closes the registry with its connections, and continues with a new one. */
		REOPEN,
		/** Force-releases a random lock. */
		FORCE_RELEASE,
		/** Stops acquiring locks, and replies with the remaining state. */
		FINISH,
		/**
		 * Acquires all permits at once, and replies with those that cannot be acquired.
		 */
		TAKE_PERMITS,
		/** Closes the registry, and replies with the remaining threads. */
		CLOSE

	}

}
