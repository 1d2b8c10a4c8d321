package io.lockstarter.core;

/**
 * The common type of all exceptions about a lock, each of which is a
 * {@link RuntimeException}. A {@code catch} clause cannot name an interface. Whoever
 * wants them all catches the two classes that implement it:
 *
 * <pre class="code">
 * catch (LockException | LockNotHeldException ex) {
 *     report(ex.lockName(), ex);
 * }
 * </pre>
 *
 * {@link LockNotHeldException} is no {@link LockException}, because it has to be an
 * {@link IllegalMonitorStateException}: callers of {@link NamedLock#unlock()} expect one.
 */
public interface LockFailure {

	/**
	 * Return the name of the lock concerned.
	 * @return the lock's name; {@link LockBackendException#NO_LOCK}, which is empty,
	 * where the backend failed at something that is not about a certain lock
	 */
	String lockName();

}
