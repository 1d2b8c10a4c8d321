package io.lockstarter.verification.history.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.verification.history.recording.Grant;
import io.lockstarter.verification.history.recording.Grant.GrantKind;
import io.lockstarter.verification.history.recording.Miss;
import io.lockstarter.verification.history.recording.PermitKeys;
import io.lockstarter.verification.history.recording.Recorder;
import io.lockstarter.verification.history.recording.ReleaseOutcome;
import io.lockstarter.verification.history.recording.Visit;
import io.lockstarter.verification.history.worker.Client.Taken;
import org.jspecify.annotations.Nullable;

/**
 * Thread that acquires locks in random ways and records every hold.
 */
final class Actor implements Runnable {

	/** Source of the numbers of holds in this JVM. */
	private static final AtomicLong HOLD_IDS = new AtomicLong();

	/** Limit on stack frames in a description: 6. */
	private static final int FRAMES = 6;

	private static final long MILLI = 1_000_000;

	/** Pause after a request that failed at once: 2 ms. */
	private static final long PAUSE_NANOS = 2 * MILLI;

	/**
	 * Time after the wait time without a reply, from which a request counts as stuck: 60
	 * s.
	 */
	private static final Duration NO_REPLY = Duration.ofSeconds(60);

	/** Executor that runs each task on a new thread. */
	private static final Executor OTHER_THREAD = (task) -> new Thread(task, "completes").start();

	private final WorkerOrder order;

	private final Supplier<Client> clients;

	private final Recorder recorder;

	private final Guards guards;

	private final Random random;

	private volatile boolean ending;

	private volatile boolean cancelling;

	Actor(WorkerOrder order, int number, Supplier<Client> clients, Recorder recorder, Guards guards) {
		this.order = order;
		this.clients = clients;
		this.recorder = recorder;
		this.guards = guards;
		this.random = new Random(order.seed() * 31 + number);
	}

	/** Stops this thread after its current action. */
	void end() {
		this.ending = true;
	}

	/** Cancels the next asynchronous request of this thread. */
	void cancelNext() {
		this.cancelling = true;
	}

	@Override
	public void run() {
		while (!this.ending) {
			try {
				takeStep(this.clients.get());
			}
			catch (RuntimeException | Error ex) {
				this.recorder.anomaly("%s threw %s".formatted(Thread.currentThread().getName(), describe(ex)));
			}
			// An interrupt of the last action must not end the next one
			Thread.interrupted();
		}
	}

	private static String describe(Throwable ex) {
		return ex + Arrays.stream(ex.getStackTrace())
			.limit(FRAMES)
			.map(StackTraceElement::toString)
			.collect(Collectors.joining(" < ", " at ", ""));
	}

	private void takeStep(Client client) {
		if (Rush.isOn()) {
			String key = rushKey();
			acquireOne(client, LockRequest.of(key).permits(PermitKeys.permits(key)).waitTime(waitTime()), 0);
			return;
		}
		int choice = this.random.nextInt(100);
		if (choice < 10) {
			acquireSeveral(client);
		}
		else if (choice < 22) {
			acquireAsync(client);
		}
		else if (choice < 30) {
			downgrade(client);
		}
		else {
			acquireOne(client, request(key()), choice < 42 ? 1 + this.random.nextInt(3) : 0);
		}
	}

	/** Acquires one lock, re-enters it, and releases it. */
	private void acquireOne(Client client, LockRequest request, int entries) {
		long invoked = System.nanoTime();
		LockHandle handle = acquire(request, invoked, () -> client.registry().acquire(request));
		if (handle == null) {
			return;
		}
		long id = granted(client, handle, invoked, GrantKind.SINGLE);
		reenter(client, request, handle, entries);
		Visit visit = visit(handle);
		if (this.random.nextInt(20) == 0) {
			releaseOnOtherThread(id, handle, visit);
		}
		else {
			release(id, handle, visit);
		}
	}

