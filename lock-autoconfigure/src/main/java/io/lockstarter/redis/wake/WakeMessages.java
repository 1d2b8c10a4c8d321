package io.lockstarter.redis.wake;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockstarter.core.OneLine;
import io.lockstarter.core.backend.LockBackend.DirectGrant;
import io.lockstarter.core.backend.LockBackend.WakeListener;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.logging.LockLog;
import io.lockstarter.redis.script.LockKeys;
import org.jspecify.annotations.Nullable;

/**
 * Parser of the messages on a client's channel, which notifies a listener.
 */
final class WakeMessages {

	private static final LockLog logger = LockLog.of(WakeMessages.class);

	/**
	 * Prefix of a message that grants a lock. Six fields follow; the last one is the key.
	 */
	private static final String GRANTED = "!";

	/**
	 * Prefix of the key in a message that other clients wait for a lock of this client.
	 */
	private static final String CONTENDED = "?";

	/** Prefix of the key in a message that a lock of this client was force-released. */
	private static final String FORCE_RELEASED = "-";

	private final LockKeys keys;

	private final Supplier<String> clientId;

	private volatile @Nullable WakeListener listener;

	WakeMessages(LockKeys keys, Supplier<String> clientId) {
		this.keys = keys;
		this.clientId = clientId;
	}

	void listen(WakeListener listener) {
		this.listener = listener;
	}

	/** Handles a message. */
	void received(String message) {
		WakeListener current = this.listener;
		if (current == null) {
			return;
		}
		if (message.startsWith(GRANTED)) {
			String[] fields = message.substring(GRANTED.length()).split(" ", 6);
			notify(current, fields[5], (name) -> current.granted(name, directGrant(fields)));
		}
		else if (message.startsWith(CONTENDED)) {
			notify(current, message.substring(CONTENDED.length()), current::contended);
		}
		else if (message.startsWith(FORCE_RELEASED)) {
			notify(current, message.substring(FORCE_RELEASED.length()), current::forceReleased);
		}
		else {
			notify(current, message, current::wake);
		}
	}

	private void notify(WakeListener current, String key, Consumer<String> event) {
		String name = nameOf(key);
		if (name != null) {
			event.accept(name);
		}
		else {
			current.messagesMissed();
		}
	}

	private DirectGrant directGrant(String[] fields) {
		return new DirectGrant(new TenureId(this.clientId.get(), Long.parseLong(fields[0])), Long.parseLong(fields[1]),
				fields[4].equals("1"), Duration.ofMillis(Long.parseLong(fields[3])), Long.parseLong(fields[2]));
	}

	private @Nullable String nameOf(String lock) {
		try {
			return this.keys.usedName(lock);
		}
		catch (RuntimeException ex) {
			logger.debug("Ignored a message that names no lock key: " + OneLine.of(lock), ex);
			return null;
		}
	}

	/** Notifies the listener that messages may have been missed. */
	void missed() {
		WakeListener current = this.listener;
		if (current != null) {
			current.messagesMissed();
		}
	}

}
