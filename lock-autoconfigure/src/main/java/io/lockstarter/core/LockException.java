package io.lockstarter.core;

import org.jspecify.annotations.Nullable;

/**
 * Superclass of all exceptions about a lock except {@link LockNotHeldException}, which
 * has to be an {@link IllegalMonitorStateException} because callers of
 * {@link NamedLock#unlock()} expect one. Code that handles all exceptions names both
 * classes:
 *
 * <pre class="code">
 * catch (LockException | LockNotHeldException ex) {
 *     report(ex);
 * }
 * </pre>
 */
public abstract class LockException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String lockName;

	protected LockException(String lockName, String message, @Nullable Throwable cause) {
		super(OneLine.of(message), cause);
		this.lockName = lockName;
	}

	/**
	 * Returns the name of the lock.
	 * @return the lock's name, or the empty {@link LockBackendException#NO_LOCK} if the
	 * failure does not concern a certain lock
	 */
	public String lockName() {
		return this.lockName;
	}

}