	private void reenter(Client client, LockRequest request, LockHandle outer, int entries) {
		if (entries == 0 || !outer.isValid()) {
			return;
		}
		// Without a valid hold, this request does not re-enter the lock
		LockRequest again = request.waitTime(Duration.ZERO);
		try (LockHandle inner = recorded(Duration.ZERO, System.nanoTime(), () -> client.registry().acquire(again))) {
			if (inner.fencingToken() != outer.fencingToken() && outer.isValid()) {
				this.recorder.anomaly(String.format(Locale.ROOT, "%s was re-entered with token %d under token %d",
						outer.name(), inner.fencingToken(), outer.fencingToken()));
			}
			reenter(client, request, outer, entries - 1);
		}
		catch (LockAcquisitionTimeoutException | LockBackendException | LockLostException
				| LockRegistryClosedException ex) {
			if (outer.isValid() && !(ex instanceof LockRegistryClosedException)) {
				this.recorder.anomaly("%s was not re-entered: %s".formatted(outer.name(), describe(ex)));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** Acquires two or three locks together. */
	private void acquireSeveral(Client client) {
		List<LockRequest> requests = new ArrayList<>();
		for (int i = 0; i < 2 + this.random.nextInt(2); i++) {
			LockRequest request = request(key());
			if (requests.stream().noneMatch((other) -> other.name().equals(request.name()))) {
				requests.add(request);
			}
		}
		long invoked = System.nanoTime();
		client.beginJoint();
		LockHandle handle = acquire(shortestWait(requests), invoked, null,
				() -> client.registry().acquireAll(requests));
		List<Long> ids = new ArrayList<>();
		for (Taken taken : client.endJoint()) {
			ids.add(granted(client, taken, invoked, GrantKind.JOINT));
			invoked = taken.at();
		}
		if (handle == null) {
			ids.forEach(this::releasedUnused);
			return;
		}
		// Fixed leases begin again when the last lock is acquired
		handle.parts().forEach(this::extended);
		List<Visit> visits = handle.parts().stream().map(this::visit).toList();
		// Released together as by close(), but each with its own outcome
		for (int i = ids.size() - 1; i >= 0; i--) {
			release(ids.get(i), handle.parts().get(i), visits.get(i));
		}
	}

	private static Duration shortestWait(List<LockRequest> requests) {
		return requests.stream().map(Actor::waitTime).min(Comparator.naturalOrder()).orElseThrow();
	}

	private static Duration waitTime(LockRequest request) {
		return Objects.requireNonNull(request.waitTime());
	}

	/**
	 * Records a hold that was released, at an unknown time, before the failure of the
	 * whole request was reported.
	 */
	private void releasedUnused(long id) {
		this.recorder.leaving(id, Long.MIN_VALUE, Visit.NONE, Long.MIN_VALUE);
		this.recorder.released(id, System.nanoTime(), ReleaseOutcome.RELEASED);
	}

	/** Sends an asynchronous request, and sometimes cancels it. */
	private void acquireAsync(Client client) {
		LockRequest request = request(key());
		long invoked = System.nanoTime();
		CompletableFuture<LockHandle> promise = client.registry().acquireAsync(request);
		long waitTime = (this.random.nextBoolean() || this.cancelling) ? this.random.nextLong(3 * MILLI)
				: waitTime(request).plus(NO_REPLY).toNanos();
		this.cancelling = false;
		LockHandle handle = acquire(request, invoked, () -> {
			try {
				return promise.get(waitTime, TimeUnit.NANOSECONDS);
			}
			catch (TimeoutException | InterruptedException ex) {
				if (!promise.cancel(true) && !promise.isCompletedExceptionally()) {
					return promise.join();
				}
				throw new CancellationException();
			}
			catch (ExecutionException ex) {
				throw (ex.getCause() instanceof RuntimeException known) ? known : new IllegalStateException(ex);
			}
		});
		if (handle == null) {
			return;
		}
		long id = granted(client, handle, invoked, GrantKind.SINGLE);
		Visit visit = visit(handle);
		if (this.random.nextInt(4) == 0) {
			releaseAfterPause(id, handle, visit);
		}
		else {
			release(id, handle, visit);
		}
	}

	/** Acquires a lock as a writer and continues as a reader. */
	private void downgrade(Client client) {
		LockRequest writing = LockRequest.of(mixedKey()).type(LockType.WRITE).waitTime(waitTime());
		LockRequest reading = writing.type(LockType.READ).waitTime(Duration.ZERO);
		long invoked = System.nanoTime();
		LockHandle writer = acquire(writing, invoked, () -> client.registry().acquire(writing));
		if (writer == null) {
			return;
		}
		long writerId = granted(client, writer, invoked, GrantKind.SINGLE);
		Visit written = visit(writer);
		long readInvoked = System.nanoTime();
		LockHandle reader = writer.isValid()
				? acquire(waitTime(reading), readInvoked, null, () -> client.registry().acquire(reading)) : null;
		if (reader == null) {
			release(writerId, writer, written);
			return;
		}
		boolean nested = reader.fencingToken() == writer.fencingToken();
		long readerId = granted(client, reader, readInvoked, nested ? GrantKind.NESTED : GrantKind.SINGLE);
		release(writerId, writer, written);
		release(readerId, reader, visit(reader));
	}

	/** Acquires a lock, or records the refusal and returns {@code null}. */
	private @Nullable LockHandle acquire(LockRequest request, long invoked, Acquisition acquisition) {
		return acquire(waitTime(request), invoked, request, acquisition);
	}

	/**
	 * Acquires locks. Records a refusal only if the request for a single lock is given.
	 */
	private @Nullable LockHandle acquire(Duration waitTime, long invoked, @Nullable LockRequest request,
			Acquisition acquisition) {
		String outcome;
		try {
			return recorded(waitTime, invoked, acquisition);
		}
		catch (LockBackendException ex) {
			outcome = "BACKEND_" + ex.reason().name();
			LockSupport.parkNanos(PAUSE_NANOS);
		}
		catch (LockRegistryClosedException ex) {
			outcome = "CLOSED";
			LockSupport.parkNanos(PAUSE_NANOS);
		}
		catch (LockAcquisitionTimeoutException ex) {
			outcome = "TIMEOUT";
		}
		catch (LockLostException ex) {
			// One of several locks was lost while the request waited for the others
			outcome = "LOST";
		}
		catch (InterruptedException | CancellationException ex) {
			outcome = "CANCELLED";
		}
		if (request != null) {
			this.recorder.missed(
					new Miss(this.order.jvm(), request.name(), request.type(), invoked, System.nanoTime(), outcome));
		}
		return null;
	}

	/** Records the beginning and the completion of a request. */
	private LockHandle recorded(Duration waitTime, long invoked, Acquisition acquisition) throws InterruptedException {
		this.recorder.requested(invoked, waitTime.toNanos());
		try {
			return acquisition.acquire();
		}
		finally {
			this.recorder.completed(System.nanoTime());
		}
	}

	private long granted(Client client, LockHandle handle, long invoked, GrantKind kind) {
		return granted(client, new Taken(handle, System.nanoTime(), Client.deadlineOf(handle)), invoked, kind);
	}

	private long granted(Client client, Taken taken, long invoked, GrantKind kind) {
		LockHandle handle = taken.lock();
		boolean handedOver = client.wasHandedOver(handle);
		checkPermits(handle);
		long id = HOLD_IDS.incrementAndGet();
		this.recorder.granted(new Grant(this.order.jvm(), id, handle.name(), handle.type(),
				Thread.currentThread().getName(), handle.fencingToken(), invoked, taken.at(), taken.deadline(),
				handedOver ? GrantKind.HANDED_OVER : kind, handle.permits()));
		return id;
	}

	private void checkPermits(LockHandle handle) {
		boolean exclusive = handle.permits() == 1 && PermitKeys.isOrExclusive(handle.name());
		if (!exclusive && handle.permits() != PermitKeys.permits(handle.name())) {
			this.recorder
				.anomaly(String.format(Locale.ROOT, "%s was granted with %d permits", handle.name(), handle.permits()));
		}
	}

	/** Accesses the data that the lock guards. */
	private Visit visit(LockHandle handle) {
		int slot = this.order.keys().indexOf(handle.name());
		long before = this.guards.count(slot);
		if (handle.type().isShared() || handle.permits() > 1) {
			think(handle);
			boolean changed = this.guards.count(slot) != before;
			return new Visit(false, false, false, changed && handle.isValid());
		}
		boolean refused = !this.guards.admit(slot, handle.fencingToken()) && handle.isValid();
		think(handle);
		if (!handle.isValid()) {
			return new Visit(false, false, refused, false);
		}
		this.guards.count(slot, before + 1);
		return new Visit(true, !handle.isValid(), refused, false);
	}

	private void think(LockHandle handle) {
		int choice = this.random.nextInt(4000);
		long lease = this.order.lease().toNanos();
		if (choice < 4 && choice != 1) {
			LockSupport.parkNanos(lease + this.random.nextLong(lease));
		}
		else if (choice == 1 && handle.isValid()) {
			extend(handle, Duration.ofNanos(lease + this.random.nextLong(lease)));
		}
		else if (choice < 40 || handle.name().startsWith(WorkerOrder.FAIR_KEYS)) {
			LockSupport.parkNanos(this.random.nextLong(10 * MILLI));
		}
		else if (choice < 1000) {
			LockSupport.parkNanos(this.random.nextLong(MILLI));
		}
	}

	private void extend(LockHandle handle, Duration lease) {
		try {
			handle.extend(lease);
			extended(handle);
		}
		catch (LockLostException | LockBackendException ex) {
			// The visit continues with the lease as it is, or detects its end
			LockSupport.parkNanos(PAUSE_NANOS);
		}
	}

	private void extended(LockHandle handle) {
		this.recorder.extended(handle.name(), handle.type(), handle.fencingToken(), Client.deadlineOf(handle));
	}

	private void release(long id, LockHandle handle, Visit visit) {
		release(id, handle, visit, handle::close);
	}

	private void release(long id, LockHandle handle, Visit visit, Runnable release) {
		// The listener may not be notified of a renewal that is under way
		long deadline = Client.deadlineOf(handle);
		this.recorder.leaving(id, System.nanoTime(), visit, deadline);
		released(id, handle, release);
	}

	/**
	 * Releases a lock on another thread, like a transaction that another thread
	 * completes.
	 */
	private void releaseOnOtherThread(long id, LockHandle handle, Visit visit) {
		handle.detachFromThread(() -> false);
		release(id, handle, visit, () -> await(CompletableFuture.runAsync(handle::close, OTHER_THREAD)));
	}

	/** Releases a lock after a pause, like a method with a minimum hold time. */
	private void releaseAfterPause(long id, LockHandle handle, Visit visit) {
		Duration rest = Duration.ofNanos(this.random.nextLong(this.order.lease().toNanos() / 2));
		long deadline = Client.deadlineOf(handle);
		this.recorder.leaving(id, System.nanoTime() + rest.toNanos(), visit, deadline);
		released(id, handle, () -> {
			CompletableFuture<?> released = handle.releaseAfter(rest).toCompletableFuture();
			long known = deadline;
			while (!released.isDone()) {
				// The listener is not notified of these extensions
				long now = Client.deadlineOf(handle);
				if (now > known) {
					extended(handle);
					known = now;
				}
				// A pending interrupt would keep this thread busy
				Thread.interrupted();
				LockSupport.parkNanos(2 * MILLI);
			}
			await(released);
		});
	}

	private static void await(CompletableFuture<?> released) {
		try {
			released.join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof RuntimeException known) ? known : ex;
		}
	}

	private void released(long id, LockHandle handle, Runnable release) {
		ReleaseOutcome outcome = release(handle, release);
		this.recorder.released(id, System.nanoTime(), outcome);
	}

	private ReleaseOutcome release(LockHandle handle, Runnable release) {
		try {
			release.run();
			return ReleaseOutcome.RELEASED;
		}
		catch (LockLostException ex) {
			return ReleaseOutcome.LOST;
		}
		catch (LockNotHeldException ex) {
			return ReleaseOutcome.NOT_HELD;
		}
		catch (RuntimeException ex) {
			this.recorder.anomaly("The release of %s threw %s".formatted(handle.name(), describe(ex)));
			return ReleaseOutcome.FAILED;
		}
	}

	private LockRequest request(String key) {
		LockRequest request = LockRequest.of(key).type(type(key)).permits(permits(key)).waitTime(waitTime());
		return (this.random.nextInt(4) == 0) ? request.leaseTime(fixedLease(key)) : request;
	}

	private Duration fixedLease(String key) {
		long lease = this.order.lease().toNanos();
		// The shorter the lease, the sooner a command times out, and then a fair request
		// loses its place
		long shortest = key.startsWith(WorkerOrder.FAIR_KEYS) ? lease * 2 / 3 : lease / 3;
		return Duration.ofNanos(shortest + this.random.nextLong(lease * 4 / 3 - shortest));
	}

	private Duration waitTime() {
		return switch (this.random.nextInt(8)) {
			case 0 -> Duration.ZERO;
			case 1 -> Duration.ofNanos(this.random.nextLong(20 * MILLI));
			// Outlasts most outages
			case 2 -> Duration.ofMillis(5000 + this.random.nextInt(10_000));
			default -> Duration.ofMillis(500 + this.random.nextInt(2500));
		};
	}

	private LockType type(String key) {
		if (key.startsWith(WorkerOrder.FAIR_KEYS)) {
			return LockType.FAIR;
		}
		if (PermitKeys.isOne(key)) {
			return (this.random.nextInt(4) == 0) ? LockType.FAIR : LockType.REENTRANT;
		}
		return switch (this.random.nextInt(10)) {
			case 0, 1, 2 -> LockType.READ;
			case 3 -> LockType.WRITE;
			case 4 -> LockType.FAIR;
			default -> LockType.REENTRANT;
		};
	}

	private int permits(String key) {
		return (PermitKeys.isOrExclusive(key) && this.random.nextInt(8) == 0) ? 1 : PermitKeys.permits(key);
	}

	private String key() {
		return this.order.keys().get(this.random.nextInt(this.order.keys().size()));
	}

	/** Returns one of the first locks that are not for fair requests only. */
	private String rushKey() {
		return this.order.keys().get(1 + this.random.nextInt(Math.min(Rush.KEYS, this.order.keys().size() - 1)));
	}

	/** Returns a lock for readers and writers. */
	private String mixedKey() {
		List<String> mixed = this.order.keys()
			.stream()
			.filter((key) -> !key.startsWith(WorkerOrder.FAIR_KEYS) && !PermitKeys.isOne(key))
			.toList();
		return mixed.get(this.random.nextInt(mixed.size()));
	}

	/**
	 * Way to acquire a lock.
	 */
	private interface Acquisition {

		LockHandle acquire() throws InterruptedException;

	}

}
