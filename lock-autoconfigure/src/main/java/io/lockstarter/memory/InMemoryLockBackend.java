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
 * Keeps locks in this JVM: they exclude threads and tasks, not other processes. Late
 * commands are recognised for the names used last.
 */
public final class InMemoryLockBackend implements LockBackend {

	private static final int REMEMBERED = 1000;

	private final String clientId = UUID.randomUUID().toString().replace("-", "");

	private final InMemoryLockStore store;

	private final InstantSource wallClock;

	/** Twice the highest sequence that has ended, plus one if it was not held then. */
	private final Map<String, Long> done = Collections.synchronizedMap(new LinkedHashMap<>() {

		private static final long serialVersionUID = 1L;

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
			return size() > REMEMBERED;
		}

	});

	/**
	 * Connect a client to a store.
	 * @param store the state, which several clients may share
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
	 * Return where the locks are.
	 * @return the state, which several clients may share
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
	public boolean isListening() {
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
		if (isDone(command.name(), command.tenure())) {
			return CompletableFuture.completedFuture(new AlreadyEnded());
		}
		return CompletableFuture.completedFuture(this.store.acquire(command));
	}

	@Override
	public CompletableFuture<CurrentHolders> holders(String name) {
		return CompletableFuture.completedFuture(this.store.occupancy(name));
	}

	@Override
	public CompletableFuture<Page> names(String from, int size) {
		return CompletableFuture.completedFuture(this.store.names(from, size));
	}

	@Override
	public CompletableFuture<Release.Reply> release(Release command) {
		if (command.intent() == Release.Intent.FORCE) {
			return CompletableFuture.completedFuture(oust(command));
		}
		Release.Outcome outcome = Release.Outcome.NOT_HELD;
		if (this.store.release(command)) {
			outcome = Release.Outcome.RELEASED;
		}
		else if (Long.valueOf(2 * command.tenure().sequence()).equals(this.done.get(command.name()))) {
			outcome = Release.Outcome.RELEASED_BEFORE;
		}
		if (command.tenure().sequence() > 0 && command.intent() != Release.Intent.DOWNGRADE) {
			long mark = 2 * command.tenure().sequence() + ((outcome == Release.Outcome.RELEASED) ? 0 : 1);
			this.done.merge(command.name(), mark, (last, latest) -> (latest / 2 > last / 2) ? latest : last);
		}
		boolean returns = command.intent() == Release.Intent.RETURN && outcome == Release.Outcome.RELEASED;
		return CompletableFuture.completedFuture(
				returns ? new Release.Reply(outcome, OptionalLong.empty()) : this.store.wakeNext(command, outcome));
	}

	/** The ousted client's own calls are made once and in order: none can come late. */
	private Release.Reply oust(Release command) {
		if (!this.store.release(command)) {
			return new Release.Reply(Release.Outcome.NOT_HELD, OptionalLong.empty());
		}
		this.store.tellOusted(command.name(), command.tenure().client());
		return this.store.wakeNext(command, Release.Outcome.RELEASED);
	}

	private boolean isDone(String name, TenureId tenure) {
		return this.done.getOrDefault(name, 0L) >= 2 * tenure.sequence();
	}

	@Override
	public List<CompletableFuture<RenewalReply>> renew(List<Renew> commands) {
		return commands.stream()
			.map((command) -> CompletableFuture.completedFuture(this.store.renew(command)))
			.toList();
	}

	@Override
	public CompletableFuture<Boolean> shortenLease(String name, TenureId tenure, Duration rest) {
		return CompletableFuture.completedFuture(this.store.curtail(name, tenure, rest));
	}

	@Override
	public Map<String, String> place() {
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
