package io.lockstarter.redis.client;

import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * A failed command, told apart by what can be done about it, whichever client library
 * sent it.
 */
public final class RedisFailure extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/** In the words of Redis, of proxies, and of a server that runs a script. */
	private static final List<String> KEYS_ON_SEVERAL_SERVERS = List.of("CROSSSLOT", "keys must be in same slot",
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

	/** The same failure of a command that was sent before, and its reply lost. */
	RedisFailure ofRepeated() {
		return new RedisFailure(this.kind, text(), true, this.address, getCause());
	}

	/** The same failure of a Redis at some address, which is told to people. */
	RedisFailure at(String address) {
		return new RedisFailure(this.kind, text(), this.runBefore, address, getCause());
	}

	/** The same failure with the commands that it is about, which Redis does not name. */
	RedisFailure about(List<String> commands) {
		return (this.kind != Kind.REFUSED || commands.isEmpty() || commands.stream().anyMatch(this::names)) ? this
				: new RedisFailure(this.kind, text() + " (the command: " + String.join(" or ", commands) + ")",
						this.runBefore, this.address, getCause());
	}

	private boolean names(String command) {
		return text().toUpperCase(Locale.ROOT).contains("'" + command.split(" ", 2)[0] + "'");
	}

	/**
	 * Whether the command was sent before, and its reply lost: then it may have run.
	 */
	public boolean mayHaveRunBefore() {
		return this.runBefore;
	}

	public Kind kind() {
		return this.kind;
	}

	/** Where Redis is, and what happened, for people to read. */
	String detail() {
		Throwable cause = getCause();
		boolean connecting = this.kind == Kind.UNREACHABLE || this.kind == Kind.DISCONNECTED
				|| this.kind == Kind.CONNECT_TIMEOUT;
		String told = (cause != null && this.kind != Kind.REFUSED) ? FailureText.of(cause, connecting)
				: Advice.with(text());
		return located(told);
	}

	/** What was found, and where, for people to read. */
	String located(String found) {
		return this.address.isEmpty() ? found : this.address + ": " + found;
	}

	/** Redis's own words. */
	public String text() {
		return String.valueOf(getMessage());
	}

	/**
	 * Whether Redis answered with one of some codes. Before version 7 it puts the code of
	 * an error raised inside a script in the middle of the message: after a dash if the
	 * server refused to run a command, and without one if the command failed.
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

	/** Whether Redis does not know the user, or not by this password. */
	boolean isOfCredentials() {
		return hasCode("NOAUTH", "WRONGPASS");
	}

	/**
	 * Whether the server takes no writes, while another one may, as the master of now.
	 */
	boolean isOfNoMaster() {
		return hasCode("READONLY", "MASTERDOWN", "LOADING", "NOREPLICAS") || isOfDemotion();
	}

	/**
	 * Whether it became a replica while replicas were waited for: what was sent before
	 * may have run.
	 */
	boolean isOfDemotion() {
		return hasCode("UNBLOCKED", "ERR WAIT cannot be used with replica");
	}

	/**
	 * Whether an answer says that the keys of a command are on several servers, behind an
	 * address that looks like one.
	 */
	static boolean isOfSeveralServers(String answer) {
		return KEYS_ON_SEVERAL_SERVERS.stream().anyMatch(answer::contains);
	}

	/**
	 * What became of the command.
	 */
	public enum Kind {

		/** Redis answered with an error. */
		REFUSED,
		/** Its connection broke, or its node is gone: it may have run, or may not. */
		LOST,
		/** No answer came within the time that the client library is set to. */
		TIMEOUT,
		/** The server accepted the connection, and then did not reply in time. */
		CONNECT_TIMEOUT,
		/**
		 * No answer came in time, since the connection broke and cannot be made again.
		 */
		DISCONNECTED,
		/** It was not sent, because its connection broke and is being made again. */
		RECONNECTING,
		/** It was not sent. */
		UNREACHABLE

	}

}
