package io.lockstarter.redis.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.CurrentHolders;
import io.lockstarter.core.backend.LockBackend.WaitQueue;
import io.lockstarter.core.backend.LockBackend.Page;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.core.backend.LockBackend.Renew;
import io.lockstarter.core.backend.LockBackend.RenewalReply;
import io.lockstarter.core.backend.LockBackend.TenureProperties;
import io.lockstarter.core.backend.LockBackend.WakeListener;
import io.lockstarter.core.backend.TenureId;

/**
 * A server of a quorum that leaves every command to the test.
 */
final class ScriptedNode implements QuorumNode {

	final Queue<Proposal> proposals = new ConcurrentLinkedQueue<>();

	final Queue<TenureId> cancelled = new ConcurrentLinkedQueue<>();

	final Queue<Ending> releases = new ConcurrentLinkedQueue<>();

	final List<CompletableFuture<RenewalReply>> replies = new ArrayList<>();

	final List<Renew> renewals = new ArrayList<>();

	final ServerClock clock = new ServerClock();

	final SortedSet<String> locks = new TreeSet<>();

	final Queue<Renew> putBacks = new ConcurrentLinkedQueue<>();

	final AtomicInteger connects = new AtomicInteger();

	boolean listening = true;

	boolean silent;

	boolean deaf;

	/** Whether sending throws an error. */
	boolean failing;

	CompletableFuture<Findings> findings = new CompletableFuture<>();

	@Override
	public CompletableFuture<?> connect() {
		this.connects.incrementAndGet();
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public boolean isConnected() {
		return true;
	}

	@Override
	public boolean isMember() {
		return true;
	}

	@Override
	public CompletableFuture<Vote> propose(Acquire command, long base, boolean raise) {
		requireNoError();
		Proposal proposal = new Proposal(command, base, raise, new CompletableFuture<>());
		this.proposals.add(proposal);
		return proposal.vote;
	}

	@Override
	public CompletableFuture<Release.Reply> cancel(String name, TenureId tenure) {
		this.cancelled.add(tenure);
		return this.deaf ? failure(Reason.UNREACHABLE)
				: CompletableFuture.completedFuture(new Release.Reply(Outcome.NOT_HELD, OptionalLong.empty()));
	}

	@Override
	public CompletableFuture<Release.Reply> release(Release command) {
		requireNoError();
		Ending ending = new Ending(command, new CompletableFuture<>());
		this.releases.add(ending);
		return ending.reply;
	}

	@Override
	public CompletableFuture<Boolean> shortenLease(String name, TenureId tenure, Duration rest) {
		return CompletableFuture.completedFuture(false);
	}

	@Override
	public CompletableFuture<CurrentHolders> holders(String name) {
		return CompletableFuture.completedFuture(new CurrentHolders(List.of(), WaitQueue.EMPTY));
	}

	/** Of as many names as asked for, in their order. */
	@Override
	public CompletableFuture<Page> names(String from, int size) {
		if (this.silent) {
			return new CompletableFuture<>();
		}
		if (this.deaf) {
			return failure(Reason.UNREACHABLE);
		}
		int begin = from.isEmpty() ? 0 : Integer.parseInt(from.substring(2));
		int end = Math.min(begin + size, this.locks.size());
		String next = (end < this.locks.size()) ? "0-" + end : "";
		return CompletableFuture.completedFuture(new Page(List.copyOf(this.locks).subList(begin, end), next));
	}

	@Override
	public List<CompletableFuture<RenewalReply>> renew(List<Renew> commands) {
		requireNoError();
		this.renewals.addAll(commands);
		List<CompletableFuture<RenewalReply>> answers = commands.stream()
			.map((command) -> new CompletableFuture<RenewalReply>())
			.toList();
		this.replies.addAll(answers);
		return answers;
	}

	private void requireNoError() {
		if (this.failing) {
			throw new NoClassDefFoundError("planted");
		}
	}

	@Override
	public CompletableFuture<Boolean> putBack(Renew command, TenureProperties properties) {
		this.putBacks.add(command);
		return CompletableFuture.completedFuture(true);
	}

	@Override
	public CompletableFuture<Findings> probe() {
		return this.findings;
	}

	@Override
	public ServerClock clock() {
		return this.clock;
	}

	@Override
	public void listen(WakeListener listener) {
	}

	@Override
	public boolean isSubscribed() {
		return this.listening;
	}

	@Override
	public void close() {
	}

	void vote(Vote vote) {
		this.proposals.remove().vote.complete(vote);
	}

	void fail(Reason reason) {
		this.proposals.remove().vote.completeExceptionally(new LockBackendException("a", reason, "planted", null));
	}

	private static <T> CompletableFuture<T> failure(Reason reason) {
		return CompletableFuture.failedFuture(new LockBackendException("a", reason, "planted", null));
	}

	/**
	 * A proposal to be voted on.
	 */
	record Proposal(Acquire command, long base, boolean raise, CompletableFuture<Vote> vote) {
	}

	/**
	 * A release to be answered.
	 */
	record Ending(Release command, CompletableFuture<Release.Reply> reply) {

		void answer(Outcome outcome) {
			this.reply.complete(new Release.Reply(outcome, OptionalLong.empty()));
		}

		void fail() {
			this.reply.completeExceptionally(new LockBackendException("a", Reason.UNREACHABLE, "planted", null));
		}

	}

}
