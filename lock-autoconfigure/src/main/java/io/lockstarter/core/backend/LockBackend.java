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
 * Lock store as seen by one client. A backend knows tenures and leases, but no threads,
 * owners or local queues.
 * <p>
 * No method blocks. Commands may be repeated, delayed or lost; therefore every command is
 * idempotent by its tenure. A returned future fails with
 * {@link io.lockstarter.core.LockBackendException}. Cancelling a future withdraws a
 * command that was not sent. The caller is responsible for timeouts. Thread-safe.
 */
public interface LockBackend extends AutoCloseable {

	/**
	 * Number of consecutive token bases that every grant reserves, so that successive
	 * holds of one tenure have different tokens. A tenure that has used all of them ends.
	 */
	int TOKEN_BASES = 16;

	/**
	 * Returns the id of this client, the first part of all its tenures.
	 * @return 32 hexadecimal digits
	 */
	String clientId();

	/**
	 * Returns whether {@link #clientId()} returns immediately. Before that it may wait
	 * for entropy, and must not be called by a thread that must not block.
	 * @return whether the id has been generated
	 */
	default boolean isIdentified() {
		return true;
	}

	/**
	 * Returns whether a lock may be granted to a waiting client by a message. Otherwise a
	 * tenure that was refused has ended.
	 * @return whether the backend grants locks by messages
	 */
	default boolean grantsDirectly() {
		return true;
	}

	/**
	 * Returns whether commands for one lock are usually executed in the order in which
	 * they are sent, so that a command need not wait for the reply to the one before.
	 * @return whether the order is kept; always the same value
	 */
	default boolean keepsOrder() {
		return false;
	}

	/**
	 * Returns the wall clock of leases. A lease ends when either this clock or the
	 * monotonic clock of the JVM says so. The wall clock may jump forward, as after a
	 * suspension of the machine.
	 * @return the clock, always the same one
	 */
	default InstantSource wallClock() {
		return InstantSource.system();
	}

	/**
	 * Returns the reason why this backend does not support a lock with certain options.
	 * Sends no command.
	 * @param name the lock's name
	 * @param type the lock's type
	 * @param permits the number of permits
	 * @param lease the lease
	 * @return the failure of a request with these options, or {@code null} if they are
	 * supported
	 */
	default @Nullable LockBackendException objection(String name, LockType type, int permits, Duration lease) {
		return null;
	}

	/**
	 * Explains why a command got no reply in time, as far as this is known. Sends no
	 * command.
	 * @param name the lock's name
	 * @return the failure for the caller
	 */
	default LockBackendException explainTimeout(String name) {
		return new LockBackendException(name, LockBackendException.Reason.TIMEOUT, "command timeout", null);
	}

	/**
	 * Connects unless connected, which may take longer than a command.
	 * @return completes once commands can be sent
	 */
	CompletableFuture<?> connect();

	/**
	 * Closes the connections, as before a checkpoint of the JVM. The next command opens
	 * others.
	 */
	default void disconnect() {
	}

	/**
	 * Acquires a lock if it is free, or if the same tenure already holds it.
	 * @param command the request
	 * @return completes with the reply
	 */
	CompletableFuture<AcquireReply> acquire(Acquire command);

	/**
	 * Ends a tenure that holds the lock, is unknown, or whose acquire may still arrive.
	 * Afterwards the reply to a late acquire of the same tenure is {@link AlreadyEnded}.
	 * If the lock becomes free, it is granted to a waiting client, or that client is
	 * woken, unless this client sends another request at once.
	 * @param command the tenure to end
	 * @return completes with the reply
	 */
	CompletableFuture<Release.Reply> release(Release command);

	/**
	 * Renews leases, each with its own reply, in as few round trips as possible.
	 * @param commands the leases to renew
	 * @return for each command, in order, a future of the reply
	 */
	List<CompletableFuture<RenewalReply>> renew(List<Renew> commands);

	/**
	 * Shortens the lease of a tenure whose holder has finished. The tenure must not be
	 * renewed afterwards. Readers keep their leases.
	 * @param name the lock's name
	 * @param tenure the tenure, which may have ended
	 * @param rest the remaining lease
	 * @return completes with whether the lease was shortened
	 */
	CompletableFuture<Boolean> shortenLease(String name, TenureId tenure, Duration rest);

	/**
	 * Inspects the holders of a lock. Changes nothing.
	 * @param name the lock's name
	 * @return completes with the holders and the waiting requests
	 */
	CompletableFuture<CurrentHolders> holders(String name);

