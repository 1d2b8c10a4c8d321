package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.LockBackend.Release.Outcome;
import io.lockstarter.core.backend.TenureId;
import org.jspecify.annotations.Nullable;

/**
 * A model of the server for one name: what the scripts promise, in a few lines.
 */
final class WalkServer {

	/** How many readers may have the lock. */
	private static final int READS = Integer.MAX_VALUE;

	/** One that has not been heard of for so long is granted nothing by a message. */
	private static final long STALE_NANOS = Duration.ofSeconds(1).toNanos();

	/** One that has not been heard of for so long is passed over. */
	private static final long DEAD_NANOS = Duration.ofSeconds(2).toNanos();

	private final List<Entry> holders = new ArrayList<>();

	private final List<Queued> waiting = new ArrayList<>();

	private final Set<TenureId> ended = new HashSet<>();

	/** Those of them that had the lock when they were ended. */
	private final Set<TenureId> released = new HashSet<>();

	/** What clients are told, in order. */
	private final List<Message> messages = new ArrayList<>();

	private long lastBase;

	/** Whether the lock has become free without anybody being told. */
	private boolean expired;

	long nanos;

	List<Message> takeMessages() {
		List<Message> taken = List.copyOf(this.messages);
		this.messages.clear();
		return taken;
	}

	LockBackend.AcquireReply acquire(Acquire command) {
		expire();
		TenureId tenure = command.tenure();
		if (this.ended.contains(tenure)) {
			return new LockBackend.AlreadyEnded();
		}
		Entry mine = find(tenure);
		if (mine != null) {
			mine.until = Math.max(mine.until, this.nanos + command.lease().toNanos());
			leaveQueue(tenure.client());
			return new LockBackend.Granted(mine.base, isWanted(tenure.client()));
		}
		long place = place(command);
		if (mayHave(command, place)) {
			leaveQueue(tenure.client());
			Entry entry = grant(tenure, limit(command), command.lease());
			if (command.isShared()) {
				// It may have stood in the way of others with what it has asked for
				// before.
				passOn();
			}
			return new LockBackend.Granted(entry.base, isWanted(tenure.client()));
		}
		if (command.waits()) {
			register(command, place);
			this.holders.stream()
				.map((holder) -> holder.tenure.client())
				.filter((client) -> !client.equals(tenure.client()))
				.distinct()
				.forEach((client) -> this.messages.add(new Message(client, "contended", null)));
		}
		passOn();
		long rest = this.holders.isEmpty() ? 0 : this.holders.get(0).until - this.nanos;
		return new LockBackend.Refused(new Holder("another", Duration.ZERO, Duration.ofNanos(Math.max(0, rest))),
				command.waits() ? OptionalLong.of(place) : OptionalLong.empty(), micros());
	}

	private long place(Acquire command) {
		LockBackend.Waiting waits = command.waiting();
		if (waits != null && waits.position().isPresent()) {
			return waits.position().getAsLong();
		}
		return micros() - ((waits != null && command.type() == LockType.FAIR) ? waits.waited().toNanos() / 1000 : 0);
	}

	/** How many may have the lock, with the one who asks. */
	private static int limit(Acquire command) {
		return command.type().isShared() ? READS : command.permits();
	}

	/** Shares and fair requests respect those who came before them. */
	private boolean mayHave(Acquire command, long place) {
		if (isHeldAlone() || limit(command) <= this.holders.size()) {
			return false;
		}
		List<Queued> ahead = this.waiting.stream()
			.filter((other) -> !other.client.equals(command.tenure().client()) && other.place < place)
			.toList();
		if (!command.isShared()) {
			return command.type() != LockType.FAIR || ahead.isEmpty();
		}
		int taken = this.holders.size();
		for (Queued other : ahead) {
			if (other.limit == 1 || other.limit <= taken) {
				return false;
			}
			taken += (other.limit < READS) ? 1 : 0;
		}
		return taken < limit(command);
	}

	private boolean isHeldAlone() {
		return this.holders.stream().anyMatch((entry) -> entry.limit == 1);
	}

	private void register(Acquire command, long place) {
		leaveQueue(command.tenure().client());
		this.waiting.add(new Queued(command.tenure().client(), command.acceptsDirectGrant() ? command.tenure() : null,
				limit(command), place, command.lease(), this.nanos));
		this.waiting.sort(Comparator.comparingLong((queued) -> queued.place));
	}

	Release.Reply release(Release command) {
		expire();
		TenureId tenure = command.tenure();
		Intent intent = command.intent();
		Entry held = find(tenure);
		if (intent == Intent.DOWNGRADE) {
			if (held != null) {
				held.limit = READS;
				passOn();
			}
			return reply((held != null) ? Outcome.RELEASED : Outcome.NOT_HELD, OptionalLong.empty());
		}
		Outcome outcome = Outcome.NOT_HELD;
		if (held != null) {
			outcome = Outcome.RELEASED;
		}
		else if (this.released.contains(tenure)) {
			outcome = Outcome.RELEASED_BEFORE;
		}
		this.holders.remove(held);
		if (held != null) {
			this.released.add(tenure);
		}
		this.ended.add(tenure);
		if (intent != Intent.STAY) {
			leaveQueue(tenure.client());
		}
		Acquire next = command.next();
		if (next != null && next.isPermit()) {
			long place = place(next);
			// An earlier arrival of the same command may have led to a grant already.
			if (find(next.tenure()) == null && !this.ended.contains(next.tenure())) {
				register(next, place);
			}
			passOn();
			return reply(outcome, OptionalLong.of(place));
		}
		boolean fair = next != null && next.type() == LockType.FAIR && !isHeldAlone();
		boolean othersNext = false;
		if (intent != Intent.RETURN && !(fair && isFirst(next))) {
			othersNext = passOn();
		}
		if (fair && !othersNext) {
			// Nobody who comes later is to be granted the lock before it asks.
			long place = place(next);
			register(next, place);
			return new Release.Reply(outcome, OptionalLong.of(place), true);
		}
		boolean joins = next != null && next.isShared() && mayHave(next, place(next));
		if (next != null && !joins && (othersNext || !this.holders.isEmpty())) {
			long place = place(next);
			register(next, place);
			return reply(outcome, OptionalLong.of(place));
		}
		return reply(outcome, OptionalLong.empty());
	}

