package io.lockstarter.core;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * The lock under which the current method runs.
 */
public final class LockContext {

	private static final ThreadLocal<@Nullable LockHandle> CURRENT = new ThreadLocal<>();

	private LockContext() {
	}

	/**
	 * Return the handle of the innermost lock under which the calling thread runs an
	 * annotated method.
	 * @return the handle
	 * @throws IllegalStateException if the thread runs under no lock
	 */
	public static LockHandle current() {
		return find().orElseThrow(() -> new IllegalStateException("No lock is in force on thread '"
				+ Thread.currentThread().getName() + "': LockContext.current() answers only inside a method"
				+ " annotated with @DistributedLock that was called through its Spring bean"));
	}

	/**
	 * Return the handle of the innermost lock under which the calling thread runs an
	 * annotated method, if there is one.
	 * @return the handle, or empty
	 */
	public static Optional<LockHandle> find() {
		return Optional.ofNullable(CURRENT.get());
	}

	/**
	 * Make a handle the current one of the calling thread until the scope is closed.
	 * @param handle the handle
	 * @return the scope, to be closed on the same thread
	 */
	public static Scope enter(LockHandle handle) {
		LockHandle outer = CURRENT.get();
		CURRENT.set(handle);
		return () -> leave(outer);
	}

	private static void leave(@Nullable LockHandle outer) {
		if (outer != null) {
			CURRENT.set(outer);
		}
		else {
			CURRENT.remove();
		}
	}

	/**
	 * The span in which a handle is the current one.
	 */
	@FunctionalInterface
	public interface Scope extends AutoCloseable {

		@Override
		void close();

	}

}
