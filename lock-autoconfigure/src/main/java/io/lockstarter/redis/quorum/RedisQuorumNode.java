package io.lockstarter.redis.quorum;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.AcquireReply;
import io.lockstarter.core.backend.LockBackend.CurrentHolders;
import io.lockstarter.core.backend.LockBackend.Granted;
import io.lockstarter.core.backend.LockBackend.Page;
import io.lockstarter.core.backend.LockBackend.Refused;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Renew;
import io.lockstarter.core.backend.LockBackend.RenewalReply;
import io.lockstarter.core.backend.LockBackend.Terms;
import io.lockstarter.core.backend.LockBackend.WakeListener;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.redis.RedisLockBackend;
import io.lockstarter.redis.script.LuaScript;
import io.lockstarter.redis.script.Replies;
import io.lockstarter.redis.script.Reply;
import io.lockstarter.redis.script.ScriptCall;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * One Redis of a quorum, spoken to like a single one but for proposals, and for the
 * marker that shows whether it has kept its memory.
 */
public final class RedisQuorumNode implements QuorumNode {

	private static final Log logger = LogFactory.getLog(RedisQuorumNode.class);

	private static final long ENROLLED_NANOS = TimeUnit.SECONDS.toNanos(5);

	private final String address;

	private final RedisLockBackend redis;

	private final String marker;

	private final Duration longestLease;

	private final String reach;

	private final ServerClock clock = new ServerClock();

	private volatile boolean enrolled;

	/** When that was asked whose answer was the last to show the marker. */
	private volatile long shown;

	private volatile boolean announced;

	private final AtomicBoolean enrolling = new AtomicBoolean();

	/**
	 * Make one server part of a quorum.
	 * @param address how to call it in messages
	 * @param redis locks in that server alone
	 */
	public RedisQuorumNode(String address, RedisLockBackend redis, QuorumSettings settings) {
		this.address = address;
		this.redis = redis;
		this.marker = settings.keyPrefix() + "quorum";
		this.longestLease = settings.longestLease();
		this.reach = Long.toString(settings.reach().toMillis());
	}

	@Override
	public CompletableFuture<?> connect() {
		return this.redis.connect().thenCompose((connection) -> enrol());
	}

	@Override
	public boolean isConnected() {
		CompletableFuture<?> connected = this.enrolled ? this.redis.connect() : null;
		return connected != null && connected.isDone() && !connected.isCompletedExceptionally();
	}

	@Override
	public boolean isEnrolled() {
		return this.enrolled && System.nanoTime() - this.shown < ENROLLED_NANOS;
	}

	/**
	 * Learn whether the server may vote, and leave a marker from when if there is none.
	 */
	private CompletableFuture<Duration> enrol() {
		long sent = System.nanoTime();
		return this.redis.run(LockBackendException.NO_LOCK, new ScriptCall(LuaScript.ENROL, List.of(this.marker),
				List.of(Long.toString(this.longestLease.toMillis()))), (reply) -> {
					this.clock.read(reply.number(1), sent);
					this.enrolled = true;
					this.shown = sent;
					return announce(Duration.ofMillis(reply.number(0)));
				});
	}

	private Duration announce(Duration remaining) {
		boolean waits = !remaining.isZero();
		if (waits && !this.announced) {
			logger
				.info(("Redis at %s has no memory of locks and takes part in the quorum in %d s, when those that it may"
						+ " have forgotten have run out (distributed-lock.quorum.longest-lease)")
					.formatted(this.address, remaining.toSeconds() + 1));
		}
		this.announced = waits;
		return remaining;
	}

	@Override
	public CompletableFuture<Vote> propose(Acquire command, long base, boolean raise) {
		long sent = System.nanoTime();
		return this.redis.run(command.name(),
				this.redis.scripts().propose(command, this.marker, base, this.reach, raise),
				(reply) -> vote(command, reply, sent));
	}

	private Vote vote(Acquire command, Reply reply, long sent) {
		this.shown = sent;
		if (reply.size() == 1 || reply.isNumber(0)) {
			return vote(this.redis.parse(command, reply), sent);
		}
		this.clock.read(reply.number(2), sent);
		return switch (reply.text(0)) {
			case "counter" -> new Vote.TooLow(reply.number(1));
			case "ahead" -> new Vote.TooHigh();
			case "no vote" -> abstained(reply.number(1));
			default -> throw new LockBackendException(command.name(), Reason.OTHER, reply.text(0), null);
		};
	}

	private Vote vote(AcquireReply acquisition, long sent) {
		if (acquisition instanceof Granted granted) {
			return new Vote.Granted(granted.base(), granted.contended());
		}
		if (acquisition instanceof Refused refused) {
			this.clock.read(refused.micros(), sent);
			return new Vote.Refused(refused);
		}
		return new Vote.Ended();
	}

	private Vote abstained(long millis) {
		if (millis >= 0) {
			return new Vote.Abstained(Duration.ofMillis(millis));
		}
		// Many may notice at once.
		if (this.enrolling.compareAndSet(false, true)) {
			enrol().whenComplete((remaining, failure) -> {
				this.enrolling.set(false);
				if (failure != null) {
					logger.debug("Redis at %s cannot be made to vote yet".formatted(this.address), failure);
				}
			});
		}
		return new Vote.Abstained(this.longestLease);
	}

	@Override
	public CompletableFuture<Release.Reply> cancel(String name, TenureId tenure) {
		return this.redis.run(name, this.redis.scripts().cancel(name, tenure), Replies::release);
	}

	@Override
	public CompletableFuture<Release.Reply> release(Release command) {
		return this.redis.release(command);
	}

	@Override
	public CompletableFuture<Boolean> curtail(String name, TenureId tenure, Duration rest) {
		return this.redis.shortenLease(name, tenure, rest);
	}

	@Override
	public CompletableFuture<CurrentHolders> occupancy(String name) {
		return this.redis.holders(name);
	}

	@Override
	public CompletableFuture<Page> names(String from, int size) {
		return this.redis.names(from, size);
	}

	@Override
	public List<CompletableFuture<RenewalReply>> renew(List<Renew> commands) {
		return this.redis.renew(commands);
	}

	@Override
	public CompletableFuture<Boolean> putBack(Renew command, Terms terms) {
		long sent = System.nanoTime();
		return this.redis.run(command.name(),
				this.redis.scripts().putBack(command, terms, this.marker, this.reach), (reply) -> {
					if (reply.number(0) < 0) {
						this.clock.read(reply.number(2), sent);
						abstained(reply.number(1));
					}
					return reply.number(0) == 1;
				});
	}

	@Override
	public CompletableFuture<Findings> probe() {
		return enrol().thenCombine(this.redis.probe(), (remaining, details) -> new Findings(remaining.isZero(),
				String.valueOf(details.get("subscription")), String.valueOf(details.get("messages"))));
	}

	@Override
	public ServerClock clock() {
		return this.clock;
	}

	@Override
	public void listen(WakeListener listener) {
		this.redis.listen(listener);
	}

	@Override
	public boolean isListening() {
		return this.redis.isListening();
	}

	@Override
	public void close() {
		this.redis.close();
	}

	@Override
	public String toString() {
		return this.address;
	}

}