	/**
	 * Returns a page of the names of all held locks. Changes nothing. A lock that exists
	 * during the whole listing is found; a lock that appears or disappears meanwhile may
	 * be found. A page contains each name once, but a name may be on several pages.
	 * @param from the start of the page: empty, or {@link Page#next()} of the page before
	 * @param size the number of names that fill a page, which may contain some more
	 * @return completes with a page; exceptionally with {@link IllegalArgumentException}
	 * if {@code from} is not the start of a page
	 */
	CompletableFuture<Page> names(String from, int size);

	/**
	 * Sets the listener of wake-ups. Called once, before any other method.
	 * @param listener the listener
	 */
	void listen(WakeListener listener);

	/**
	 * Returns whether this client is currently notified that others wait for its locks.
	 * If not, the client begins to subscribe.
	 * @return whether the listener is notified
	 */
	boolean isSubscribed();

	/**
	 * Returns the messages between clients.
	 * @return the messages; {@link ClientMessages#NONE} if they are not supported
	 */
	default ClientMessages messages() {
		return ClientMessages.NONE;
	}

	/**
	 * Returns the location of the locks. Sends no command.
	 * @return {@code address} and {@code topology}, as far as they are known
	 */
	default Map<String, String> location() {
		return Map.of();
	}

	/**
	 * Checks that the backend replies.
	 * @return completes with findings by name; exceptionally if the backend does not
	 * reply
	 */
	CompletableFuture<Map<String, Object>> probe();

	/**
	 * Closes the connections of this client. Locks that are still held expire.
	 */
	@Override
	void close();

	/**
	 * Listener for locks that may have become free. Calls are hints: they may be missing,
	 * late or repeated. Methods must return quickly.
	 */
	interface WakeListener {

		/**
		 * Called when a lock for which this client waits may be free.
		 * @param name the lock's name
		 */
		void wake(String name);

		/**
		 * Called when another client waits for a lock that this client holds.
		 * @param name the lock's name
		 */
		void contended(String name);

		/**
		 * Called when a lock of this client was force-released.
		 * @param name the lock's name
		 */
		void forceReleased(String name);

		/**
		 * Called when a lock was granted to the tenure with which this client waits.
		 * @param name the lock's name
		 * @param offer the grant
		 */
		void granted(String name, DirectGrant offer);

		/**
		 * Called when messages may have been missed: any lock may be free, or other
		 * clients may wait for it.
		 */
		void messagesMissed();

		/**
		 * Called when the {@link LockBackend#wallClock() wall clock} has jumped forward:
		 * leases of this and other clients may have ended earlier than expected.
		 * @return completes when the leases of this client were checked: leases that have
		 * ended are lost, and renewals of the others were requested
		 */
		default CompletableFuture<?> clockAdvanced() {
			return CompletableFuture.completedFuture(null);
		}

	}

	/**
	 * Request for a lock.
	 *
	 * @param name the lock's name
	 * @param tenure the tenure to begin
	 * @param type the lock's type
	 * @param holder the label of the holder, as shown to other clients
	 * @param lease the lease
	 * @param waiting the wait of this client if refused, or {@code null} if it does not
	 * wait
	 * @param permits the number of permits; 1 for an exclusive tenure or a reader. A
	 * request with more permits is granted if fewer tenures than that number hold the
	 * lock, including readers, no tenure holds it exclusively, and enough permits remain
	 * for clients that have waited longer.
	 */
	record Acquire(String name, TenureId tenure, LockType type, String holder, Duration lease,
			@Nullable Waiting waiting, int permits) {

		/**
		 * Creates a request for an exclusive tenure or a reader.
		 * @param name the lock's name
		 * @param tenure the tenure to begin
		 * @param type the lock's type
		 * @param holder the label of the holder, as shown to other clients
		 * @param lease the lease
		 * @param waiting the wait of this client if refused, or {@code null} if it does
		 * not wait
		 */
		public Acquire(String name, TenureId tenure, LockType type, String holder, Duration lease,
				@Nullable Waiting waiting) {
			this(name, tenure, type, holder, lease, waiting, 1);
		}

		/** Returns whether the tenure needs one of several permits. */
		public boolean isPermit() {
			return this.permits > 1;
		}

		/** Returns whether other tenures may hold the lock at the same time. */
		public boolean isShared() {
			return this.type.isShared() || isPermit();
		}

		/** Returns whether this client is registered as waiting if refused. */
		public boolean waits() {
			return this.waiting != null;
		}

		/** Returns whether the lock may be granted to the tenure by a message. */
		public boolean acceptsDirectGrant() {
			return this.waiting != null && this.waiting.acceptsDirectGrant();
		}

	}

