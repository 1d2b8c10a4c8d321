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
 * One of the independent servers of a quorum.
 */
public interface QuorumNode extends AutoCloseable {

	/** Connect, and see to it that the server votes as soon as it may. */
	CompletableFuture<?> connect();

	/** Why a command was not answered in time; {@code null} if that is not known. */
	default @Nullable LockBackendException unanswered(String name) {
		return null;
	}

	/** Whether commands can be sent without connecting first. */
	boolean isConnected();

	/**
	 * Whether the server has shown in the last seconds that it has its memory, or is on
	 * its way to vote without.
	 */
	boolean isMember();

	/**
	 * Take the lock there.
	 * @param command what to take
	 * @param base the proposed token base
	 * @param raise whether a base granted to the tenure before is to be raised to it
	 */
	CompletableFuture<Vote> propose(LockBackend.Acquire command, long base, boolean raise);

	/** End a tenure for which this client has found no majority. */
	CompletableFuture<Release.Reply> cancel(String name, TenureId tenure);

	CompletableFuture<Release.Reply> release(Release command);

	/** Let a tenure end sooner. */
	CompletableFuture<Boolean> shortenLease(String name, TenureId tenure, Duration rest);

	CompletableFuture<LockBackend.CurrentHolders> holders(String name);

	/** The locks that the server has, a page at a time. */
	CompletableFuture<LockBackend.Page> names(String from, int size);

	List<CompletableFuture<RenewalReply>> renew(List<LockBackend.Renew> commands);

	/**
	 * Put a tenure back that a majority has and this server has forgotten.
	 * @return whether the tenure has the lock there now
	 */
	CompletableFuture<Boolean> putBack(LockBackend.Renew command, LockBackend.Terms terms);

	CompletableFuture<Findings> probe();

	/** The server's clock, as far as it has been read. */
	ServerClock clock();

	void listen(LockBackend.WakeListener listener);

	boolean isListening();

	/** The messages of clients that the server passes on. */
	default ClientMessages messages() {
		return ClientMessages.NONE;
	}

	@Override
	void close();

	/**
	 * What a probe finds.
	 *
	 * @param votes whether the server may vote
	 * @param subscription how the subscription stands
	 * @param messages whether messages are allowed, and if not what is refused
	 */
	record Findings(boolean votes, String subscription, String messages) {
	}

}
