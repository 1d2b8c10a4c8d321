package io.lockstarter.redis.client;

import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Failure of a command, independent of the client library, classified by how to handle
 * it.
 */
public final class RedisFailure extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/** Messages of Redis, of proxies, and of scripts about keys on several servers. */
	private static final List<String> CROSS_SLOT = List.of("CROSSSLOT", "keys must be in same slot",
			"do not hash to the same slot", "don't hash to the same slot", "non local key");

	private final Kind kind;

	private final boolean runBefore;

	private final String address;

	RedisFailure(Kind kind, Throwable cause) {
		this(kind, (cause.getMessage() != null) ? cause.getMessage() : cause.toString(), cause);
	}

	public RedisFailure(Kind kind, String message, @Nullable Throwable cause) {
		this(kind, message, false, "", cause);
	}

	private RedisFailure(Kind kind, String message, boolean runBefore, String address, @Nullable Throwable cause) {
		super(message, cause);
		this.kind = kind;
		this.runBefore = runBefore;
		this.address = address;
	}

	/**
	 * Returns this failure for a command that was sent before and whose reply was lost.
	 */
	RedisFailure ofRepeated() {
		return new RedisFailure(this.kind, text(), true, this.address, getCause());
	}

	/**
	 * Returns this failure with the address of Redis, which its explanation then
	 * includes.
	 */
	RedisFailure at(String address) {
		return new RedisFailure(this.kind, text(), this.runBefore, address, getCause());
	}

	/** Returns this failure with the commands that Redis rejected but does not name. */
	RedisFailure about(List<String> commands) {
		return (this.kind != Kind.REFUSED || commands.isEmpty() || commands.stream().anyMatch(this::names)) ? this
				: new RedisFailure(this.kind, text() + " (the command: " + String.join(" or ", commands) + ")",
						this.runBefore, this.address, getCause());
	}

	private boolean names(String command) {
		return text().toUpperCase(Locale.ROOT).contains("'" + command.split(" ", 2)[0] + "'");
	}

	/**
	 * Returns whether the command was sent before and its reply was lost, so that it may
	 * have run.
	 */
	public boolean mayHaveRunBefore() {
		return this.runBefore;
	}

	public Kind kind() {
		return this.kind;
	}

	/**
	 * Returns a readable explanation: the address of Redis, the failure, and the remedy.
	 */
	String detail() {
		Throwable cause = getCause();
		boolean connecting = this.kind == Kind.UNREACHABLE || this.kind == Kind.DISCONNECTED
				|| this.kind == Kind.CONNECT_TIMEOUT;
		String explanation = (cause != null && this.kind != Kind.REFUSED) ? FailureText.of(cause, connecting)
				: Remedies.addTo(text());
		return located(explanation);
	}

	/** Returns a finding prefixed by the address of Redis. */
	String located(String found) {
		return this.address.isEmpty() ? found : this.address + ": " + found;
	}

	/** Returns the unchanged message of Redis or of the client library. */
	public String text() {
		return String.valueOf(getMessage());
	}

	/**
	 * Returns whether Redis replied with one of the given error codes. Before version 7,
	 * Redis puts the code of an error within a script in the middle of the message: after
	 * a dash if the server refused to run a command, and without a dash if the command
	 * failed.
	 */
	boolean hasCode(String... codes) {
		if (this.kind != Kind.REFUSED) {
			return false;
		}
		for (String code : codes) {
			if (text().startsWith(code) || text().contains(" -" + code) || isRaisedInScript(code)) {
				return true;
			}
		}
		return false;
	}

	private boolean isRaisedInScript(String code) {
		return text().startsWith("ERR Error running script") && text().contains(": " + code + " ");
	}

	/** Returns whether Redis rejected the user name or the password. */
	boolean isAuthenticationFailure() {
		return hasCode("NOAUTH", "WRONGPASS");
	}

	/**
	 * Returns whether the server accepts no writes, while the current master may accept
	 * them.
	 */
	boolean isFromNonMaster() {
		return hasCode("READONLY", "MASTERDOWN", "LOADING", "NOREPLICAS") || isDemotion();
	}

	/**
	 * Returns whether the server became a replica during WAIT. The commands that precede
	 * the WAIT may have run.
	 */
	boolean isDemotion() {
		return hasCode("UNBLOCKED", "ERR WAIT cannot be used with replica");
	}

	/**
	 * Returns whether a reply says that the keys of a command are on several servers
	 * behind one address.
	 */
	static boolean isCrossSlot(String reply) {
		return CROSS_SLOT.stream().anyMatch(reply::contains);
	}

	/**
	 * Kinds of failure.
	 */
	public enum Kind {

		/** Redis replied with an error. */
		REFUSED,
		/**
		 * The connection broke, or the node is gone: the command may or may not have run.
		 */
		LOST,
		/** No reply came within the client library's timeout. */
		TIMEOUT,
		/** The server accepted the connection, but did not reply in time. */
		CONNECT_TIMEOUT,
		/**
		 * No reply came in time, because the connection broke and reconnecting fails.
		 */
		DISCONNECTED,
		/** The command was not sent. */
		UNREACHABLE

	}

}
