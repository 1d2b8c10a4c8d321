package io.lockstarter.redis.script;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Renew;
import io.lockstarter.core.backend.LockBackend.TenureProperties;
import io.lockstarter.core.backend.LockBackend.Waiting;
import io.lockstarter.core.backend.TenureId;
import org.jspecify.annotations.Nullable;

/**
 * Factory for the script calls of one client. The head of each script documents its
 * arguments.
 */
public final class LockScripts {

	private final LockKeys keys;

	private final Supplier<String> clientId;

	private final String retention;

	private final boolean grantsDirectly;

	private final BooleanSupplier polling;

	/**
	 * Creates a factory.
	 * @param keys the keys of the locks
	 * @param clientId supplies the id of the client
	 * @param retention the time for which ended tenures are remembered
	 * @param grantsDirectly whether locks may be granted to the client by a message
	 * @param polling whether the client polls because subscribing failed
	 */
	public LockScripts(LockKeys keys, Supplier<String> clientId, Duration retention, boolean grantsDirectly,
			BooleanSupplier polling) {
		this.keys = keys;
		this.clientId = clientId;
		this.retention = Long.toString(retention.toMillis());
		this.grantsDirectly = grantsDirectly;
		this.polling = polling;
	}

	/** Requests a lock. */
	public ScriptCall acquire(Acquire command) {
		List<String> arguments = request(command);
		if (command.isPermit()) {
			arguments.addAll(List.of(Long.toString(countedMicros(command)), Integer.toString(command.permits())));
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
	 * Proposes a tenure to one server of a quorum.
	 * @param marker the key of the time from which the server may vote
	 * @param base the first token base
	 * @param reach the maximum difference between the base and the server's clock, in
	 * milliseconds
	 * @param raise whether a lower base that was granted to the tenure before may be
	 * raised
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
		List<String> arguments = new ArrayList<>();
		Collections.addAll(arguments, this.clientId.get(), Long.toString(command.tenure().sequence()),
				millis(command.lease()), this.retention, PermitLabel.of(command), "", waitMode(command), position);
		return arguments;
	}

	private List<String> keys(String name, String marker) {
		List<String> scriptKeys = new ArrayList<>(this.keys.all(name));
		scriptKeys.add(marker);
		return scriptKeys;
	}

	/**
	 * Returns the wait mode of the client, followed by the number of waiting requests if
	 * there is more than one.
	 */
	private String waitMode(Acquire command) {
		Waiting waiting = command.waiting();
		if (waiting == null) {
			return "";
		}
		String mode = this.polling.getAsBoolean() ? "p"
				: (this.grantsDirectly && waiting.acceptsDirectGrant()) ? "g" : "w";
		return (waiting.requests() > 1) ? mode + waiting.requests() : mode;
	}

	private static String mode(LockType type) {
		return switch (type) {
			case REENTRANT, WRITE -> "x";
			case FAIR -> "f";
			case READ -> "r";
		};
	}

	/**
	 * Returns the time that a fair request has waited, in microseconds; 0 for other
	 * requests.
	 */
	private static long countedMicros(Acquire command) {
		return (command.type() == LockType.FAIR) ? micros(command.waiting()) : 0;
	}

	private static long micros(@Nullable Waiting waiting) {
		return (waiting != null) ? waiting.waited().toNanos() / 1000 : 0;
	}

	private static String millis(Duration duration) {
		return Long.toString(duration.toMillis());
	}

	/**
	 * Ends a tenure.
	 * @param cluster whether PUBLISH counts only the receivers on one node
	 */
	public ScriptCall release(Release command, boolean cluster) {
		String counting = cluster ? "c" : "";
		return switch (command.intent()) {
			case LEAVE -> release(command, counting, "");
			case RETURN -> release(command, counting, "r");
			case STAY -> release(command, counting, "s");
			case DOWNGRADE -> end(LuaScript.DOWNGRADE, command.name(), command.tenure(), false, counting);
			case FORCE -> end(LuaScript.FORCE_RELEASE, command.name(), command.tenure(), false, counting);
			case YIELD -> releaseAndWait(command, Objects.requireNonNull(command.next()), counting);
		};
	}

	private ScriptCall release(Release command, String counting, String next) {
		return end(LuaScript.RELEASE, command.name(), command.tenure(), true, counting, next, tombstone(command));
	}

	private ScriptCall releaseAndWait(Release command, Acquire next, String counting) {
		TenureId ended = command.tenure();
		List<String> arguments = new ArrayList<>(List.of(ended.client(), Long.toString(ended.sequence()),
				millis(next.lease()), this.retention, PermitLabel.of(next), "", counting));
		arguments.addAll(List.of(waitMode(next), next.isPermit() ? "p" : mode(next.type()),
				Long.toString(next.tenure().sequence()), Long.toString(countedMicros(next)), tombstone(command)));
		return new ScriptCall(LuaScript.YIELD, this.keys.all(command.name()), arguments, true);
	}

	/** Returns the argument that makes a release leave a tombstone. */
	private static String tombstone(Release command) {
		return command.allReplied() ? "" : "m";
	}

	private ScriptCall end(LuaScript script, String name, TenureId tenure, boolean tellsRepeats, String... further) {
		List<String> arguments = new ArrayList<>();
		Collections.addAll(arguments, tenure.client(), Long.toString(tenure.sequence()), "", this.retention, "", "");
		Collections.addAll(arguments, further);
		return new ScriptCall(script, this.keys.all(name), arguments, tellsRepeats);
	}

	/** Ends a tenure without waking other clients. */
	public ScriptCall cancel(String name, TenureId tenure) {
		return end(LuaScript.CANCEL, name, tenure, false);
	}

	/** Shortens the lease of a tenure. */
	public ScriptCall shortenLease(String name, TenureId tenure, Duration rest) {
		return new ScriptCall(LuaScript.SHORTEN_LEASE, this.keys.all(name),
				List.of(tenure.client(), Long.toString(tenure.sequence()), millis(rest)));
	}

	/** Probes whether a server is a master. The call does not need the client's id. */
	public ScriptCall probe() {
		return new ScriptCall(LuaScript.PROBE, List.of(this.keys.probe()), List.of());
	}

	/**
	 * Checks whether a server has memory for another lock.
	 * @param slot a slot of the server, if the server belongs to a cluster
	 */
	public ScriptCall writeCheck(int slot) {
		return new ScriptCall(LuaScript.WRITE_CHECK, List.of(this.keys.probe(slot)), List.of());
	}

	/** Inspects the holders of a lock. */
	public ScriptCall holders(String name) {
		return new ScriptCall(LuaScript.HOLDERS, this.keys.all(name), List.of());
	}

	/**
	 * Lists a page of the locks of a server.
	 * @param key any key in a slot of the server
	 * @param cursor the SCAN cursor
	 * @param count the approximate number of keys to scan
	 */
	public ScriptCall scan(String key, String cursor, int count) {
		return new ScriptCall(LuaScript.SCAN, List.of(key),
				List.of(cursor, this.keys.pattern(), Integer.toString(count)));
	}

	/**
	 * Restores a tenure that one server of a quorum has lost.
	 * @param marker the key of the time from which the server may vote
	 * @param reach the maximum difference between a token base and the server's clock, in
	 * milliseconds
	 */
	public ScriptCall putBack(Renew command, TenureProperties properties, String marker, String reach) {
		return new ScriptCall(LuaScript.PUT_BACK, keys(command.name(), marker),
				List.of(command.tenure().client(), Long.toString(command.tenure().sequence()), millis(command.lease()),
						this.retention, properties.holder(), mode(properties.type()), Long.toString(properties.base()),
						reach, Integer.toString(command.holds())));
	}

	/**
	 * Admits one server of a quorum to votes as soon as that is safe.
	 * @param marker the key of the time from which the server may vote
	 * @param longestLease the time for which a server that has lost its memory does not
	 * vote
	 */
	public ScriptCall join(String marker, Duration longestLease) {
		return new ScriptCall(LuaScript.JOIN, List.of(marker), List.of(millis(longestLease)));
	}

	/** Renews leases of one client that have the same hold count and duration. */
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
