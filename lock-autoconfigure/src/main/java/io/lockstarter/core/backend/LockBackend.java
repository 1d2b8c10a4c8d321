package io.lockstarter.core.backend;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockType;
import org.jspecify.annotations.Nullable;

/**
 * Where locks are kept, as one client of that place sees it. Knows tenures and leases,
 * nothing of threads, owners or queues.
 * <p>
 * No method blocks. Commands may be repeated, delayed or lost on their way; therefore
 * every command is idempotent by its tenure. A returned future fails with
 * {@link io.lockstarter.core.LockBackendException}; cancelling it withdraws a command
 * that was not yet sent. Timeouts are the caller's. Thread-safe.
 */
public interface LockBackend extends AutoCloseable {

	/**
	 * How many consecutive token bases every grant reserves, so that holds that follow
	 * one another in one tenure can be told apart. A tenure that has used them up ends.
	 */
	int TOKEN_BASES = 16;

	/**
	 * Return the id of this client, the first part of all its tenures.
	 * @return 32 hexadecimal digits
	 */
	String clientId();

	/**
	 * Return whether {@link #clientId()} returns at once. Before that it may wait for
	 * randomness, and is not to be called by a thread that must not block.
	 * @return whether the id has been made
	 */
	default boolean isIdentified() {
		return true;
	}

	/**
	 * Return whether a lock may be granted to a client by a message while it waits. If
	 * not, a tenure that was refused has ended.
	 * @return whether offers are made
	 */
	default boolean grantsDirectly() {
		return true;
	}

	/**
	 * Return whether commands for one lock are carried out in the order in which they are
	 * sent, as a rule: then one that follows upon another need not wait for its answer.
	 * @return whether that is so, always or never
	 */
	default boolean keepsOrder() {
		return false;
	}

	/**
	 * Return the wall clock that leases go by, beside the monotonic clock of the JVM: a
	 * lease is over when either says so. May be set forward, as that of a machine that
	 * was suspended.
	 * @return the clock, always the same one
	 */
	default InstantSource wallClock() {
		return InstantSource.system();
	}

	/**
	 * Return why a lock cannot be had here on some terms, whoever has it. Does not ask
	 * the place where locks are kept.
	 * @param name the lock's name
	 * @param type its type
	 * @param permits how many may hold it at a time
	 * @param lease its lease
	 * @return the failure of whoever asks for that, or {@code null} if it can be had
	 */
	default @Nullable LockBackendException objection(String name, LockType type, int permits, Duration lease) {
		return null;
	}

	/**
	 * Tell why a command was not answered within its time, as far as that is known. Does
	 * not ask the place where locks are kept.
	 * @param name the lock's name
	 * @return the failure that callers are told
	 */
	default LockBackendException unanswered(String name) {
		return new LockBackendException(name, LockBackendException.Reason.TIMEOUT, "command timeout", null);
	}

	/**
	 * Make sure that there is a connection, which may take longer than a command.
	 * @return completes when commands can be sent, at once if they can be already
	 */
	CompletableFuture<?> connect();

	/**
	 * Take a lock if it is free, or if the same tenure holds it already.
	 * @param command what to take
	 * @return completes with the answer
	 */
	CompletableFuture<AcquireReply> acquire(Acquire command);

	/**
	 * End a tenure, whether it is held, unknown, or still on its way: afterwards an
	 * acquire of the same tenure that comes late is answered by {@link AlreadyEnded}.
	 * When the lock is free then, it is granted to one waiting client, or that client is
	 * woken, unless this client returns at once.
	 * @param command what to release
	 * @return completes with the answer
	 */
	CompletableFuture<Release.Reply> release(Release command);

	/**
	 * Renew leases, each with a verdict of its own, in as few trips as possible.
	 * @param commands what to renew
	 * @return for each command, in order, a future that completes with the verdict
	 */
	List<CompletableFuture<RenewalReply>> renew(List<Renew> commands);

	/**
	 * Let a tenure end sooner than by its lease, because its holder is done with it. It
	 * must not be renewed any more. Readers keep their leases.
	 * @param name the lock's name
	 * @param tenure the tenure, which may have ended
	 * @param rest how much longer it may last
	 * @return completes with whether it ends sooner by that
	 */
	CompletableFuture<Boolean> shortenLease(String name, TenureId tenure, Duration rest);

	/**
	 * Look who has a lock. Changes nothing.
	 * @param name the lock's name
	 * @return completes with those who have it and with how many wait
	 */
	CompletableFuture<CurrentHolders> holders(String name);

