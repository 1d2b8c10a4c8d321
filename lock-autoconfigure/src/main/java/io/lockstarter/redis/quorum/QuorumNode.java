package io.lockstarter.redis.quorum;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.backend.ClientMessages;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.RenewalReply;
import io.lockstarter.core.backend.TenureId;
import org.jspecify.annotations.Nullable;

/**
 * One server of a quorum.
 */
interface QuorumNode extends AutoCloseable {

	/** Connects, and admits the server to votes as soon as that is safe. */
	CompletableFuture<?> connect();

	/**
	 * Explains why a command got no reply in time, or returns {@code null} if unknown.
	 */
	default @Nullable LockBackendException explainTimeout(String name) {
		return null;
	}

	/** Returns whether commands can be sent without connecting first. */
	boolean isConnected();

	/**
	 * Returns whether the server has shown in the last 5 s that it votes, or will vote.
	 */
	boolean isMember();

	/**
	 * Proposes a tenure.
	 * @param command the request
	 * @param base the proposed token base
	 * @param raise whether a lower base that was granted to the tenure before may be
	 * raised
	 */
	CompletableFuture<Vote> propose(LockBackend.Acquire command, long base, boolean raise);

	/** Ends a tenure for which this client has found no majority. */
	CompletableFuture<Release.Reply> cancel(String name, TenureId tenure);

	CompletableFuture<Release.Reply> release(Release command);

	/** Shortens the lease of a tenure. */
	CompletableFuture<Boolean> shortenLease(String name, TenureId tenure, Duration rest);

	CompletableFuture<LockBackend.CurrentHolders> holders(String name);

	/** Returns a page of the names of locks on the server. */
	CompletableFuture<LockBackend.Page> names(String from, int size);

	List<CompletableFuture<RenewalReply>> renew(List<LockBackend.Renew> commands);

	/**
	 * Restores a tenure that a majority has and this server has lost.
	 * @return a future of whether the tenure now holds the lock on this server
	 */
	CompletableFuture<Boolean> putBack(LockBackend.Renew command, LockBackend.TenureProperties properties);

	CompletableFuture<Findings> probe();

	/** Returns the clock of the server. */
	ServerClock clock();

	void listen(LockBackend.WakeListener listener);

	boolean isSubscribed();

	/** Returns the messages between clients that the server forwards. */
	default ClientMessages messages() {
		return ClientMessages.NONE;
	}

	/** Closes the connections. The next command opens others. */
	default void disconnect() {
	}

	@Override
	void close();

	/**
	 * Findings of a probe.
	 *
	 * @param votes whether the server votes
	 * @param subscription the state of the subscription
	 * @param messages {@code allowed}, or what the server refuses
	 */
	record Findings(boolean votes, String subscription, String messages) {
	}

}
