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
import io.lockstarter.core.backend.LockBackend.TenureProperties;
import io.lockstarter.core.backend.LockBackend.Waiting;
import io.lockstarter.core.backend.TenureId;

/**
 * Factory for the script calls of one client.
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
		ScriptArguments arguments = acquisition(command);
		if (command.isPermit()) {
			arguments.permits(command.permits());
		}
		else if (command.type() == LockType.FAIR) {
			arguments.mode(mode(command));
		}
		LuaScript script = command.isPermit() ? LuaScript.ACQUIRE_PERMIT
				: command.type().isShared() ? LuaScript.ACQUIRE_SHARED : LuaScript.ACQUIRE;
		return new ScriptCall(script, this.keys.all(command.name()), arguments.toList(), true);
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
		ScriptArguments arguments = acquisition(command).base(base, reach);
		if (raise) {
			arguments.raise();
		}
		return new ScriptCall(command.type().isShared() ? LuaScript.PROPOSE_SHARED : LuaScript.PROPOSE,
				keys(command.name(), marker), arguments.toList());
	}

	private ScriptArguments acquisition(Acquire command) {
		ScriptArguments arguments = new ScriptArguments(this.clientId.get(), command.tenure().sequence(),
				this.retention);
		addRequest(command, arguments);
		if (command.waiting() != null) {
			command.waiting().position().ifPresent(arguments::position);
		}
		return arguments;
	}

	private void addRequest(Acquire command, ScriptArguments arguments) {
		arguments.lease(command.lease()).holder(PermitLabel.of(command));
		Waiting waiting = command.waiting();
		if (waiting != null) {
			arguments.waitMode(waitMode(waiting));
			if (command.type() == LockType.FAIR) {
				arguments.waited(waiting.waited());
			}
		}
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
	private String waitMode(Waiting waiting) {
		String mode = this.polling.getAsBoolean() ? "p"
				: (this.grantsDirectly && waiting.acceptsDirectGrant()) ? "g" : "w";
		return (waiting.requests() > 1) ? mode + waiting.requests() : mode;
	}

	private static String mode(Acquire command) {
		return command.isPermit() ? "p" : mode(command.type());
	}

	private static String mode(LockType type) {
		return switch (type) {
			case REENTRANT, WRITE -> "x";
			case FAIR -> "f";
			case READ -> "r";
		};
	}

	private static String millis(Duration duration) {
		return Long.toString(duration.toMillis());
	}

	/**
	 * Ends a tenure.
	 * @param cluster whether PUBLISH counts only the receivers on one node
	 */
	public ScriptCall release(Release command, boolean cluster) {
		ScriptArguments arguments = arguments(command.tenure());
		if (cluster) {
			arguments.cluster();
		}
		return switch (command.intent()) {
			case LEAVE -> release(LuaScript.RELEASE, command, arguments);
			case RETURN -> release(LuaScript.RELEASE, command, arguments.next("r"));
			case STAY -> release(LuaScript.RELEASE, command, arguments.next("s"));
			case YIELD -> releaseAndWait(command, Objects.requireNonNull(command.next()), arguments);
			case DOWNGRADE -> end(LuaScript.DOWNGRADE, command.name(), arguments);
			case FORCE -> end(LuaScript.FORCE_RELEASE, command.name(), arguments);
		};
	}

	private ScriptCall releaseAndWait(Release command, Acquire next, ScriptArguments arguments) {
		addRequest(next, arguments);
		arguments.mode(mode(next)).next(Long.toString(next.tenure().sequence()));
		return release(LuaScript.YIELD, command, arguments);
	}

	private ScriptCall release(LuaScript script, Release command, ScriptArguments arguments) {
		if (!command.allReplied()) {
			arguments.tombstone();
		}
		return new ScriptCall(script, this.keys.all(command.name()), arguments.toList(), true);
	}

	private ScriptArguments arguments(TenureId tenure) {
		return new ScriptArguments(tenure.client(), tenure.sequence(), this.retention);
	}

	private ScriptCall end(LuaScript script, String name, ScriptArguments arguments) {
		return new ScriptCall(script, this.keys.all(name), arguments.toList());
	}

	/** Ends a tenure without waking other clients. */
	public ScriptCall cancel(String name, TenureId tenure) {
		return end(LuaScript.CANCEL, name, arguments(tenure));
	}

	/** Shortens the lease of a tenure. */
	public ScriptCall shortenLease(String name, TenureId tenure, Duration rest) {
		return end(LuaScript.SHORTEN_LEASE, name, arguments(tenure).lease(rest));
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
		ScriptArguments arguments = arguments(command.tenure()).lease(command.lease())
			.holder(properties.holder())
			.mode(mode(properties.type()))
			.base(properties.base(), reach)
			.holds(command.holds());
		return new ScriptCall(LuaScript.PUT_BACK, keys(command.name(), marker), arguments.toList());
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