	/**
	 * Look which locks there are, whoever has them, a page at a time. Changes nothing. A
	 * lock that is there all the time is found; one that comes or goes meanwhile may be.
	 * @param from where to begin: empty, or what the page before says
	 * @param size how many names fill a page, which may have some more
	 * @return completes with a page; exceptionally with {@link IllegalArgumentException}
	 * if no page has said {@code from}
	 */
	CompletableFuture<Page> names(String from, int size);

	/**
	 * Set who is told of locks that may have become free. Called once, before any other
	 * method.
	 * @param listener the listener
	 */
	void listen(WakeListener listener);

	/**
	 * Return whether this client can be told at present that others wait for its locks.
	 * If not, it begins to see to it.
	 * @return whether the listener is told
	 */
	boolean isListening();

	/**
	 * Return the messages that clients send each other here.
	 * @return the messages; {@link ClientMessages#NONE} if there are none
	 */
	default ClientMessages messages() {
		return ClientMessages.NONE;
	}

	/**
	 * Tell where the locks are, without asking the backend.
	 * @return address and topology, as far as they are known, by these names
	 */
	default Map<String, String> place() {
		return Map.of();
	}

	/**
	 * Check that the backend answers.
	 * @return completes with findings by name, or exceptionally if it does not answer
	 */
	CompletableFuture<Map<String, Object>> probe();

	/**
	 * End this client's connections; locks still held expire.
	 */
	@Override
	void close();

	/**
	 * Is told of locks that may have become free. The calls are hints: they may be
	 * missing, late or repeated. They must return quickly.
	 */
	interface WakeListener {

		/**
		 * A lock this client waits for may be free.
		 * @param name the lock's name
		 */
		void wake(String name);

		/**
		 * Another client waits for a lock that this client holds.
		 * @param name the lock's name
		 */
		void contended(String name);

		/**
		 * A lock was taken away from this client.
		 * @param name the lock's name
		 */
		void takenAway(String name);

		/**
		 * A lock this client waits for has been granted to the tenure it waits with.
		 * @param name the lock's name
		 * @param offer what was granted
		 */
		void granted(String name, DirectGrant offer);

		/**
		 * Messages may have been missed: any lock may be free, or wanted by others.
		 */
		void messagesMissed();

		/**
		 * The {@link LockBackend#wallClock() wall clock} was set forward: leases may have
		 * ended, here and elsewhere, sooner than reckoned.
		 * @return completes when the leases of this client were looked at: those that
		 * have ended are lost, and the others were asked to be renewed
		 */
		default CompletableFuture<?> clockAdvanced() {
			return CompletableFuture.completedFuture(null);
		}

	}

	/**
	 * Asks for a lock.
	 *
	 * @param name the lock's name
	 * @param tenure the tenure to begin
	 * @param type how the tenure excludes others
	 * @param holder who asks, as shown to others
	 * @param lease the lease
	 * @param waiting how this client waits when refused, or {@code null} if it does not
	 * @param permits how many tenures may have the lock at a time; 1 if the tenure
	 * excludes all others, or reads. One with more permits is granted when fewer than so
	 * many have the lock, readers included, no tenure has it alone, and enough are left
	 * for those who have waited longer
	 */
	record Acquire(String name, TenureId tenure, LockType type, String holder, Duration lease,
			@Nullable Waiting waiting, int permits) {

		/**
		 * Ask for a lock that one tenure may have at a time, or any number of readers.
		 * @param name the lock's name
		 * @param tenure the tenure to begin
		 * @param type how the tenure excludes others
		 * @param holder who asks, as shown to others
		 * @param lease the lease
		 * @param waiting how this client waits when refused, or {@code null} if it does
		 * not
		 */
		public Acquire(String name, TenureId tenure, LockType type, String holder, Duration lease,
				@Nullable Waiting waiting) {
			this(name, tenure, type, holder, lease, waiting, 1);
		}

		/** Whether the tenure has one of several permits. */
		public boolean isPermit() {
			return this.permits > 1;
		}

		/** Whether others may have the lock beside the tenure. */
		public boolean isShared() {
			return this.type.isShared() || isPermit();
		}

		/** Whether this client is to be registered as waiting when refused. */
		public boolean waits() {
			return this.waiting != null;
		}

		/** Whether the lock may be granted to the tenure while it waits. */
		public boolean acceptsDirectGrant() {
			return this.waiting != null && this.waiting.acceptsDirectGrant();
		}

	}

	/**
	 * How a client waits for a lock, registered with the refusal. One that has not been
	 * heard of for some seconds is taken for dead.
	 *
	 * @param position the place among the waiting clients that an earlier refusal gave
	 * @param waited for how long it has waited without a place; counts for fair locks
	 * @param acceptsDirectGrant whether the lock may be granted to the tenure while it
	 * waits
	 * @param requests how many requests of the client wait, for those who look
	 */
	record Waiting(OptionalLong position, Duration waited, boolean acceptsDirectGrant, int requests) {

