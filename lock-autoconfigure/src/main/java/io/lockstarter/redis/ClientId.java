package io.lockstarter.redis;

import java.util.UUID;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Id of a client, generated on first use. JVMs that are restored from one checkpoint have
 * different ids if the checkpoint was taken before. With a common id, Redis would treat
 * them as one client.
 * <p>
 * Safe for use by multiple threads.
 */
public final class ClientId implements Supplier<String> {

	private volatile @Nullable String id;

	@Override
	public String get() {
		String current = this.id;
		return (current != null) ? current : generate();
	}

	private synchronized String generate() {
		String current = this.id;
		if (current == null) {
			current = UUID.randomUUID().toString().replace("-", "");
			this.id = current;
		}
		return current;
	}

}
