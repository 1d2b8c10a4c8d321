package io.lockstarter.fence;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.regex.Pattern;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * Names of rows. If two locks had the same row, their holders would refuse each other,
 * but no stale token would be accepted.
 */
final class RowNames {

	/** Maximum length of a row's name, in characters. */
	private static final int LONGEST = 255;

	/** Number of characters of a longer name that precede its digest. */
	private static final int BEGINNING = 200;

	/**
	 * Characters that a column may not store or not distinguish: control characters,
	 * halves of surrogate pairs, and a space at the end.
	 */
	private static final Pattern UNSAFE = Pattern.compile("[\\p{Cntrl}\\p{Cs}]| $");

	private RowNames() {
	}

	/** Returns the row of a single lock, which includes the name of its registry. */
	static String of(LockHandle lock) {
		return of(lock.name(), lock.registry());
	}

	static String of(String name, @Nullable String registry) {
		String full = isDefault(registry) ? name : "[" + registry + "]" + name;
		if (isDefault(registry) && name.startsWith("[")) {
			full = "[]" + name;
		}
		if (full.length() <= LONGEST && !UNSAFE.matcher(full).find()) {
			return full;
		}
		String beginning = UNSAFE.matcher(full.substring(0, Math.min(BEGINNING, full.length()))).replaceAll("?");
		return beginning + "#" + digest(full);
	}

	private static boolean isDefault(@Nullable String registry) {
		return registry == null || registry.equals(LockRequest.DEFAULT_REGISTRY);
	}

	private static String digest(String text) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
			return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