		/**
		 * Wait with one request.
		 * @param position the place among the waiting clients that an earlier refusal
		 * gave
		 * @param waited for how long it has waited without a place; counts for fair locks
		 * @param acceptsDirectGrant whether the lock may be granted to the tenure while
		 * it waits
		 */
		public Waiting(OptionalLong position, Duration waited, boolean acceptsDirectGrant) {
			this(position, waited, acceptsDirectGrant, 1);
		}

	}

	/**
	 * The answer to an {@link Acquire}.
	 */
	sealed interface AcquireReply permits Granted, Refused, AlreadyEnded {

	}

	/**
	 * The lock is held by the tenure.
	 *
	 * @param base the first of {@value #TOKEN_BASES} token bases of the tenure, all
	 * greater than those of every earlier tenure
	 * @param contended whether other clients wait for the lock
	 */
	record Granted(long base, boolean contended) implements AcquireReply {
	}

	/**
	 * The lock is held by another.
	 *
	 * @param holder who holds it: of several the one whose lease ends first
	 * @param position this client's place among the waiting, if it registered
	 * @param micros the backend's clock at this moment
	 * @param differing one who holds it with another number of permits than was asked
	 * for, if there is one
	 * @param notReady why the backend grants nothing yet, whoever waits for how long;
	 * {@code null} if another holds the lock
	 */
	record Refused(Holder holder, OptionalLong position, long micros, @Nullable PermitHolder differing,
			@Nullable LockBackendException notReady) implements AcquireReply {

		/**
		 * Refuse a request because another holds the lock.
		 * @param holder who holds the lock
		 * @param position this client's place among the waiting, if it registered
		 * @param micros the backend's clock at this moment
		 * @param differing one who holds it with another number of permits, if any
		 */
		public Refused(Holder holder, OptionalLong position, long micros, @Nullable PermitHolder differing) {
			this(holder, position, micros, differing, null);
		}

		/**
		 * Refuse a request with which no other is at odds.
		 * @param holder who holds the lock
		 * @param position this client's place among the waiting, if it registered
		 * @param micros the backend's clock at this moment
		 */
		public Refused(Holder holder, OptionalLong position, long micros) {
			this(holder, position, micros, null, null);
		}

	}

	/**
	 * One who has one of several permits.
	 *
	 * @param label the holder's instance and owner
	 * @param permits how many it takes to be there
	 */
	record PermitHolder(String label, int permits) {
	}

	/**
	 * Tells that a lock was granted to a tenure that waited.
	 *
	 * @param tenure the tenure
	 * @param base the first of its {@value #TOKEN_BASES} token bases
	 * @param contended whether other clients wait for the lock
	 * @param lease how long it is granted, at least, from before the request was sent
	 * @param requestMicros tells which request is granted: what the backend's clock
	 * showed when it registered the tenure, as the refusal says
	 */
	record DirectGrant(TenureId tenure, long base, boolean contended, Duration lease, long requestMicros) {
	}

	/**
	 * The tenure was ended before it began.
	 */
	record AlreadyEnded() implements AcquireReply {
	}

	/**
	 * Ends a tenure.
	 *
	 * @param name the lock's name
	 * @param tenure the tenure to end
	 * @param intent what this client does next
	 * @param next what it waits with if it yields, or {@code null} if it does not
	 * @param settled whether every acquire of the tenure has been answered, so that none
	 * comes later; then the backend need not remember that it was ended
	 */
	record Release(String name, TenureId tenure, Intent intent, @Nullable Acquire next, boolean settled) {

		/**
		 * End a tenure of which an acquire may come later.
		 * @param name the lock's name
		 * @param tenure the tenure to end
		 * @param intent what this client does next
		 * @param next what it waits with if it yields, or {@code null} if it does not
		 */
		public Release(String name, TenureId tenure, Intent intent, @Nullable Acquire next) {
			this(name, tenure, intent, next, false);
		}

		/**
		 * What a client does after it has released a lock.
		 */
		public enum Intent {

