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
import io.lockstarter.verification.history.recording.Grant.Entry;
import io.lockstarter.verification.history.recording.Miss;
import io.lockstarter.verification.history.recording.PermitKeys;
import io.lockstarter.verification.history.recording.Recorder;
import io.lockstarter.verification.history.recording.ReleaseOutcome;
import io.lockstarter.verification.history.recording.Visit;
import io.lockstarter.verification.history.worker.Client.Taken;
import org.jspecify.annotations.Nullable;

/**
 * A thread that takes locks in every way there is, at random, and writes down each.
 */
final class Actor implements Runnable {

	/** Numbers the holds of this JVM. */
	private static final AtomicLong HOLDS = new AtomicLong();

	private static final int FRAMES = 6;

	private static final long MILLI = 1_000_000;

	/** After a request that failed at once, so as not to ask without a rest. */
	private static final long PAUSE_NANOS = 2 * MILLI;

	/** After which no answer comes any more, as far as a test can tell. */
	private static final Duration NO_ANSWER = Duration.ofSeconds(60);

	/** Complete on another thread what was begun on this one. */
	private static final Executor OTHERS = (task) -> new Thread(task, "completes").start();

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

	/** Come to an end after what is under way. */
	void end() {
		this.ending = true;
	}

	/** Cancel what this thread waits for next without blocking. */
	void cancelNext() {
		this.cancelling = true;
	}

	@Override
	public void run() {
		while (!this.ending) {
			try {
				act(this.clients.get());
			}
			catch (RuntimeException | Error ex) {
				this.recorder.anomaly("%s threw %s".formatted(Thread.currentThread().getName(), describe(ex)));
			}
			// What was meant for the last action is not to end the next one
			Thread.interrupted();
		}
	}

	private static String describe(Throwable ex) {
		return ex + Arrays.stream(ex.getStackTrace())
			.limit(FRAMES)
			.map(StackTraceElement::toString)
			.collect(Collectors.joining(" < ", " at ", ""));
	}

	private void act(Client client) {
		if (Rush.isOn()) {
			String key = rushKey();
			one(client, LockRequest.of(key).permits(PermitKeys.permits(key)).waitTime(waitTime()), 0);
			return;
		}
		int choice = this.random.nextInt(100);
		if (choice < 10) {
			several(client);
		}
		else if (choice < 22) {
			later(client);
		}
		else if (choice < 30) {
			downgrade(client);
		}
		else {
			one(client, request(key()), choice < 42 ? 1 + this.random.nextInt(3) : 0);
		}
	}

	/** Take one lock, again and again while holding it, and leave it. */
	private void one(Client client, LockRequest request, int entries) {
		long invoked = System.nanoTime();
		LockHandle handle = attempt(request, invoked, () -> client.registry().acquire(request));
		if (handle == null) {
			return;
		}
		long id = granted(client, handle, invoked, Entry.ALONE);
		reenter(client, request, handle, entries);
		Visit visit = visit(handle);
		if (this.random.nextInt(20) == 0) {
			leaveElsewhere(id, handle, visit);
		}
		else {
			leave(id, handle, visit);
		}
	}

