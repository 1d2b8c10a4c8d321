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
 * Tells a listener what the messages on a client's channel mean.
 */
final class WakeMessages {

	private static final LockLog logger = LockLog.of(WakeMessages.class);

	/** Begins a message that grants a lock; six fields follow, the last one the key. */
	private static final String GRANTED = "!";

	/** Precedes the key in a message that tells the holder of a lock that others wait. */
	private static final String CONTENDED = "?";

	/** Precedes the key in a message that tells a holder that the lock was taken away. */
	private static final String TAKEN_AWAY = "-";

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

	/** A message has come. */
	void received(String message) {
		WakeListener current = this.listener;
		if (current == null) {
			return;
		}
		if (message.startsWith(GRANTED)) {
			String[] fields = message.substring(GRANTED.length()).split(" ", 6);
			tell(current, fields[5], (name) -> current.granted(name, directGrant(fields)));
		}
		else if (message.startsWith(CONTENDED)) {
			tell(current, message.substring(CONTENDED.length()), current::contended);
		}
		else if (message.startsWith(TAKEN_AWAY)) {
			tell(current, message.substring(TAKEN_AWAY.length()), current::takenAway);
		}
		else {
			tell(current, message, current::wake);
		}
	}

	private void tell(WakeListener current, String key, Consumer<String> event) {
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
			logger.debug("Not the key of a lock: " + OneLine.of(lock), ex);
			return null;
		}
	}

	/** Messages come from now on; some may have been missed. */
	void missed() {
		WakeListener current = this.listener;
		if (current != null) {
			current.messagesMissed();
		}
	}

}