			/** It does not wait for the lock. */
			LEAVE,
			/**
			 * If another client is woken, it goes on waiting, as the last. A fair request
			 * keeps the queue position that it would have had, and waits even if nobody
			 * is woken.
			 */
			YIELD,
			/**
			 * It asks again at once, perhaps before the answer, and nobody need be woken
			 * meanwhile.
			 */
			RETURN,
			/** It stays among the waiting clients if it is there. */
			STAY,
			/**
			 * It goes on with the same tenure as a reader, no longer excluding others.
			 */
			DOWNGRADE,
			/**
			 * It takes the lock away from the tenure, which may be another client's and
			 * is not said to have been released: its client is told, and a release of its
			 * own finds that it does not hold the lock.
			 */
			FORCE

		}

		/**
		 * The answer to a release.
		 *
		 * @param outcome what became of the tenure
		 * @param position this client's new place among the waiting, which is the time by
		 * the backend's clock in microseconds, for a fair request less the time that it
		 * has waited: present if it yielded to another client, or is fair
		 * @param first whether nobody waits before this client, so that it is to ask at
		 * once; until it has, no fair request that came later is granted
		 */
		public record Reply(Outcome outcome, OptionalLong position, boolean first) {

			/**
			 * Answer a release after which others may be first.
			 * @param outcome what became of the tenure
			 * @param position this client's new place among the waiting, if it has one
			 */
			public Reply(Outcome outcome, OptionalLong position) {
				this(outcome, position, false);
			}

		}

		/**
		 * What became of a tenure.
		 */
		public enum Outcome {

			/** It held the lock and was ended. */
			RELEASED,
			/** It was ended by an earlier arrival of the same command. */
			RELEASED_BEFORE,
			/** It did not hold the lock. */
			NOT_HELD,
			/** One of the last two: the command was sent before, and not answered. */
			UNKNOWN

		}

	}

	/**
	 * One who has a lock.
	 *
	 * @param tenure the tenure
	 * @param holder who has it, for how long
	 * @param base its first token base, as far as it is known, or 0
	 * @param permits how many may have the lock at a time, as it was granted to the
	 * tenure; 1 if it excludes all others, or reads
	 */
	record CurrentHolder(TenureId tenure, Holder holder, long base, int permits) {

		/**
		 * Tell of one who excludes all others, or reads.
		 * @param tenure the tenure
		 * @param holder who has it, for how long
		 * @param base its first token base, as far as it is known, or 0
		 */
		public CurrentHolder(TenureId tenure, Holder holder, long base) {
			this(tenure, holder, base, 1);
		}

	}

	/**
	 * Who has a lock, and how many want it.
	 *
	 * @param holders those who have it: none, one, or several readers
	 * @param queue those who wait for it
	 */
	record CurrentHolders(List<CurrentHolder> holders, WaitQueue queue) {
	}

	/**
	 * Those who wait for a lock.
	 *
	 * @param requests how many requests wait, as each client has told when it asked last
	 * @param clients how many clients they are of
	 * @param since the first place among the clients, which is a time by the backend's
	 * clock in microseconds; 0 if nobody waits
	 */
	record WaitQueue(int requests, int clients, long since) {

		/** Nobody waits. */
		public static final WaitQueue EMPTY = new WaitQueue(0, 0, 0);

	}

	/**
	 * Some names of locks.
	 *
	 * @param names the names, in no particular order
	 * @param next where the next page begins; empty if there is none
	 */
	record Page(List<String> names, String next) {
	}

	/**
	 * Confirms a tenure and writes its hold count.
	 *
	 * @param name the lock's name
	 * @param tenure the tenure
	 * @param holds the absolute hold count
	 * @param lease the lease counted from now, or zero to leave it; never shortens
	 * @param terms what the tenure has the lock with, so that a backend of several
	 * servers can put it back on those that have forgotten it, or {@code null} if it is
	 * not to be put back
	 */
	record Renew(String name, TenureId tenure, int holds, Duration lease, @Nullable Terms terms) {

		/**
		 * Confirm a tenure, which is not to be put back anywhere.
		 * @param name the lock's name
		 * @param tenure the tenure
		 * @param holds the absolute hold count
		 * @param lease the lease counted from now, or zero to leave it; never shortens
		 */
		public Renew(String name, TenureId tenure, int holds, Duration lease) {
			this(name, tenure, holds, lease, null);
		}

	}

	/**
	 * What a tenure has its lock with.
	 *
	 * @param type how it excludes others by now
	 * @param holder who has it, as shown to others
	 * @param base its first token base
	 */
	record Terms(LockType type, String holder, long base) {
	}

	/**
	 * The answer to a {@link Renew}.
	 *
	 * @param held whether the tenure holds the lock
	 */
	record RenewalReply(boolean held) {

		/** The tenure does not hold the lock. */
		public static final RenewalReply LOST = new RenewalReply(false);

		/** The tenure holds the lock. */
		public static final RenewalReply HELD = new RenewalReply(true);

	}

}
