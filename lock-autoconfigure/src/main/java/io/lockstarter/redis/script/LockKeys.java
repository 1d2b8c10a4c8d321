package io.lockstarter.redis.script;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * The Redis keys of locks. All keys of a lock share one hash tag, and the lock's name is
 * encoded injectively inside it: no name can leave the tag or collide with another.
 */
public final class LockKeys {

	private static final int LONGEST_NAME = 512;

	private static final String HASHED = "%h";

	private static final Pattern ENCODED = Pattern.compile("(?:[^%]|%[0-9A-F]{2}|%u[0-9A-F]{4})*");

	private final String prefix;

	private final Supplier<String> clientId;

	private final LongNames longNames = new LongNames();

	public LockKeys(String prefix, Supplier<String> clientId) {
		// A message that is a key must not begin like one of another kind.
		if (!prefix.matches("(?!-)[\\w:./-]*")) {
			throw new IllegalArgumentException(
					"The key prefix '%s' must consist of letters, digits and _ : . / - and not begin with -"
						.formatted(prefix));
		}
		this.prefix = prefix;
		this.clientId = clientId;
	}

	/**
	 * The hash that is the lock.
	 */
	public String lock(String name) {
		String encoded = encode(name);
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

	static String fence(String lock) {
		return lock + ":fence";
	}

	static String waiters(String lock) {
		return lock + ":waiters";
	}

	/**
	 * The channel on which this client is woken.
	 */
	public String wakeChannel() {
		return this.prefix + "wake:" + this.clientId.get();
	}

	/**
	 * The name of a lock by its key, or {@code null} if the name was too long to be part
	 * of the key, or the key is none of a lock.
	 */
	public @Nullable String name(String lock) {
		String encoded = encodedIn(lock);
		return encoded.startsWith(HASHED) ? null : decode(encoded);
	}

	/**
	 * The name of a lock by its key, also if it was too long to be part of that, but has
	 * been used here of late; {@code null} if it has not, or the key is none of a lock.
	 */
	public @Nullable String usedName(String lock) {
		String encoded = encodedIn(lock);
		return encoded.startsWith(HASHED) ? this.longNames.find(encoded) : decode(encoded);
	}

	private String encodedIn(String lock) {
		return lock.substring(this.prefix.length() + 1, lock.length() - 1);
	}

	private static String encode(String name) {
		StringBuilder encoded = null;
		for (int i = 0; i < name.length(); i++) {
			char c = name.charAt(i);
			boolean pair = Character.isHighSurrogate(c) && i + 1 < name.length()
					&& Character.isLowSurrogate(name.charAt(i + 1));
			if (encoded == null && (pair || !isReserved(c))) {
				i += pair ? 1 : 0;
				continue;
			}
			if (encoded == null) {
				encoded = new StringBuilder(name.length() + 16).append(name, 0, i);
			}
			if (pair) {
				encoded.append(c).append(name.charAt(++i));
			}
			else if (Character.isSurrogate(c)) {
				encoded.append("%%u%04X".formatted((int) c));
			}
			else if (isReserved(c)) {
				encoded.append("%%%02X".formatted((int) c));
			}
			else {
				encoded.append(c);
			}
		}
		return (encoded != null) ? encoded.toString() : name;
	}

	private static boolean isReserved(char c) {
		return c == '{' || c == '}' || c == '%' || c < ' ' || c == 0x7F || Character.isSurrogate(c);
	}

	private static @Nullable String decode(String encoded) {
		if (encoded.indexOf('%') < 0) {
			return encoded;
		}
		if (!ENCODED.matcher(encoded).matches()) {
			return null;
		}
		StringBuilder name = new StringBuilder(encoded.length());
		for (int i = 0; i < encoded.length(); i++) {
			char c = encoded.charAt(i);
			if (c != '%') {
				name.append(c);
				continue;
			}
			int start = i + ((encoded.charAt(i + 1) == 'u') ? 2 : 1);
			int end = (start == i + 2) ? start + 4 : start + 2;
			name.append((char) Integer.parseInt(encoded, start, end, 16));
			i = end - 1;
		}
		return name.toString();
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
