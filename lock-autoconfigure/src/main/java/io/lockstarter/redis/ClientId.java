package io.lockstarter.redis;

import java.util.UUID;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The id of a client, made when it is first needed. JVMs that are restored from one
 * checkpoint would otherwise be one client to Redis, although each has locks of its own;
 * so they differ if the checkpoint was taken before.
 */
public final class ClientId implements Supplier<String> {

	private volatile @Nullable String id;

	@Override
	public String get() {
		String current = this.id;
		return (current != null) ? current : make();
	}

	private synchronized String make() {
		String current = this.id;
		if (current == null) {
			current = UUID.randomUUID().toString().replace("-", "");
			this.id = current;
		}
		return current;
	}

}