	/**
	 * Wait of a client for a lock, registered with the refusal. A client that has sent no
	 * request for some seconds counts as dead.
	 *
	 * @param position the queue position from an earlier refusal
	 * @param waited the time that the client has waited without a queue position; only
	 * relevant for fair locks
	 * @param acceptsDirectGrant whether the lock may be granted to the tenure by a
	 * message
	 * @param requests the number of waiting requests of the client, for inspection
	 */
	record Waiting(OptionalLong position, Duration waited, boolean acceptsDirectGrant, int requests) {

		/**
		 * Creates a wait of one request.
		 * @param position the queue position from an earlier refusal
		 * @param waited the time that the client has waited without a queue position;
		 * only relevant for fair locks
		 * @param acceptsDirectGrant whether the lock may be granted to the tenure by a
		 * message
		 */
		public Waiting(OptionalLong position, Duration waited, boolean acceptsDirectGrant) {
			this(position, waited, acceptsDirectGrant, 1);
		}

	}

	/**
	 * Reply to an {@link Acquire}.
	 */
	sealed interface AcquireReply permits Granted, Refused, AlreadyEnded {

	}

	/**
	 * The tenure holds the lock.
	 *
	 * @param base the first of {@value #TOKEN_BASES} token bases of the tenure, all
	 * greater than those of every earlier tenure
	 * @param contended whether other clients wait for the lock
	 */
	record Granted(long base, boolean contended) implements AcquireReply {
	}

	/**
	 * Another tenure holds the lock.
	 *
	 * @param holder the holder; of several the one whose lease ends first
	 * @param position the queue position of this client, if it waits
	 * @param micros the backend's clock, in microseconds
	 * @param differing a holder with another number of permits than requested, if any
	 * @param notReady the reason why the backend does not grant any lock at present;
	 * {@code null} if another tenure holds the lock
	 */
	record Refused(Holder holder, OptionalLong position, long micros, @Nullable PermitHolder differing,
			@Nullable LockBackendException notReady) implements AcquireReply {

		/**
		 * Creates a refusal because another tenure holds the lock.
		 * @param holder the holder
		 * @param position the queue position of this client, if it waits
		 * @param micros the backend's clock, in microseconds
		 * @param differing a holder with another number of permits, if any
		 */
		public Refused(Holder holder, OptionalLong position, long micros, @Nullable PermitHolder differing) {
			this(holder, position, micros, differing, null);
		}

		/**
		 * Creates a refusal without a differing number of permits.
		 * @param holder the holder
		 * @param position the queue position of this client, if it waits
		 * @param micros the backend's clock, in microseconds
		 */
		public Refused(Holder holder, OptionalLong position, long micros) {
			this(holder, position, micros, null, null);
		}

	}

	/**
	 * Holder of one of several permits.
	 *
	 * @param label the holder's instance and owner
	 * @param permits the number of permits, as requested by the holder
	 */
	record PermitHolder(String label, int permits) {
	}

	/**
	 * Grant of a lock to a waiting tenure by a message.
	 *
	 * @param tenure the tenure
	 * @param base the first of its {@value #TOKEN_BASES} token bases
	 * @param contended whether other clients wait for the lock
	 * @param lease the granted lease, at least, counted from before the request was sent
	 * @param requestMicros the time by the backend's clock at which it registered the
	 * granted request, in microseconds, as in the refusal of that request
	 */
	record DirectGrant(TenureId tenure, long base, boolean contended, Duration lease, long requestMicros) {
	}

	/**
	 * The tenure was ended before it began.
	 */
	record AlreadyEnded() implements AcquireReply {
	}

	/**
	 * End of a tenure.
	 *
	 * @param name the lock's name
	 * @param tenure the tenure to end
	 * @param intent the next step of this client
	 * @param next the next request of a client that yields, else {@code null}
	 * @param allReplied whether every acquire of the tenure has got its reply, so that
	 * none arrives later; the backend then need not leave a tombstone
	 */
	record Release(String name, TenureId tenure, Intent intent, @Nullable Acquire next, boolean allReplied) {

		/**
		 * Creates a release of a tenure of which an acquire may arrive later.
		 * @param name the lock's name
		 * @param tenure the tenure to end
		 * @param intent the next step of this client
		 * @param next the next request of a client that yields, else {@code null}
		 */
		public Release(String name, TenureId tenure, Intent intent, @Nullable Acquire next) {
			this(name, tenure, intent, next, false);
		}

		/**
		 * Next step of a client after a release.
		 */
		public enum Intent {

