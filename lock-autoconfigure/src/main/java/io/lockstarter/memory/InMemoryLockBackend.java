package io.lockstarter.memory;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.TenureId;

/**
 * Backend that keeps locks in this JVM. Its locks exclude threads and tasks, but not
 * other processes. Late commands are recognized for recently used names. Thread-safe.
 */
public final class InMemoryLockBackend implements LockBackend {

	/** Maximum number of names for which ended tenures are remembered. */
	private static final int MAX_REMEMBERED = 1000;

	private final String clientId = UUID.randomUUID().toString().replace("-", "");

	private final InMemoryLockStore store;

	private final InstantSource wallClock;

	/**
	 * Tombstones by name: twice the highest sequence that has ended, plus one if that
	 * tenure did not hold the lock.
	 */
	private final Map<String, Long> tombstones = Collections.synchronizedMap(new LinkedHashMap<>() {

		private static final long serialVersionUID = 1L;

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
			return size() > MAX_REMEMBERED;
		}

	});

	/**
	 * Creates a client of a store.
	 * @param store the locks, which several clients may share
	 */
	public InMemoryLockBackend(InMemoryLockStore store) {
		this.store = store;
		this.wallClock = store.wallClock();
	}

	@Override
	public String clientId() {
		return this.clientId;
	}

	/**
	 * Returns the store of the locks.
	 * @return the locks, which several clients may share
	 */
	public InMemoryLockStore store() {
		return this.store;
	}

	@Override
	public InstantSource wallClock() {
		return this.wallClock;
	}

	@Override
	public void listen(WakeListener listener) {
		this.store.connect(this.clientId, listener);
	}

	@Override
	public boolean isSubscribed() {
		return true;
	}

	@Override
	public boolean keepsOrder() {
		return true;
	}

	@Override
	public CompletableFuture<?> connect() {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletableFuture<AcquireReply> acquire(Acquire command) {
		if (hasEnded(command.name(), command.tenure())) {
			return CompletableFuture.completedFuture(new AlreadyEnded());
		}
		return CompletableFuture.completedFuture(this.store.acquire(command));
	}

	@Override
	public CompletableFuture<CurrentHolders> holders(String name) {
		return CompletableFuture.completedFuture(this.store.inspect(name));
	}

	@Override
	public CompletableFuture<Page> names(String from, int size) {
		return CompletableFuture.completedFuture(this.store.names(from, size));
	}

	@Override
	public CompletableFuture<Release.Reply> release(Release command) {
		if (command.intent() == Release.Intent.FORCE) {
			return CompletableFuture.completedFuture(forceRelease(command));
		}
		Release.Outcome outcome = Release.Outcome.NOT_HELD;
		if (this.store.release(command)) {
			outcome = Release.Outcome.RELEASED;
		}
		else if (Long.valueOf(2 * command.tenure().sequence()).equals(this.tombstones.get(command.name()))) {
			outcome = Release.Outcome.RELEASED_BEFORE;
		}
		if (command.tenure().sequence() > 0 && command.intent() != Release.Intent.DOWNGRADE) {
			long tombstone = 2 * command.tenure().sequence() + ((outcome == Release.Outcome.RELEASED) ? 0 : 1);
			this.tombstones.merge(command.name(), tombstone, (last, latest) -> (latest / 2 > last / 2) ? latest : last);
		}
		boolean returns = command.intent() == Release.Intent.RETURN && outcome == Release.Outcome.RELEASED;
		return CompletableFuture.completedFuture(
				returns ? new Release.Reply(outcome, OptionalLong.empty()) : this.store.wakeNext(command, outcome));
	}

	/**
	 * Force-releases a tenure. No tombstone is necessary, because the calls of its client
	 * arrive once and in order.
	 */
	private Release.Reply forceRelease(Release command) {
		if (!this.store.release(command)) {
			return new Release.Reply(Release.Outcome.NOT_HELD, OptionalLong.empty());
		}
		this.store.notifyForceReleased(command.name(), command.tenure().client());
		return this.store.wakeNext(command, Release.Outcome.RELEASED);
	}

	private boolean hasEnded(String name, TenureId tenure) {
		return this.tombstones.getOrDefault(name, 0L) >= 2 * tenure.sequence();
	}

	@Override
	public List<CompletableFuture<RenewalReply>> renew(List<Renew> commands) {
		return commands.stream()
			.map((command) -> CompletableFuture.completedFuture(this.store.renew(command)))
			.toList();
	}

	@Override
	public CompletableFuture<Boolean> shortenLease(String name, TenureId tenure, Duration rest) {
		return CompletableFuture.completedFuture(this.store.shortenLease(name, tenure, rest));
	}

	@Override
	public Map<String, String> location() {
		return Map.of("topology", "in memory");
	}

	@Override
	public CompletableFuture<Map<String, Object>> probe() {
		return CompletableFuture.completedFuture(Map.of("clientId", this.clientId));
	}

	@Override
	public void close() {
		this.store.disconnect(this.clientId);
	}

}
