package io.lockstarter.redis.quorum;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.backend.ClientMessages;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.AcquireReply;
import io.lockstarter.core.backend.LockBackend.CurrentHolders;
import io.lockstarter.core.backend.LockBackend.Granted;
import io.lockstarter.core.backend.LockBackend.Page;
import io.lockstarter.core.backend.LockBackend.Refused;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Renew;
import io.lockstarter.core.backend.LockBackend.RenewalReply;
import io.lockstarter.core.backend.LockBackend.TenureProperties;
import io.lockstarter.core.backend.LockBackend.WakeListener;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.redis.RedisLockBackend;
import io.lockstarter.redis.script.Replies;
import io.lockstarter.redis.script.Reply;

/**
 * Quorum node that is a Redis server.
 */
final class RedisQuorumNode implements QuorumNode {

	private final String address;

	private final RedisLockBackend redis;

	private final String maxClockDifference;

	private final ServerClock clock = new ServerClock();

	private final QuorumMembership membership;

	/**
	 * Creates a node.
	 * @param address the address of the server, for messages
	 * @param redis the backend of the server alone
	 */
	RedisQuorumNode(String address, RedisLockBackend redis, QuorumSettings settings) {
		this.address = address;
		this.redis = redis;
		this.membership = new QuorumMembership(address, redis, settings, this.clock);
		this.maxClockDifference = Long.toString(settings.maxClockDifference().toMillis());
	}

	@Override
	public CompletableFuture<?> connect() {
		return this.redis.connect().thenCompose((connection) -> this.membership.join());
	}

	@Override
	public LockBackendException explainTimeout(String name) {
		return this.redis.explainTimeout(name);
	}

	@Override
	public boolean isConnected() {
		CompletableFuture<?> connected = this.membership.hasJoined() ? this.redis.connect() : null;
		return connected != null && connected.isDone() && !connected.isCompletedExceptionally();
	}

	@Override
	public boolean isMember() {
		return this.membership.isCertain();
	}

	@Override
	public CompletableFuture<Vote> propose(Acquire command, long base, boolean raise) {
		long sent = System.nanoTime();
		return this.redis.run(command.name(),
				this.redis.scripts().propose(command, this.membership.marker(), base, this.maxClockDifference, raise),
				(reply) -> vote(command, reply, sent));
	}

	private Vote vote(Acquire command, Reply reply, long sent) {
		this.membership.replied(sent);
		if (reply.size() == 1 || reply.isNumber(0)) {
			return vote(this.redis.parse(command, reply), sent);
		}
		this.clock.read(reply.number(2), sent);
		return switch (reply.text(0)) {
			case "counter" -> new Vote.TooLow(reply.number(1));
			case "ahead" -> new Vote.TooHigh();
			case "no vote" -> this.membership.abstained(reply.number(1));
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

	@Override
	public CompletableFuture<Release.Reply> cancel(String name, TenureId tenure) {
		return this.redis.run(name, this.redis.scripts().cancel(name, tenure), Replies::release);
	}

	@Override
	public CompletableFuture<Release.Reply> release(Release command) {
		return this.redis.release(command);
	}

	@Override
	public CompletableFuture<Boolean> shortenLease(String name, TenureId tenure, Duration rest) {
		return this.redis.shortenLease(name, tenure, rest);
	}

	@Override
	public CompletableFuture<CurrentHolders> holders(String name) {
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
	public CompletableFuture<Boolean> putBack(Renew command, TenureProperties properties) {
		long sent = System.nanoTime();
		return this.redis.run(command.name(),
				this.redis.scripts().putBack(command, properties, this.membership.marker(), this.maxClockDifference),
				(reply) -> {
					if (reply.number(0) < 0) {
						this.clock.read(reply.number(2), sent);
						this.membership.abstained(reply.number(1));
					}
					return reply.number(0) == 1;
				});
	}

	@Override
	public CompletableFuture<Findings> probe() {
		return this.membership.join()
			.thenCombine(this.redis.probe(), (remaining, details) -> new Findings(remaining.isZero(),
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
	public boolean isSubscribed() {
		return this.redis.isSubscribed();
	}

	@Override
	public ClientMessages messages() {
		return this.redis.messages();
	}

	@Override
	public void disconnect() {
		this.redis.disconnect();
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