			/** The client does not wait for the lock. */
			LEAVE,
			/**
			 * If another client is woken, this client waits as the last in the queue. A
			 * fair request keeps the queue position that it would have had, and waits
			 * even if no client is woken.
			 */
			YIELD,
			/**
			 * The client sends another request at once, perhaps before the reply, so no
			 * client has to be woken meanwhile.
			 */
			RETURN,
			/** The client keeps its queue position if it has one. */
			STAY,
			/**
			 * The client continues the same tenure as a reader.
			 */
			DOWNGRADE,
			/**
			 * The client force-releases the tenure, which may be another client's. That
			 * client is notified, and its own release finds that the tenure does not hold
			 * the lock.
			 */
			FORCE

		}

		/**
		 * Reply to a release.
		 *
		 * @param outcome the outcome for the tenure
		 * @param position the new queue position of this client, which is the time by the
		 * backend's clock in microseconds, minus the time that a fair request has waited;
		 * present if this client yielded to another one, or is fair
		 * @param first whether no client is ahead of this one, so that it has to send a
		 * request at once; until then, no later fair request is granted
		 */
		public record Reply(Outcome outcome, OptionalLong position, boolean first) {

			/**
			 * Creates a reply after which other clients may be first.
			 * @param outcome the outcome for the tenure
			 * @param position the new queue position of this client, if it has one
			 */
			public Reply(Outcome outcome, OptionalLong position) {
				this(outcome, position, false);
			}

		}

		/**
		 * Outcome of a release for its tenure.
		 */
		public enum Outcome {

			/** The tenure held the lock and was ended. */
			RELEASED,
			/** The tenure was ended by an earlier arrival of the same command. */
			RELEASED_BEFORE,
			/** The tenure did not hold the lock. */
			NOT_HELD,
			/** One of the last two: the command was sent before and got no reply. */
			UNKNOWN

		}

	}

	/**
	 * Tenure that holds a lock.
	 *
	 * @param tenure the tenure
	 * @param holder the holder and its times
	 * @param base the first token base, or 0 if unknown
	 * @param permits the number of permits, as requested for the tenure; 1 for an
	 * exclusive tenure or a reader
	 */
	record CurrentHolder(TenureId tenure, Holder holder, long base, int permits) {

		/**
		 * Creates an exclusive tenure or a reader.
		 * @param tenure the tenure
		 * @param holder the holder and its times
		 * @param base the first token base, or 0 if unknown
		 */
		public CurrentHolder(TenureId tenure, Holder holder, long base) {
			this(tenure, holder, base, 1);
		}

	}

	/**
	 * Holders and waiting requests of a lock.
	 *
	 * @param holders the holders: none, one, or several readers or holders of permits
	 * @param queue the waiting requests
	 */
	record CurrentHolders(List<CurrentHolder> holders, WaitQueue queue) {
	}

	/**
	 * Waiting requests of a lock.
	 *
	 * @param requests the number of waiting requests, as each client reported with its
	 * last request
	 * @param clients the number of their clients
	 * @param since the first queue position, which is a time by the backend's clock in
	 * microseconds; 0 if no client waits
	 */
	record WaitQueue(int requests, int clients, long since) {

		/** Empty queue. */
		public static final WaitQueue EMPTY = new WaitQueue(0, 0, 0);

	}

	/**
	 * Page of names of locks.
	 *
	 * @param names the names, in no particular order
	 * @param next the start of the next page; empty if there is none
	 */
	record Page(List<String> names, String next) {
	}

	/**
	 * Renewal of a tenure, with its hold count.
	 *
	 * @param name the lock's name
	 * @param tenure the tenure
	 * @param holds the absolute hold count
	 * @param lease the lease counted from now, or zero to keep it; never shortens the
	 * lease
	 * @param properties the properties of the tenure with which a backend of several
	 * servers can restore the tenure on servers that have lost it, or {@code null} if it
	 * is not to be restored
	 */
	record Renew(String name, TenureId tenure, int holds, Duration lease, @Nullable TenureProperties properties) {

		/**
		 * Creates a renewal of a tenure that is not to be restored.
		 * @param name the lock's name
		 * @param tenure the tenure
		 * @param holds the absolute hold count
		 * @param lease the lease counted from now, or zero to keep it; never shortens the
		 * lease
		 */
		public Renew(String name, TenureId tenure, int holds, Duration lease) {
			this(name, tenure, holds, lease, null);
		}

	}

	/**
	 * Properties of a tenure that holds a lock.
	 *
	 * @param type the current type of the hold
	 * @param holder the label of the holder, as shown to other clients
	 * @param base the first token base
	 */
	record TenureProperties(LockType type, String holder, long base) {
	}

	/**
	 * Reply to a {@link Renew}.
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
