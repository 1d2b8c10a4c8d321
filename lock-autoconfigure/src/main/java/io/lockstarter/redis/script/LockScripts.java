package io.lockstarter.redis.script;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Renew;
import io.lockstarter.core.backend.LockBackend.Terms;
import io.lockstarter.core.backend.LockBackend.Waiting;
import io.lockstarter.core.backend.TenureId;
import org.jspecify.annotations.Nullable;

/**
 * Makes script calls of the commands of one client, as the head of each script says.
 */
public final class LockScripts {

	private final LockKeys keys;

	private final Supplier<String> clientId;

	private final String retention;

	private final boolean offers;

	private final BooleanSupplier deaf;

	/**
	 * Make the calls of a client.
	 * @param offers whether locks may be granted to it by a message
	 * @param deaf whether it hears no messages
	 */
	public LockScripts(LockKeys keys, Supplier<String> clientId, Duration retention, boolean offers,
			BooleanSupplier deaf) {
		this.keys = keys;
		this.clientId = clientId;
		this.retention = Long.toString(retention.toMillis());
		this.offers = offers;
		this.deaf = deaf;
	}

	/** Ask for a lock, with what one of several servers needs to know in addition. */
	public ScriptCall acquire(Acquire command, List<String> furtherKeys, List<String> furtherArguments) {
		String lock = this.keys.lock(command.name());
		List<String> scriptKeys = new ArrayList<>(List.of(lock, LockKeys.fence(lock), LockKeys.waiters(lock)));
		scriptKeys.addAll(furtherKeys);
		List<String> arguments = new ArrayList<>(List.of(this.clientId.get(),
				Long.toString(command.tenure().sequence()), Long.toString(command.lease().toMillis()), this.retention,
				command.holder(), place(command), mode(command.type())));
		arguments.addAll(furtherArguments);
		return new ScriptCall(LuaScript.ACQUIRE, scriptKeys, arguments);
	}

	private String place(Acquire command) {
		Waiting waiting = command.waiting();
		if (waiting == null) {
			return "";
		}
		boolean counts = command.type() == LockType.FAIR;
		long place = waiting.position().orElse(counts ? -micros(waiting) : 0);
		return (this.deaf.getAsBoolean() ? "p" : takesOffers(command) ? "g" : "") + place;
	}

	private boolean takesOffers(Acquire command) {
		return this.offers && command.acceptsDirectGrant();
	}

	private static String mode(LockType type) {
		return switch (type) {
			case REENTRANT, WRITE -> "x";
			case FAIR -> "f";
			case READ -> "r";
		};
	}

	private static long micros(@Nullable Waiting waiting) {
		return (waiting != null) ? waiting.waited().toNanos() / 1000 : 0;
	}

	/**
	 * End a tenure.
	 * @param cluster whether a message is counted on one node only
	 */
	public ScriptCall release(Release command, boolean cluster) {
		Acquire next = command.next();
		String intent = intent(command.intent());
		String counting = cluster ? "c" : "";
		return (next == null) ? end(command.name(), command.tenure(), intent, counting) : end(command.name(),
				command.tenure(), intent, counting, registration(next), Long.toString(micros(next.waiting())));
	}

	/** End a tenure and nothing more. */
	public ScriptCall cancel(String name, TenureId tenure) {
		return end(name, tenure, "k");
	}

	private ScriptCall end(String name, TenureId tenure, String... further) {
		String lock = this.keys.lock(name);
		List<String> arguments = new ArrayList<>(
				List.of(tenure.client(), Long.toString(tenure.sequence()), this.retention));
		arguments.addAll(List.of(further));
		return new ScriptCall(LuaScript.RELEASE, List.of(lock, LockKeys.waiters(lock), LockKeys.fence(lock)),
				arguments);
	}

	private static String intent(Release.Intent intent) {
		return switch (intent) {
			case LEAVE -> "";
			case YIELD -> "y";
			case RETURN -> "r";
			case STAY -> "s";
			case DOWNGRADE -> "d";
			case FORCE -> "o";
		};
	}

	private String registration(Acquire next) {
		String mode = mode(next.type());
		boolean polls = this.deaf.getAsBoolean();
		return ((takesOffers(next) && !polls) ? mode.toUpperCase(Locale.ROOT) : mode) + ' '
				+ (polls ? 0 : next.tenure().sequence()) + ' ' + next.lease().toMillis() + ' ' + next.holder();
	}

	/** Let a tenure end sooner. */
	public ScriptCall curtail(String name, TenureId tenure, Duration rest) {
		return new ScriptCall(LuaScript.CURTAIL, List.of(this.keys.lock(name)),
				List.of(tenure.toString(), Long.toString(rest.toMillis())));
	}

	/** Find out whether a server takes writes. Does not need the client's id. */
	public ScriptCall probe() {
		return new ScriptCall(LuaScript.PROBE, List.of(this.keys.probe()), List.of());
	}

	/** Look who has a lock. */
	public ScriptCall occupancy(String name) {
		String lock = this.keys.lock(name);
		return new ScriptCall(LuaScript.OCCUPANCY, List.of(lock, LockKeys.fence(lock), LockKeys.waiters(lock)),
				List.of());
	}

	/**
	 * Look which locks a server has, some at a time.
	 * @param key any key that the server has, or might have
	 */
	public ScriptCall scan(String key, String cursor) {
		return new ScriptCall(LuaScript.SCAN, List.of(key), List.of(cursor, this.keys.pattern()));
	}

	/**
	 * Put a tenure back that one of several servers has forgotten.
	 * @param marker from when the server may vote
	 * @param reach how far a token base may be off its clock, in milliseconds
	 */
	public ScriptCall putBack(Renew command, Terms terms, String marker, String reach) {
		String lock = this.keys.lock(command.name());
		return new ScriptCall(LuaScript.PUT_BACK, List.of(lock, LockKeys.fence(lock), marker),
				List.of(command.tenure().client(), Long.toString(command.tenure().sequence()),
						Long.toString(command.lease().toMillis()), this.retention, terms.holder(), mode(terms.type()),
						Long.toString(terms.base()), reach, Integer.toString(command.holds())));
	}

	public ScriptCall renew(List<Renew> commands) {
		List<String> scriptKeys = new ArrayList<>(2 * commands.size());
		List<String> arguments = new ArrayList<>(1 + 3 * commands.size());
		arguments.add(this.retention);
		for (Renew command : commands) {
			String lock = this.keys.lock(command.name());
			scriptKeys.add(lock);
			scriptKeys.add(LockKeys.fence(lock));
			arguments.add(command.tenure().toString());
			arguments.add(Integer.toString(command.holds()));
			arguments.add(Long.toString(command.lease().toMillis()));
		}
		return new ScriptCall(LuaScript.RENEW, scriptKeys, arguments);
	}

}
