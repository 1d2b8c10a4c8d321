package io.lockstarter.redis.script;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.AcquireReply;
import io.lockstarter.core.backend.LockBackend.DirectGrant;
import io.lockstarter.core.backend.LockBackend.Granted;
import io.lockstarter.core.backend.LockBackend.Refused;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.core.backend.LockBackend.Renew;
import io.lockstarter.core.backend.LockBackend.Waiting;
import io.lockstarter.core.backend.TenureId;
import org.jspecify.annotations.Nullable;

import static org.awaitility.Awaitility.await;

/**
 * A client of one lock that sends single commands, and remembers what it is told.
 */
public final class ScriptClient implements LockBackend.WakeListener {

	public static final Duration LEASE = Duration.ofSeconds(30);

	public final Queue<DirectGrant> offers = new ConcurrentLinkedQueue<>();

	final Queue<String> wakes = new ConcurrentLinkedQueue<>();

	private final LockBackend backend;

	private final String lock;

	private final Runnable ticking;

	public ScriptClient(LockBackend backend, String lock) {
		this(backend, lock, () -> {
		});
	}

	/**
	 * Create a client for one lock.
	 * @param ticking what to do before each command, so that it comes later than the one
	 * before
	 */
	public ScriptClient(LockBackend backend, String lock, Runnable ticking) {
		this.backend = backend;
		this.lock = lock;
		this.ticking = ticking;
		backend.listen(this);
	}

	public String lock() {
		return this.lock;
	}

	public String id() {
		return this.backend.clientId();
	}

	public TenureId tenure(long sequence) {
		return new TenureId(id(), sequence);
	}

	String label(long sequence) {
		return "holder of " + tenure(sequence);
	}

	public ScriptClient listening() {
		await().until(this.backend::isSubscribed);
		return this;
	}

	/** Listen no more, without a word to the server's waiters. */
	void turnDeaf() {
		this.backend.close();
	}

	public AcquireReply acquire(LockType type, long sequence) {
		return acquire(type, sequence, LEASE);
	}

	AcquireReply acquire(LockType type, long sequence, Duration lease) {
		return send(command(type, sequence, lease, null));
	}

	AcquireReply acquirePermit(int permits, long sequence, Duration lease) {
		return send(permit(permits, sequence, lease, null));
	}

	AcquireReply acquirePermit(int permits, long sequence) {
		return acquirePermit(permits, sequence, LEASE);
	}

	/** Be refused, and wait for a permit, granted by a message if that is taken. */
	AcquireReply queuePermit(int permits, long sequence, boolean takesOffers) {
		return send(waitingForPermit(permits, sequence, takesOffers));
	}

	AcquireReply queuePermitAgain(int permits, long sequence, AcquireReply refused) {
		Waiting waiting = new Waiting(((Refused) refused).position(), Duration.ZERO, false);
		return send(permit(permits, sequence, LEASE, waiting));
	}

	Acquire waitingForPermit(int permits, long sequence, boolean takesOffers) {
		return permit(permits, sequence, LEASE, new Waiting(OptionalLong.empty(), Duration.ZERO, takesOffers));
	}

	private Acquire permit(int permits, long sequence, Duration lease, @Nullable Waiting waiting) {
		return new Acquire(this.lock, tenure(sequence), LockType.REENTRANT, label(sequence), lease, waiting, permits);
	}

	Acquire waitingWithLabel(String label) {
		return new Acquire(this.lock, tenure(1), LockType.READ, label, LEASE, null);
	}

	long base(LockType type, long sequence) {
		return ((Granted) acquire(type, sequence)).base();
	}

	/** Be refused, and wait for a grant by message. */
	public AcquireReply queue(LockType type, long sequence) {
		return send(waiting(type, sequence, true));
	}

	/** Ask again from the place that an earlier refusal gave. */
	public AcquireReply queueAgain(LockType type, long sequence, OptionalLong place) {
		return send(command(type, sequence, LEASE, new Waiting(place, Duration.ZERO, true)));
	}

	/** Be refused, and wait to be woken. */
	AcquireReply queueForWake(LockType type, long sequence) {
		return send(waiting(type, sequence, false));
	}

	public Acquire waiting(LockType type, long sequence, boolean takesOffers) {
		return waiting(type, sequence, takesOffers, Duration.ZERO);
	}

	Acquire waiting(LockType type, long sequence, boolean takesOffers, Duration waited) {
		return command(type, sequence, LEASE, new Waiting(OptionalLong.empty(), waited, takesOffers));
	}

	private Acquire command(LockType type, long sequence, Duration lease, @Nullable Waiting waiting) {
		return new Acquire(this.lock, tenure(sequence), type, label(sequence), lease, waiting);
	}

	public AcquireReply send(Acquire command) {
		this.ticking.run();
		return this.backend.acquire(command).join();
	}

	public Outcome release(long sequence) {
		return release(sequence, Intent.STAY, null).outcome();
	}

	/** End a tenure that may be asked for later yet. */
	public Outcome cancel(long sequence) {
		this.ticking.run();
		return this.backend.release(new Release(this.lock, tenure(sequence), Intent.STAY, null)).join().outcome();
	}

	Outcome downgrade(long sequence) {
		return release(sequence, Intent.DOWNGRADE, null).outcome();
	}

	public Release.Reply release(long sequence, Intent intent, @Nullable Acquire next) {
		this.ticking.run();
		return this.backend.release(new Release(this.lock, tenure(sequence), intent, next, true)).join();
	}

	public boolean renew(long sequence, Duration lease) {
		this.ticking.run();
		return this.backend.renew(List.of(new Renew(this.lock, tenure(sequence), 1, lease))).get(0).join().held();
	}

	@Override
	public void wake(String name) {
		this.wakes.add(name);
	}

	@Override
	public void forceReleased(String name) {
	}

	@Override
	public void contended(String name) {
		// Not of interest here.
	}

	@Override
	public void granted(String name, DirectGrant offer) {
		this.offers.add(offer);
	}

	@Override
	public void messagesMissed() {
		// Not of interest here.
	}

}
