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
 * The JVM whose threads take locks. It is told by lines on its input what else to do.
 */
public final class Worker {

	/** Starts every line that is meant for the parent. */
	public static final String ANSWER = "answer ";

	/** For how long clients of workers let Redis keep marks. */
	public static final Duration RETENTION = Duration.ofMinutes(1);

	/** Starts the names of the locks with which workers warm up. */
	public static final String WARM_UP = "warm-up-";

	/** The longest lease of such a lock. */
	public static final Duration WARM_UP_LEASE = Duration.ofSeconds(5);

	private static final Duration LONGEST_CALL = Duration.ofSeconds(20);

	private static final Duration SETTLING = Duration.ofSeconds(8);

	/** For longer than the leases last of those who were killed in the end. */
	private static final Duration PERMITS_FREED = Duration.ofSeconds(5);

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
	 * Runs a worker until it is told to end or its parent has gone.
	 * @param arguments its {@link WorkerOrder}
	 * @throws InterruptedException never
	 */
	public static void main(String[] arguments) throws InterruptedException {
		run(arguments, UnaryOperator.identity());
	}

	/**
	 * Runs a worker with a backend that is not what it should be.
	 * @param arguments its {@link WorkerOrder}
	 * @param tampering what is done to the backend
	 * @throws InterruptedException never
	 */
	public static void run(String[] arguments, UnaryOperator<LockBackend> tampering) throws InterruptedException {
		PrintStream out = System.out;
		Worker worker = new Worker(WorkerOrder.of(arguments), tampering);
		ExecutorService executor = Executors.newSingleThreadExecutor();
		ChildJvm.exitWithParent((line) -> executor.execute(() -> out.println(ANSWER + worker.answer(line))));
		StallMeter.start(worker.recorder);
		worker.begin();
		out.println(ANSWER + "ready");
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

	/** Connects, and lose a lock once: both need classes that are loaded on first use. */
	private void warmUp() {
		LockRequest request = LockRequest.of(WARM_UP + this.order.jvm());
		boolean warm = false;
		while (!warm) {
			try {
				this.client.registry().acquire(request.leaseTime(WARM_UP_LEASE)).close();
				LockHandle lost = this.client.registry().acquire(request.leaseTime(this.order.lease().dividedBy(2)));
				settled(() -> !lost.isValid());
				lost.close();
			}
			catch (LockLostException ex) {
				warm = true;
			}
			catch (LockBackendException | LockAcquisitionTimeoutException ex) {
				// Redis is away, or keeps what was released meanwhile
				LockSupport.parkNanos(10_000_000);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException("Nobody interrupts the main thread", ex);
			}
		}
	}

	private String answer(String line) {
		try {
			return answer(Request.valueOf(line));
		}
		catch (RuntimeException | Error ex) {
			return "failed " + ex;
		}
	}

	private String answer(Request request) {
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

	/** Closes the client under its holders and waiters, and work on with a new one. */
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

	/** Ends all work; tell what is still held, awaited or kept afterwards. */
	private String finish() {
		this.actors.forEach(Actor::end);
		List<String> left = new ArrayList<>();
		for (Thread thread : this.threads) {
			join(thread);
			if (thread.isAlive()) {
				left.add("%s hangs: %s".formatted(thread.getName(), Arrays.toString(thread.getStackTrace())));
			}
		}
		settled(() -> kept(this.client).isEmpty());
		left.addAll(kept(this.client));
		return "finished " + String.join("; ", left);
	}

	/** Takes all permits of each lock at once; tell of those that cannot be had. */
	private String takePermits() {
		return "taken " + this.order.keys()
			.stream()
			.filter(PermitKeys::isOne)
			.map(this::missingPermits)
			.filter((missing) -> !missing.isEmpty())
			.collect(Collectors.joining("; "));
	}

	private String missingPermits(String key) {
		LockRequest request = LockRequest.of(key).permits(PermitKeys.permits(key)).waitTime(PERMITS_FREED);
		List<LockHandle> taken = new ArrayList<>();
		try {
			while (taken.size() < request.permits()) {
				taken.add(this.client.registry().acquire(request.owner(LockOwner.create("all-" + taken.size()))));
			}
			return "";
		}
		catch (LockAcquisitionTimeoutException ex) {
			return String.format(Locale.ROOT, "only %d of %d permits of %s can be taken: %s", taken.size(),
					request.permits(), key, ex.getMessage());
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Nobody interrupts the answering thread", ex);
		}
		finally {
			taken.forEach(LockHandle::close);
		}
	}

	private static List<String> kept(Client client) {
		List<String> kept = new ArrayList<>();
		add(kept, "locks held", client.registry().heldCount());
		add(kept, "requests waiting", client.registry().waitingCount());
		add(kept, "names kept", Internals.places(client.registry()));
		add(kept, "timers pending", Internals.timers(client.registry()));
		return kept;
	}

	private static void add(List<String> kept, String what, int count) {
		if (count > 0) {
			kept.add(count + " " + what);
		}
	}

	/** Closes the client; tell what threads are left of it. */
	private String close() {
		closeInTime(this.client);
		settled(() -> threadsOfTheLibrary().isEmpty());
		return "closed " + threadsOfTheLibrary();
	}

	/** Closing must come to an end, whatever the network does. */
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

	private static void settled(BooleanSupplier state) {
		long end = System.nanoTime() + SETTLING.toNanos();
		while (!state.getAsBoolean() && System.nanoTime() - end < 0) {
			LockSupport.parkNanos(5_000_000);
		}
	}

	private static void join(Thread thread) {
		try {
			thread.join(LONGEST_CALL.toMillis());
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Nobody interrupts the answering thread", ex);
		}
	}

	/**
	 * What a worker can be told. Each is answered by a line.
	 */
	public enum Request {

		/** Interrupts all threads that take locks. */
		INTERRUPT,
		/** Cancels what each of them asks for next without blocking. */
		CANCEL,
		/** Lets a listener block when it next hears of a renewal. */
		BLOCK,
		/** Closes the registry with its connections as it is, and go on with a new one. */
		REOPEN,
		/** Takes some lock away from whoever has it. */
		FORCE_RELEASE,
		/** Stops taking locks; answers with what is left then. */
		FINISH,
		/** Takes all permits at once; answers with those that cannot be had. */
		TAKE_PERMITS,
		/** Closes the registry; answers with the threads left. */
		CLOSE

	}

}
