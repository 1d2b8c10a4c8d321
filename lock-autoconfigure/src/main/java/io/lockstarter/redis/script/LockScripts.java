package io.lockstarter.redis.script;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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

	private final boolean grantsDirectly;

	private final BooleanSupplier deaf;

	/**
	 * Make the calls of a client.
	 * @param grantsDirectly whether locks may be granted to it by a message
	 * @param deaf whether it hears no messages
	 */
	public LockScripts(LockKeys keys, Supplier<String> clientId, Duration retention, boolean grantsDirectly,
			BooleanSupplier deaf) {
		this.keys = keys;
		this.clientId = clientId;
		this.retention = Long.toString(retention.toMillis());
		this.grantsDirectly = grantsDirectly;
		this.deaf = deaf;
	}

	/** Ask for a lock. */
	public ScriptCall acquire(Acquire command) {
		List<String> arguments = request(command);
		if (command.isPermit()) {
			arguments.addAll(List.of(Long.toString(counted(command)), Integer.toString(command.permits())));
			return new ScriptCall(LuaScript.ACQUIRE_PERMIT, this.keys.all(command.name()), arguments, true);
		}
		if (command.type() == LockType.FAIR) {
			arguments.add(Long.toString(micros(command.waiting())));
		}
		LuaScript script = switch (command.type()) {
			case REENTRANT, WRITE -> LuaScript.ACQUIRE;
			case FAIR -> LuaScript.ACQUIRE_FAIR;
			case READ -> LuaScript.ACQUIRE_SHARED;
		};
		return new ScriptCall(script, this.keys.all(command.name()), arguments, true);
	}

	/**
	 * Ask one of several servers for a lock.
	 * @param marker from when the server may vote
	 * @param base the first token base
	 * @param reach how far it may be off the server's clock, in milliseconds
	 * @param raise whether a base that the tenure was granted before may be raised to it
	 */
	public ScriptCall propose(Acquire command, String marker, long base, String reach, boolean raise) {
		List<String> arguments = request(command);
		arguments.addAll(List.of(Long.toString(base), reach, raise ? "y" : ""));
		return new ScriptCall(command.type().isShared() ? LuaScript.PROPOSE_SHARED : LuaScript.PROPOSE,
				keys(command.name(), marker), arguments);
	}

	private List<String> request(Acquire command) {
		Waiting waiting = command.waiting();
		String position = (waiting != null && waiting.position().isPresent())
				? Long.toString(waiting.position().getAsLong()) : "";
		return new ArrayList<>(List.of(this.clientId.get(), Long.toString(command.tenure().sequence()),
				millis(command.lease()), this.retention, PermitLabel.of(command), "", how(command), position));
	}

	private List<String> keys(String name, String marker) {
		List<String> scriptKeys = new ArrayList<>(this.keys.all(name));
		scriptKeys.add(marker);
		return scriptKeys;
	}

	/** How the client waits, and with how many requests if they are several. */
	private String how(Acquire command) {
		Waiting waiting = command.waiting();
		if (waiting == null) {
			return "";
		}
		String how = this.deaf.getAsBoolean() ? "p" : (this.grantsDirectly && waiting.acceptsDirectGrant()) ? "g" : "w";
		return (waiting.requests() > 1) ? how + waiting.requests() : how;
	}

	private static String mode(LockType type) {
		return switch (type) {
			case REENTRANT, WRITE -> "x";
			case FAIR -> "f";
			case READ -> "r";
		};
	}

	/** For how long it has waited, if that counts. */
	private static long counted(Acquire command) {
		return (command.type() == LockType.FAIR) ? micros(command.waiting()) : 0;
	}

	private static long micros(@Nullable Waiting waiting) {
		return (waiting != null) ? waiting.waited().toNanos() / 1000 : 0;
	}

	private static String millis(Duration duration) {
		return Long.toString(duration.toMillis());
	}

	/**
	 * End a tenure.
	 * @param cluster whether a message is counted on one node only
	 */
	public ScriptCall release(Release command, boolean cluster) {
		String counting = cluster ? "c" : "";
		return switch (command.intent()) {
			case LEAVE -> release(command, counting, "");
			case RETURN -> release(command, counting, "r");
			case STAY -> release(command, counting, "s");
			case DOWNGRADE -> end(LuaScript.DOWNGRADE, command.name(), command.tenure(), false, counting);
			case FORCE -> end(LuaScript.FORCE_RELEASE, command.name(), command.tenure(), false, counting);
			case YIELD -> goOnWaiting(command, Objects.requireNonNull(command.next()), counting);
		};
	}

	private ScriptCall release(Release command, String counting, String next) {
		return end(LuaScript.RELEASE, command.name(), command.tenure(), true, counting, next, marking(command));
	}

	private ScriptCall goOnWaiting(Release command, Acquire next, String counting) {
		TenureId ended = command.tenure();
		List<String> arguments = new ArrayList<>(List.of(ended.client(), Long.toString(ended.sequence()),
				millis(next.lease()), this.retention, PermitLabel.of(next), "", counting));
		arguments.addAll(List.of(how(next), next.isPermit() ? "p" : mode(next.type()),
				Long.toString(next.tenure().sequence()), Long.toString(counted(next)), marking(command)));
		return new ScriptCall(LuaScript.YIELD, this.keys.all(command.name()), arguments, true);
	}

	/** Whether the end of a tenure is to be marked. */
	private static String marking(Release command) {
		return command.settled() ? "" : "m";
	}

	private ScriptCall end(LuaScript script, String name, TenureId tenure, boolean tellsRepeats, String... further) {
		List<String> arguments = new ArrayList<>(
				List.of(tenure.client(), Long.toString(tenure.sequence()), "", this.retention, "", ""));
		arguments.addAll(List.of(further));
		return new ScriptCall(script, this.keys.all(name), arguments, tellsRepeats);
	}

	/** End a tenure and nothing more. */
	public ScriptCall cancel(String name, TenureId tenure) {
		return end(LuaScript.CANCEL, name, tenure, false);
	}

	/** Let a tenure end sooner. */
	public ScriptCall shortenLease(String name, TenureId tenure, Duration rest) {
		return new ScriptCall(LuaScript.SHORTEN_LEASE, this.keys.all(name),
				List.of(tenure.client(), Long.toString(tenure.sequence()), millis(rest)));
	}

	/** Find out whether a server is a master. Does not need the client's id. */
	public ScriptCall probe() {
		return new ScriptCall(LuaScript.PROBE, List.of(this.keys.probe()), List.of());
	}

	/**
	 * Find out whether a server has memory for another lock.
	 * @param slot a slot of the server, if it is one of a cluster
	 */
	public ScriptCall writeCheck(int slot) {
		return new ScriptCall(LuaScript.WRITE_CHECK, List.of(this.keys.probe(slot)), List.of());
	}

	/** Look who has a lock. */
	public ScriptCall holders(String name) {
		return new ScriptCall(LuaScript.HOLDERS, this.keys.all(name), List.of());
	}

	/**
	 * Look which locks a server has, some at a time.
	 * @param key any key that the server has, or might have
	 * @param count how many keys to look at, about
	 */
	public ScriptCall scan(String key, String cursor, int count) {
		return new ScriptCall(LuaScript.SCAN, List.of(key),
				List.of(cursor, this.keys.pattern(), Integer.toString(count)));
	}

	/**
	 * Put a tenure back that one of several servers has forgotten.
	 * @param marker from when the server may vote
	 * @param reach how far a token base may be off its clock, in milliseconds
	 */
	public ScriptCall putBack(Renew command, Terms terms, String marker, String reach) {
		return new ScriptCall(LuaScript.PUT_BACK, keys(command.name(), marker),
				List.of(command.tenure().client(), Long.toString(command.tenure().sequence()), millis(command.lease()),
						this.retention, terms.holder(), mode(terms.type()), Long.toString(terms.base()), reach,
						Integer.toString(command.holds())));
	}

	/**
	 * Let one of several servers vote as soon as it may.
	 * @param marker from when that is
	 * @param longestLease how long it does not, if it has lost its memory
	 */
	public ScriptCall join(String marker, Duration longestLease) {
		return new ScriptCall(LuaScript.JOIN, List.of(marker), List.of(millis(longestLease)));
	}

	/** Renew leases of one client, all with the same hold count and for the same time. */
	public ScriptCall renew(List<Renew> alike) {
		Renew first = alike.get(0);
		List<String> arguments = new ArrayList<>(4 + alike.size());
		arguments.addAll(List.of(this.retention, first.tenure().client(), Integer.toString(first.holds()),
				millis(first.lease())));
		alike.forEach((command) -> arguments.add(Long.toString(command.tenure().sequence())));
		return new ScriptCall(LuaScript.RENEW,
				this.keys.renewed(alike.stream().map((command) -> this.keys.lock(command.name())).toList()), arguments);
	}

}
