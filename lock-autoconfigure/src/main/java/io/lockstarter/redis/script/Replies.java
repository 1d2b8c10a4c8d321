package io.lockstarter.redis.script;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.AcquireReply;
import io.lockstarter.core.backend.LockBackend.AlreadyEnded;
import io.lockstarter.core.backend.LockBackend.Granted;
import io.lockstarter.core.backend.LockBackend.CurrentHolders;
import io.lockstarter.core.backend.LockBackend.PermitHolder;
import io.lockstarter.core.backend.LockBackend.WaitQueue;
import io.lockstarter.core.backend.LockBackend.Refused;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.CurrentHolder;
import io.lockstarter.core.backend.LockBackend.RenewalReply;
import io.lockstarter.core.backend.TenureId;
import org.jspecify.annotations.Nullable;

/**
 * Parser of script replies. The head of each script documents its reply.
 */
public final class Replies {

	/** Remaining lease that is reported for a lock that never expires. */
	private static final Duration ENDLESS = Duration.ofDays(365);

	private static final Release.Outcome[] OUTCOMES = Release.Outcome.values();

	private final LockKeys keys;

	private final Supplier<String> address;

	/**
	 * Creates a parser.
	 * @param keys the keys of the locks
	 * @param address supplies a readable description of the Redis address, or an empty
	 * string
	 */
	public Replies(LockKeys keys, Supplier<String> address) {
		this.keys = keys;
		this.address = address;
	}

	/**
	 * Parses the reply to an acquire request.
	 * @throws LockBackendException if the key holds something that is not a lock
	 */
	public AcquireReply acquisition(Acquire command, Reply reply) {
		if (reply.size() > 1) {
			OptionalLong position = command.waits() ? OptionalLong.of(reply.number(3)) : OptionalLong.empty();
			boolean counts = reply.size() > 5;
			Holder holder = holder(PermitLabel.parse(reply.text(1)), reply.number(2), reply.number(0),
					counts ? (int) reply.number(5) : 0);
			return new Refused(holder, position, reply.number(4), counts ? differing(reply.text(6)) : null);
		}
		if (!reply.isNumber(0)) {
			throw foreign(command.name(), reply);
		}
		long base = reply.number(0);
		return (base == 0) ? new AlreadyEnded() : new Granted(Math.abs(base), base < 0);
	}

	private static @Nullable PermitHolder differing(String text) {
		PermitLabel other = PermitLabel.parse(text);
		return text.isEmpty() ? null : new PermitHolder(other.label(), other.permits());
	}

	/** Parses the reply to a release. */
	public static Release.Reply release(Reply reply) {
		OptionalLong position = (reply.size() > 1) ? OptionalLong.of(reply.number(1)) : OptionalLong.empty();
		return new Release.Reply(OUTCOMES[(int) reply.number(0) - 1], position, reply.size() > 2);
	}

	/**
	 * Parses the reply to the renewal of one of several tenures.
	 * @param index the index of the tenure
	 */
	public static RenewalReply renewal(Reply reply, int index) {
		return (reply.number(index) == 1) ? RenewalReply.HELD : RenewalReply.LOST;
	}

	/**
	 * Parses the holders of a lock.
	 * @throws LockBackendException if the key holds something that is not a lock
	 */
	public CurrentHolders holders(String name, Reply reply) {
		if (!reply.isNumber(0)) {
			throw foreign(name, reply);
		}
		List<CurrentHolder> holders = new ArrayList<>();
		for (int i = 3; i < reply.size(); i += 6) {
			PermitLabel label = PermitLabel.parse(reply.text(i + 2));
			holders.add(new CurrentHolder(new TenureId(reply.text(i), reply.number(i + 1)),
					holder(label, reply.number(i + 3), reply.number(i + 4), 0), reply.number(i + 5), label.permits()));
		}
		return new CurrentHolders(holders,
				new WaitQueue((int) reply.number(0), (int) reply.number(1), reply.number(2)));
	}

	private LockBackendException foreign(String name, Reply reply) {
		String found = reply.text(0);
		boolean namesKey = found.startsWith("fence ") || found.contains(" at ");
		return new LockBackendException(name, Reason.FOREIGN_KEY,
				at(namesKey ? found : "%s at key %s".formatted(found, this.keys.lock(name))), null);
	}

	private String at(String found) {
		String where = this.address.get();
		return where.isEmpty() ? found : where + ": " + found;
	}

	private static Holder holder(PermitLabel label, long heldMillis, long remainingMillis, int others) {
		return new Holder(label.label(), Duration.ofMillis(heldMillis),
				(remainingMillis < 0) ? ENDLESS : Duration.ofMillis(remainingMillis), others);
	}

}
