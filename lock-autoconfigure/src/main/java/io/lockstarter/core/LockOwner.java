package io.lockstarter.core;

import java.io.Serializable;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * Owner of a lock, which may re-enter and release the lock: a thread, or a task that
 * moves between threads.
 * <p>
 * Two owners of the same thread are equal. An owner created by {@link #create(String)}
 * equals only itself. A deserialized copy, for instance in an exception, keeps the label
 * and equals only itself. Instances are thread-safe.
 */
public final class LockOwner implements Serializable {

	private static final long serialVersionUID = 1L;

	private static final AtomicLong TASKS = new AtomicLong();

	private final transient Object identity;

	private final String label;

	/** Current thread of an owner that is not a thread. */
	private transient volatile @Nullable Thread worker;

	private LockOwner(Object identity, String label) {
		this.identity = identity;
		this.label = label;
	}

	/**
	 * Returns the owner that represents the calling thread, which may be a virtual
	 * thread.
	 * @return the calling thread as an owner
	 */
	public static LockOwner currentThread() {
		Thread thread = Thread.currentThread();
		return new LockOwner(thread, label(thread));
	}

	/**
	 * Returns the name of a thread. Virtual threads usually have no name, but a number
	 * that thread dumps show.
	 */
	private static String label(Thread thread) {
		return thread.getName().isEmpty() ? "thread#" + thread.getId() : thread.getName();
	}

	/**
	 * Creates an owner that is not bound to a thread, for work that begins on one thread
	 * and ends on another.
	 * @param label the label of the owner in messages and in the list of locks
	 * @return an owner that equals only itself
	 */
	public static LockOwner create(String label) {
		return new LockOwner(new Object(), label + "#" + TASKS.incrementAndGet());
	}

	/**
	 * Returns the thread that this owner represents.
	 * @return the thread, or {@code null} for an owner that is not bound to a thread
	 */
	public @Nullable Thread thread() {
		return (this.identity instanceof Thread thread) ? thread : null;
	}

	/**
	 * Returns the thread that runs under a lock of this owner, if known.
	 * @return the thread that this owner represents, or the thread whose current lock in
	 * the {@link LockContext} belongs to this owner
	 */
	public @Nullable Thread worker() {
		Thread thread = thread();
		return (thread != null) ? thread : this.worker;
	}

	void worker(@Nullable Thread worker) {
		this.worker = worker;
	}

	/**
	 * Returns whether this owner can still release its locks.
	 * @return {@code false} once the thread that this owner represents has ended
	 */
	public boolean isAlive() {
		Thread thread = thread();
		return thread == null || thread.isAlive();
	}

	private Object readResolve() {
		return new LockOwner(new Object(), this.label);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof LockOwner owner && owner.identity == this.identity;
	}

	@Override
	public int hashCode() {
		return System.identityHashCode(this.identity);
	}

	@Override
	public String toString() {
		return this.label;
	}

}
