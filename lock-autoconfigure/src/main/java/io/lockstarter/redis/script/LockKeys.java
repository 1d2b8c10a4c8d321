package io.lockstarter.redis.script;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * The Redis keys of locks. All keys of a lock share one hash tag, and the lock's name is
 * encoded injectively inside it: no name can leave the tag or collide with another.
 */
public final class LockKeys {

	private static final int LONGEST_NAME = 512;

	private static final String HASHED = "%h";

	private final String prefix;

	private final Supplier<String> clientId;

	private final boolean counts;

	private final LongNames longNames = new LongNames();

	public LockKeys(String prefix, Supplier<String> clientId) {
		this(prefix, clientId, false);
	}

	/**
	 * Name the keys of a client.
	 * @param counts whether each lock has a fence of its own, with a counter, as on a
	 * server of a quorum
	 */
	public LockKeys(String prefix, Supplier<String> clientId, boolean counts) {
		// A message that is a key must not begin like one of another kind.
		if (!prefix.matches("(?!-)[\\w:./-]*")) {
			throw new IllegalArgumentException(
					"The key prefix '%s' must consist of letters, digits and _ : . / - and not begin with -"
						.formatted(prefix));
		}
		this.prefix = prefix;
		this.clientId = clientId;
		this.counts = counts;
	}

	/**
	 * The hash that is the lock.
	 */
	public String lock(String name) {
		String encoded = NameCodec.encode(name);
		if (encoded.length() > LONGEST_NAME / 4 && utf8(encoded).length > LONGEST_NAME) {
			encoded = HASHED + sha256(encoded);
			this.longNames.remember(encoded, name);
		}
		return this.prefix + '{' + encoded + '}';
	}

	/** What the keys of all locks look like to SCAN, and no others. */
	String pattern() {
		return this.prefix + "{*}";
	}

	/** A key with this prefix that belongs to a slot of a cluster, but to no lock. */
	public String anyOf(int slot) {
		for (int i = 0;; i++) {
			String key = this.prefix + '{' + HASHED + i + '}';
			if (ClusterSlotHashUtil.calculateSlot(key) == slot) {
				return key;
			}
		}
	}

	/** A key with this prefix that belongs to no lock, and is never written. */
	String probe() {
		return this.prefix + "probe";
	}

	/** A key of that kind that belongs to a slot of a cluster. */
	String probe(int slot) {
		return this.prefix + "probe:{" + SlotTags.of(slot) + '}';
	}

	/** The keys that the scripts of a lock name, in their order. */
	List<String> all(String name) {
		String lock = lock(name);
		String fence = fence(lock);
		return List.of(lock, fence, lock + ":waiters", this.counts ? fence : lock + ":clients");
	}

	/** The keys that it takes to renew locks. */
	List<String> renewed(List<String> locks) {
		return this.counts ? Stream.concat(locks.stream(), locks.stream().map(this::fence)).toList() : locks;
	}

	private String fence(String lock) {
		return this.counts ? lock + ":fence"
				: this.prefix + "fence:{" + SlotTags.of(ClusterSlotHashUtil.calculateSlot(lock)) + '}';
	}

	/**
	 * The channel on which this client is woken.
	 */
	public String wakeChannel() {
		return wakeChannel(this.clientId.get());
	}

	/** The channel of messages to all clients that listen to one another. */
	public String sharedChannel() {
		return wakeChannel("all");
	}

	/** The channel on which a client is woken. */
	public String wakeChannel(String client) {
		return this.prefix + "wake:" + client;
	}

	/**
	 * The name of a lock by its key, or {@code null} if the name was too long to be part
	 * of the key, or the key is none of a lock.
	 */
	public @Nullable String name(String lock) {
		String encoded = encodedIn(lock);
		return encoded.startsWith(HASHED) ? null : NameCodec.decode(encoded);
	}

	/**
	 * The name of a lock by its key, also if it was too long to be part of that, but has
	 * been used here of late; {@code null} if it has not, or the key is none of a lock.
	 */
	public @Nullable String usedName(String lock) {
		String encoded = encodedIn(lock);
		return encoded.startsWith(HASHED) ? this.longNames.find(encoded) : NameCodec.decode(encoded);
	}

	private String encodedIn(String lock) {
		return lock.substring(this.prefix.length() + 1, lock.length() - 1);
	}

	private static String sha256(String text) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(utf8(text)));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
