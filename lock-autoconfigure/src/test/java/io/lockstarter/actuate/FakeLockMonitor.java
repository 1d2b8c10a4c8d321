package io.lockstarter.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockType;
import org.jspecify.annotations.Nullable;

/**
 * A monitor that shows what the test puts in.
 */
public class FakeLockMonitor implements LockMonitor {

	/** Greater than a JavaScript number can tell from its neighbours. */
	static final long TOKEN = (1L << 53) + 1;

	static final Instant SINCE = Instant.parse("2026-01-02T03:04:05.678Z");

	/** For how long locks have been held. */
	public static final Duration HELD_FOR = Duration.ofMillis(1500);

	/** For how long requests have waited. */
	public static final Duration WAITED = Duration.ofMillis(700);

	private final List<Held> held = new ArrayList<>();

	private final List<Waiting> waiting = new ArrayList<>();

	private @Nullable String limitation;

	private CompletableFuture<Health> health = CompletableFuture.completedFuture(new Health(true, Map.of()));

	/** Forget all that was put in. */
	void clear() {
		this.held.clear();
		this.waiting.clear();
		this.limitation = null;
	}

	/**
	 * Hold a lock.
	 * @param name the lock's name
	 * @return this
	 */
	public FakeLockMonitor hold(String name) {
		this.held.add(new Held(name, "OrderService.ship", LockType.REENTRANT, owner("worker-1"), 2, SINCE, TOKEN,
				Duration.ofMillis(29_500), RenewalState.FIXED_LEASE, 1, HELD_FOR));
		return this;
	}

	/**
	 * Wait for a lock.
	 * @param name the lock's name
	 * @return this
	 */
	public FakeLockMonitor await(String name) {
		this.waiting
			.add(new Waiting(name, "OrderService.ship", LockType.REENTRANT, owner("worker-2"), SINCE, 1, 1, WAITED));
		return this;
	}

	private static LockOwner owner(String threadName) {
		CompletableFuture<LockOwner> owner = new CompletableFuture<>();
		new Thread(() -> owner.complete(LockOwner.currentThread()), threadName).start();
		return owner.join();
	}

	FakeLockMonitor health(CompletableFuture<Health> health) {
		this.health = health;
		return this;
	}

	@Override
	public String instance() {
		return "shop-1";
	}

	@Override
	public List<Holder> forceRelease(String name) {
		throw new UnsupportedOperationException();
	}

	@Override
	public List<Held> held() {
		return List.copyOf(this.held);
	}

	@Override
	public List<Waiting> waiting() {
		return List.copyOf(this.waiting);
	}

	@Override
	public int heldCount() {
		return this.held.size();
	}

	@Override
	public int waitingCount() {
		return this.waiting.size();
	}

	@Override
	public CompletableFuture<LockSnapshot> inspect(String name) {
		List<HolderSnapshot> holders = this.held.stream()
			.filter((lock) -> lock.name().equals(name))
			.map((lock) -> new HolderSnapshot(new Holder("shop-1/" + lock.owner(), HELD_FOR, lock.remainingLease()),
					TOKEN, lock.permits(), SINCE))
			.toList();
		return CompletableFuture.completedFuture(new LockSnapshot(name, holders, this.waiting.size(),
				Math.min(this.waiting.size(), 1), this.waiting.isEmpty() ? null : SINCE));
	}

	@Override
	public CompletableFuture<LockPage> locks(String from, int size) {
		if (from.equals("nowhere")) {
			return CompletableFuture.failedFuture(new IllegalArgumentException("planted"));
		}
		List<LockSnapshot> seen = this.held.stream()
			.map(Held::name)
			.filter((name) -> name.compareTo(from) > 0)
			.limit(size)
			.map((name) -> inspect(name).join())
			.toList();
		String next = (seen.size() < size) ? "" : seen.get(size - 1).name();
		return CompletableFuture.completedFuture(new LockPage(seen, next, this.limitation));
	}

	FakeLockMonitor limit(String limitation) {
		this.limitation = limitation;
		return this;
	}

	@Override
	public CompletableFuture<Health> health() {
		return this.health;
	}

}
