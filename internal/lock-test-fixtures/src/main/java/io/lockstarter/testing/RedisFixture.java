package io.lockstarter.testing;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Redis of a test, which the test can inspect and break.
 */
public interface RedisFixture extends AutoCloseable {

	String host();

	int port();

	/**
	 * Ends the server without warning, as with {@code kill -9}.
	 */
	void kill();

	/**
	 * Starts the server again on the same port, after killing it if it runs.
	 */
	void restart();

	/**
	 * Suspends the server. Its connections stay open.
	 */
	void stop();

	/**
	 * Resumes a suspended server.
	 */
	void resume();

	@Override
	void close();

	default String uri() {
		return "redis://" + address();
	}

	/**
	 * Returns host and port, as in {@code 127.0.0.1:6379}.
	 */
	default String address() {
		return String.format(Locale.ROOT, "%s:%d", host(), port());
	}

	default RespClient connect() {
		return connect(Duration.ofSeconds(5));
	}

	/**
	 * Connects with a timeout for the connection and for each reply.
	 */
	default RespClient connect(Duration timeout) {
		return RespClient.connect(host(), port(), timeout);
	}

	/**
	 * Sends one command on a new connection.
	 */
	default @Nullable Object cli(String... command) {
		try (RespClient client = connect()) {
			return client.call(command);
		}
	}

	/**
	 * Sends one command whose reply is a list.
	 */
	default List<?> list(String... command) {
		return (List<?>) Objects.requireNonNull(cli(command));
	}

	/**
	 * Returns a field of {@code INFO}.
	 */
	default String info(String field) {
		return String.valueOf(cli("INFO"))
			.lines()
			.filter((line) -> line.startsWith(field + ":"))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("INFO has no field " + field))
			.substring(field.length() + 1);
	}

	default CommandStats stats() {
		return CommandStats.of(this::cli);
	}

	default void resetStats() {
		cli("CONFIG", "RESETSTAT");
	}

	default long commandCalls(String command) {
		return stats().calls(command);
	}

}
