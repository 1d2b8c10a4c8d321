package io.lockstarter.testing;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * A Redis of a test's own, to be asked and to be broken.
 */
public interface RedisFixture extends AutoCloseable {

	String host();

	int port();

	/**
	 * End the server without warning, as with {@code kill -9}.
	 */
	void kill();

	/**
	 * Start the server again on the same port, after killing it if it runs.
	 */
	void restart();

	/**
	 * Freeze the server; its connections stay open.
	 */
	void stop();

	/**
	 * Let a frozen server go on.
	 */
	void resume();

	@Override
	void close();

	default String uri() {
		return "redis://" + address();
	}

	/**
	 * Host and port, as in {@code 127.0.0.1:6379}.
	 */
	default String address() {
		return String.format(Locale.ROOT, "%s:%d", host(), port());
	}

	default RespClient connect() {
		return connect(Duration.ofSeconds(5));
	}

	/**
	 * Connect with a timeout for the connection and for each reply.
	 */
	default RespClient connect(Duration timeout) {
		return RespClient.connect(host(), port(), timeout);
	}

	/**
	 * Send one command on a connection of its own.
	 */
	default @Nullable Object cli(String... command) {
		try (RespClient client = connect()) {
			return client.call(command);
		}
	}

	/**
	 * Send one command that is answered with a list.
	 */
	default List<?> list(String... command) {
		return (List<?>) Objects.requireNonNull(cli(command));
	}

	/**
	 * A field of {@code INFO}.
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
