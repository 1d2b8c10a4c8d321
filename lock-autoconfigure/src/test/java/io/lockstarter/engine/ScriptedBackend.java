package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.TenureId;
import org.jspecify.annotations.Nullable;

import static org.awaitility.Awaitility.await;

/**
 * Leaves every command to the test.
 */
final class ScriptedBackend implements LockBackend {

	/** What the clock of this backend shows, which stands. */
	private static final long MICROS = 1_000_000;

	final Queue<Ask> asks = new ConcurrentLinkedQueue<>();

	final Queue<Give> releases = new ConcurrentLinkedQueue<>();

	final Queue<Renewal> renewals = new ConcurrentLinkedQueue<>();

	private volatile WakeListener listener;

	volatile boolean listening = true;

	volatile boolean ordered;

	/** What happens meanwhile whenever a lock is asked for. */
	volatile Runnable onAsk = () -> {
	};

	volatile int batches;

	/** The longest lease that it serves, if there is one. */
	volatile @Nullable Duration longestLease;

	volatile boolean throwing;

	volatile int thrown;

	volatile CompletableFuture<?> connection = CompletableFuture.completedFuture(null);

	volatile CompletableFuture<CurrentHolders> occupancy = CompletableFuture
		.completedFuture(new CurrentHolders(List.of(), WaitQueue.EMPTY));

	Ask asked() {
		return next(this.asks);
	}

	Give released() {
		return next(this.releases);
	}

	/** Returns the next renewal, once the engine waits for its reply. */
	Renewal renewed() {
		Renewal renewal = next(this.renewals);
		// Until then a reply would be handled by the thread that has sent the renewal
		await().pollInterval(Duration.ofMillis(1))
			.until(() -> renewal.reply().isDone() || renewal.reply().getNumberOfDependents() > 0);
		return renewal;
	}

	private <T> T next(Queue<T> commands) {
		await().pollInterval(Duration.ofMillis(1)).until(() -> !commands.isEmpty());
		return commands.remove();
	}

	void wake() {
		this.listener.wake("name");
	}

	void wanted() {
		this.listener.contended("name");
	}

	/** Grant a lock by a message. */
	void offer(TenureId tenure, Duration lease) {
		this.listener.granted("name", new DirectGrant(tenure, 7, false, lease, MICROS));
	}

	void wakeAll() {
		this.listener.messagesMissed();
	}

	@Override
	public String clientId() {
		return "0123456789abcdef0123456789abcdef";
	}

	@Override
	public boolean keepsOrder() {
		return this.ordered;
	}

	@Override
	public @Nullable LockBackendException objection(String name, LockType type, int permits, Duration lease) {
		Duration longest = this.longestLease;
		return (longest != null && lease.compareTo(longest) > 0)
				? new LockBackendException(name, Reason.NOT_SUPPORTED, "planted", null) : null;
	}

	@Override
	public CompletableFuture<?> connect() {
		return this.connection;
	}

	@Override
	public CompletableFuture<AcquireReply> acquire(Acquire command) {
		maybeThrow();
		Ask ask = new Ask(command, new CompletableFuture<>());
		this.asks.add(ask);
		this.onAsk.run();
		return ask.reply;
	}

	@Override
	public CompletableFuture<Release.Reply> release(Release command) {
		maybeThrow();
		Give give = new Give(command, new CompletableFuture<>());
		this.releases.add(give);
		return give.reply;
	}

	@Override
	public CompletableFuture<Boolean> shortenLease(String name, TenureId tenure, Duration rest) {
		return CompletableFuture.completedFuture(false);
	}

	@Override
	public CompletableFuture<CurrentHolders> holders(String name) {
		return this.occupancy;
	}

	@Override
	public CompletableFuture<Page> names(String from, int size) {
		return CompletableFuture.completedFuture(new Page(List.of(), ""));
	}

	@Override
	public List<CompletableFuture<RenewalReply>> renew(List<Renew> commands) {
		maybeThrow();
		this.batches++;
		List<Renewal> all = commands.stream()
			.map((command) -> new Renewal(command, new CompletableFuture<>()))
			.toList();
		this.renewals.addAll(all);
		return all.stream().map(Renewal::reply).toList();
	}

	private void maybeThrow() {
		if (this.throwing) {
			this.thrown++;
			throw new IllegalStateException("planted");
		}
	}

	@Override
	public void listen(WakeListener listener) {
		this.listener = listener;
	}

	@Override
	public boolean isSubscribed() {
		return this.listening;
	}

	@Override
	public CompletableFuture<Map<String, Object>> probe() {
		return CompletableFuture.completedFuture(Map.of());
	}

	@Override
	public void close() {
	}

	/**
	 * An acquire to be answered.
	 */
	record Ask(LockBackend.Acquire command, CompletableFuture<LockBackend.AcquireReply> reply) {

		void grant(long base) {
			answer(new LockBackend.Granted(base, false));
		}

		void refuse(OptionalLong place) {
			refuse(place, EngineTests.LEASE);
		}

		void refuse(OptionalLong place, Duration remaining) {
			answer(new LockBackend.Refused(new Holder("another", Duration.ZERO, remaining), place, MICROS));
		}

		private void answer(LockBackend.AcquireReply answer) {
			this.reply.complete(answer);
		}

		void fail(Reason reason) {
			this.reply.completeExceptionally(new LockBackendException(this.command.name(), reason, "planted", null));
		}

	}

	/**
	 * A release to be answered.
	 */
	record Give(LockBackend.Release command, CompletableFuture<LockBackend.Release.Reply> reply) {

		void answer(LockBackend.Release.Outcome outcome) {
			this.reply.complete(new LockBackend.Release.Reply(outcome, OptionalLong.empty()));
		}

		void fail(Reason reason) {
			this.reply.completeExceptionally(new LockBackendException(this.command.name(), reason, "planted", null));
		}

	}

	/**
	 * A renewal to be answered.
	 */
	record Renewal(LockBackend.Renew command, CompletableFuture<RenewalReply> reply) {

		void answer(boolean held) {
			this.reply.complete(held ? RenewalReply.HELD : RenewalReply.LOST);
		}

		void fail(Reason reason) {
			this.reply.completeExceptionally(new LockBackendException(this.command.name(), reason, "planted", null));
		}

	}

}