	private void reenter(Client client, LockRequest request, LockHandle outer, int entries) {
		if (entries == 0 || !outer.isValid()) {
			return;
		}
		// Without a valid hold this is a request like any other
		LockRequest again = request.waitTime(Duration.ZERO);
		try (LockHandle inner = answered(Duration.ZERO, System.nanoTime(), () -> client.registry().acquire(again))) {
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

	/** Take two or three locks as one. */
	private void several(Client client) {
		List<LockRequest> requests = new ArrayList<>();
		for (int i = 0; i < 2 + this.random.nextInt(2); i++) {
			LockRequest request = request(key());
			if (requests.stream().noneMatch((other) -> other.name().equals(request.name()))) {
				requests.add(request);
			}
		}
		long invoked = System.nanoTime();
		client.beginJoint();
		LockHandle handle = attempt(shortestWait(requests), invoked, null,
				() -> client.registry().acquireAll(requests));
		List<Long> ids = new ArrayList<>();
		for (Taken taken : client.endJoint()) {
			ids.add(granted(client, taken, invoked, Entry.JOINT));
			invoked = taken.at();
		}
		if (handle == null) {
			ids.forEach(this::gaveBack);
			return;
		}
		// Fixed leases have begun again when the last lock was taken
		handle.parts().forEach(this::extended);
		List<Visit> visits = handle.parts().stream().map(this::visit).toList();
		// Together, as close() does, but each with its own outcome
		for (int i = ids.size() - 1; i >= 0; i--) {
			leave(ids.get(i), handle.parts().get(i), visits.get(i));
		}
	}

	private static Duration shortestWait(List<LockRequest> requests) {
		return requests.stream().map(Actor::waitTime).min(Comparator.naturalOrder()).orElseThrow();
	}

	private static Duration waitTime(LockRequest request) {
		return Objects.requireNonNull(request.waitTime());
	}

	/** It had been given back, nobody knows when, before the failure was told. */
	private void gaveBack(long id) {
		this.recorder.leaving(id, Long.MIN_VALUE, Visit.NONE, Long.MIN_VALUE);
		this.recorder.released(id, System.nanoTime(), ReleaseOutcome.RELEASED);
	}

	/** Ask without blocking, and do not always wait for the answer. */
	private void later(Client client) {
		LockRequest request = request(key());
		long invoked = System.nanoTime();
		CompletableFuture<LockHandle> promise = client.registry().acquireAsync(request);
		long patience = (this.random.nextBoolean() || this.cancelling) ? this.random.nextLong(3 * MILLI)
				: waitTime(request).plus(NO_ANSWER).toNanos();
		this.cancelling = false;
		LockHandle handle = attempt(request, invoked, () -> {
			try {
				return promise.get(patience, TimeUnit.NANOSECONDS);
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
		long id = granted(client, handle, invoked, Entry.ALONE);
		Visit visit = visit(handle);
		if (this.random.nextInt(4) == 0) {
			leaveLater(id, handle, visit);
		}
		else {
			leave(id, handle, visit);
		}
	}

	/** Write, then read on. */
	private void downgrade(Client client) {
		LockRequest writing = LockRequest.of(mixedKey()).type(LockType.WRITE).waitTime(waitTime());
		LockRequest reading = writing.type(LockType.READ).waitTime(Duration.ZERO);
		long invoked = System.nanoTime();
		LockHandle writer = attempt(writing, invoked, () -> client.registry().acquire(writing));
		if (writer == null) {
			return;
		}
		long writerId = granted(client, writer, invoked, Entry.ALONE);
		Visit written = visit(writer);
		long readInvoked = System.nanoTime();
		LockHandle reader = writer.isValid()
				? attempt(waitTime(reading), readInvoked, null, () -> client.registry().acquire(reading)) : null;
		if (reader == null) {
			leave(writerId, writer, written);
			return;
		}
		boolean nested = reader.fencingToken() == writer.fencingToken();
		long readerId = granted(client, reader, readInvoked, nested ? Entry.NESTED : Entry.ALONE);
		leave(writerId, writer, written);
		leave(readerId, reader, visit(reader));
	}

	/** Ask for a lock; whoever is refused writes that down. */
	private @Nullable LockHandle attempt(LockRequest request, long invoked, Acquisition acquisition) {
		return attempt(waitTime(request), invoked, request, acquisition);
	}

	/** The same for what is not refused as a request for one lock is. */
	private @Nullable LockHandle attempt(Duration patience, long invoked, @Nullable LockRequest request,
			Acquisition acquisition) {
		String outcome;
		try {
			return answered(patience, invoked, acquisition);
		}
		catch (LockBackendException ex) {
			outcome = ex.reason().name();
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
			// One of several, while the others were waited for
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

	/** Write down when the question is put, and when its answer is there. */
	private LockHandle answered(Duration patience, long invoked, Acquisition acquisition) throws InterruptedException {
		this.recorder.asked(invoked, patience.toNanos());
		try {
			return acquisition.acquire();
		}
		finally {
			this.recorder.answered(System.nanoTime());
		}
	}

	private long granted(Client client, LockHandle handle, long invoked, Entry entry) {
		return granted(client, new Taken(handle, System.nanoTime(), Client.deadlineOf(handle)), invoked, entry);
	}

	private long granted(Client client, Taken taken, long invoked, Entry entry) {
		LockHandle handle = taken.lock();
		boolean handedOver = client.wasHandedOver(handle);
		checkPermits(handle);
		long id = HOLDS.incrementAndGet();
		this.recorder.granted(new Grant(this.order.jvm(), id, handle.name(), handle.type(),
				Thread.currentThread().getName(), handle.fencingToken(), invoked, taken.at(), taken.deadline(),
				handedOver ? Entry.HANDED_OVER : entry, handle.permits()));
		return id;
	}

	private void checkPermits(LockHandle handle) {
		boolean alone = handle.permits() == 1 && PermitKeys.isOrAlone(handle.name());
		if (!alone && handle.permits() != PermitKeys.permits(handle.name())) {
			this.recorder
				.anomaly(String.format(Locale.ROOT, "%s is said to have %d permits", handle.name(), handle.permits()));
		}
	}

	/** Use what the lock guards. */
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
			// The visit goes on with the lease as it is, or finds out that it has ended
			LockSupport.parkNanos(PAUSE_NANOS);
		}
	}

	private void extended(LockHandle handle) {
		this.recorder.extended(handle.name(), handle.type(), handle.fencingToken(), Client.deadlineOf(handle));
	}

	private void leave(long id, LockHandle handle, Visit visit) {
		leave(id, handle, visit, handle::close);
	}

	private void leave(long id, LockHandle handle, Visit visit, Runnable release) {
		// A renewal may be under way of which the listener will not hear any more
		long deadline = Client.deadlineOf(handle);
		this.recorder.leaving(id, System.nanoTime(), visit, deadline);
		released(id, handle, release);
	}

	/** As a transaction does that another thread completes. */
	private void leaveElsewhere(long id, LockHandle handle, Visit visit) {
		handle.detachFromThread(() -> false);
		leave(id, handle, visit, () -> await(CompletableFuture.runAsync(handle::close, OTHERS)));
	}

	/** Keep it for some more time, as a method does that has a least time to hold. */
	private void leaveLater(long id, LockHandle handle, Visit visit) {
		Duration rest = Duration.ofNanos(this.random.nextLong(this.order.lease().toNanos() / 2));
		long deadline = Client.deadlineOf(handle);
		this.recorder.leaving(id, System.nanoTime() + rest.toNanos(), visit, deadline);
		released(id, handle, () -> {
			CompletableFuture<?> released = handle.releaseAfter(rest).toCompletableFuture();
			long known = deadline;
			while (!released.isDone()) {
				// It is extended without a word
				long now = Client.deadlineOf(handle);
				if (now > known) {
					extended(handle);
					known = now;
				}
				// An interrupt is not to keep this thread busy
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
		return (this.random.nextInt(4) == 0) ? request.leaseTime(fixedLease()) : request;
	}

	private Duration fixedLease() {
		long lease = this.order.lease().toNanos();
		return Duration.ofNanos(lease / 3 + this.random.nextLong(lease));
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
		return (PermitKeys.isOrAlone(key) && this.random.nextInt(8) == 0) ? 1 : PermitKeys.permits(key);
	}

	private String key() {
		return this.order.keys().get(this.random.nextInt(this.order.keys().size()));
	}

	/** One of the first that are not for fair requests only. */
	private String rushKey() {
		return this.order.keys().get(1 + this.random.nextInt(Math.min(Rush.KEYS, this.order.keys().size() - 1)));
	}

	/** One that readers and writers ask for. */
	private String mixedKey() {
		List<String> mixed = this.order.keys()
			.stream()
			.filter((key) -> !key.startsWith(WorkerOrder.FAIR_KEYS) && !PermitKeys.isOne(key))
			.toList();
		return mixed.get(this.random.nextInt(mixed.size()));
	}

	/**
	 * Some way to take a lock.
	 */
	private interface Acquisition {

		LockHandle acquire() throws InterruptedException;

	}

}
