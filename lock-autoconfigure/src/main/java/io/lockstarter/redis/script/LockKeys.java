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
 * Redis keys and channels of locks. All keys of a lock share one hash tag, which contains
 * the injectively encoded name of the lock. So no name can break out of the tag or
 * collide with another name.
 * <p>
 * Safe for use by multiple threads.
 */
public final class LockKeys {

	/** Maximum length of an encoded name within a key, in bytes. */
	private static final int MAX_NAME_BYTES = 512;

	private static final String HASHED = "%h";

	private final String prefix;

	private final Supplier<String> clientId;

	private final boolean counts;

	private final LongNames longNames = new LongNames();

	public LockKeys(String prefix, Supplier<String> clientId) {
		this(prefix, clientId, false);
	}

	/**
	 * Creates the keys of a client.
	 * @param prefix the prefix of all keys and channels
	 * @param clientId supplies the id of the client
	 * @param counts whether each lock has its own fence with a counter, as on a server of
	 * a quorum
	 */
	public LockKeys(String prefix, Supplier<String> clientId, boolean counts) {
		// Some messages consist of a key, which must not begin like another kind of
		// message.
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
	 * Returns the key of the hash that represents the lock.
	 */
	public String lock(String name) {
		String encoded = NameCodec.encode(name);
		if (encoded.length() > MAX_NAME_BYTES / 4 && utf8(encoded).length > MAX_NAME_BYTES) {
			encoded = HASHED + sha256(encoded);
			this.longNames.remember(encoded, name);
		}
		return this.prefix + '{' + encoded + '}';
	}

	/** Returns the SCAN pattern that matches the keys of all locks and no other keys. */
	String pattern() {
		return this.prefix + "{*}";
	}

	/** Returns a key with this prefix in a slot of a cluster that belongs to no lock. */
	public String anyOf(int slot) {
		for (int i = 0;; i++) {
			String key = this.prefix + '{' + HASHED + i + '}';
			if (ClusterSlotHashUtil.calculateSlot(key) == slot) {
				return key;
			}
		}
	}

	/** Returns a key with this prefix that belongs to no lock and is never written. */
	String probe() {
		return this.prefix + "probe";
	}

	/** Returns a key of this kind in a slot of a cluster. */
	String probe(int slot) {
		return this.prefix + "probe:{" + SlotTags.of(slot) + '}';
	}

	/** Returns the keys of a lock in the order in which scripts expect them. */
	List<String> all(String name) {
		String lock = lock(name);
		String fence = fence(lock);
		return List.of(lock, fence, lock + ":waiters", this.counts ? fence : lock + ":clients");
	}

	/** Returns the keys that the script needs to renew locks. */
	List<String> renewed(List<String> locks) {
		return this.counts ? Stream.concat(locks.stream(), locks.stream().map(this::fence)).toList() : locks;
	}

	private String fence(String lock) {
		return this.counts ? lock + ":fence"
				: this.prefix + "fence:{" + SlotTags.of(ClusterSlotHashUtil.calculateSlot(lock)) + '}';
	}

	/**
	 * Returns the wake-up channel of this client.
	 */
	public String wakeChannel() {
		return wakeChannel(this.clientId.get());
	}

	/** Returns the channel of messages to all clients. */
	public String sharedChannel() {
		return wakeChannel("all");
	}

	/** Returns the wake-up channel of a client. */
	public String wakeChannel(String client) {
		return this.prefix + "wake:" + client;
	}

	/**
	 * Returns the name of a lock by its key, or {@code null} if the key contains only a
	 * digest of a long name, or is not the key of a lock.
	 */
	public @Nullable String name(String lock) {
		String encoded = encodedIn(lock);
		return encoded.startsWith(HASHED) ? null : NameCodec.decode(encoded);
	}

	/**
	 * Returns the name of a lock by its key. A long name, of which the key contains only
	 * a digest, is found if this client has used it recently. Returns {@code null} if the
	 * name is unknown or the key is not the key of a lock.
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
			throw new IllegalStateException("SHA-256 is not available", ex);
		}
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