	private boolean isFirst(Acquire next) {
		return this.waiting.stream().allMatch((other) -> place(next) <= other.place);
	}

	private static Release.Reply reply(Outcome outcome, OptionalLong place) {
		return new Release.Reply(outcome, place);
	}

	/** Grant the lock to those who are next, or wake them. */
	private boolean passOn() {
		boolean any = false;
		this.expired = false;
		int coming = 0;
		for (Queued next : List.copyOf(this.waiting)) {
			if (isHeldAlone() || next.limit <= this.holders.size() + coming) {
				return any;
			}
			any = true;
			if (next.tenure == null || this.ended.contains(next.tenure) || this.nanos - next.heardNanos > STALE_NANOS) {
				this.messages.add(new Message(next.client, "wake", null));
				coming++;
				continue;
			}
			leaveQueue(next.client);
			Entry entry = grant(next.tenure, next.limit, next.lease);
			this.messages.add(new Message(next.client, "granted", new LockBackend.DirectGrant(next.tenure, entry.base,
					isWanted(next.client), next.lease, micros(next.heardNanos))));
		}
		return any;
	}

	private Entry grant(TenureId tenure, int limit, Duration lease) {
		this.lastBase = Math.max(this.lastBase + LockBackend.TOKEN_BASES, micros());
		Entry entry = new Entry(tenure, limit, this.lastBase, this.nanos + lease.toNanos());
		this.holders.add(entry);
		return entry;
	}

	boolean renew(TenureId tenure, Duration lease) {
		expire();
		Entry held = find(tenure);
		if (held != null) {
			held.until = Math.max(held.until, this.nanos + lease.toNanos());
		}
		return held != null;
	}

	/** Take the lock away from a tenure, as an operator does. */
	@Nullable TenureId forget(int pick) {
		if (this.holders.isEmpty()) {
			return null;
		}
		TenureId tenure = this.holders.remove(pick % this.holders.size()).tenure;
		this.ended.add(tenure);
		passOn();
		return tenure;
	}

	private boolean isWanted(String client) {
		return this.waiting.stream().anyMatch((queued) -> !queued.client.equals(client));
	}

	private void leaveQueue(String client) {
		this.waiting.removeIf((queued) -> queued.client.equals(client));
	}

	private void expire() {
		this.expired |= this.holders.removeIf((entry) -> entry.until - this.nanos <= 0);
		// Whoever stood behind it asks again when it would be dead.
		this.expired |= this.waiting.removeIf((queued) -> this.nanos - queued.heardNanos > DEAD_NANOS);
	}

	private @Nullable Entry find(TenureId tenure) {
		return this.holders.stream().filter((entry) -> entry.tenure.equals(tenure)).findFirst().orElse(null);
	}

	boolean holds(TenureId tenure) {
		Entry entry = find(tenure);
		return entry != null && entry.until - this.nanos > 0;
	}

	/** Whether a client is registered as waiting. */
	boolean isWaiting(String client) {
		return this.waiting.stream().anyMatch((queued) -> queued.client.equals(client));
	}

	/** Whether clients wait for what is free, and the first of them has not been told. */
	boolean leavesThemWaiting() {
		expire();
		return !this.waiting.isEmpty() && !isHeldAlone() && this.waiting.get(0).limit > this.holders.size()
				&& !this.expired;
	}

	/** Who has the lock, and who waits for it with a tenure that has not been ended. */
	List<String> leftAlive() {
		expire();
		List<String> left = new ArrayList<>();
		this.holders.forEach((entry) -> left.add("holder " + entry.tenure));
		this.waiting.stream()
			.filter((queued) -> queued.tenure == null || !this.ended.contains(queued.tenure))
			.forEach((queued) -> left.add("waiting " + queued.client));
		return left;
	}

	/** Who has the lock, and who waits for it. */
	List<String> left() {
		expire();
		List<String> left = new ArrayList<>();
		this.holders.forEach((entry) -> left.add("holder " + entry.tenure.sequence()));
		this.waiting.forEach((queued) -> left.add("waiting " + queued.client));
		return left;
	}

	private long micros() {
		return micros(this.nanos);
	}

	private static long micros(long nanos) {
		return 1_000_000_000_000L + nanos / 1000;
	}

	/**
	 * What a client is told.
	 *
	 * @param client who is told
	 * @param kind what
	 * @param offer what was granted, if anything
	 */
	record Message(String client, String kind, LockBackend.@Nullable DirectGrant offer) {
	}

	private record Queued(String client, @Nullable TenureId tenure, int limit, long place, Duration lease,
			long heardNanos) {
	}

	private static final class Entry {

		private final TenureId tenure;

		private int limit;

		private final long base;

		private long until;

		Entry(TenureId tenure, int limit, long base, long until) {
			this.tenure = tenure;
			this.limit = limit;
			this.base = base;
			this.until = until;
		}

	}

}
