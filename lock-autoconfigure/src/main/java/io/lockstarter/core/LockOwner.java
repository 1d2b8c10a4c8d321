package io.lockstarter.core;

import java.io.Serializable;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * Who may re-enter and release a lock: a thread, or a task that moves between threads.
 * <p>
 * Two owners made for the same thread are equal; an owner made by {@link #create(String)}
 * equals only itself. A copy that was serialized, as with an exception, keeps the label
 * and equals no other. Instances are thread-safe.
 */
public final class LockOwner implements Serializable {

	private static final long serialVersionUID = 1L;

	private static final AtomicLong TASKS = new AtomicLong();

	private final transient Object identity;

	private final String label;

	/** Of an owner that is bound to no thread. */
	private volatile @Nullable Thread worker;

	private LockOwner(Object identity, String label) {
		this.identity = identity;
		this.label = label;
	}

	/**
	 * Return the owner that stands for the calling thread, which may be a virtual one.
	 * @return the calling thread as an owner
	 */
	public static LockOwner currentThread() {
		Thread thread = Thread.currentThread();
		return new LockOwner(thread, label(thread));
	}

	/** Virtual threads have no name as a rule, but a number that thread dumps tell. */
	private static String label(Thread thread) {
		return thread.getName().isEmpty() ? "thread#" + thread.getId() : thread.getName();
	}

	/**
	 * Return a new owner that is bound to no thread, for work that is started on one
	 * thread and finished on another.
	 * @param label what to show for this owner in messages and in the lock list
	 * @return an owner that equals no other
	 */
	public static LockOwner create(String label) {
		return new LockOwner(new Object(), label + "#" + TASKS.incrementAndGet());
	}

	/**
	 * Return the thread this owner stands for.
	 * @return the thread, or {@code null} for an owner that is bound to none
	 */
	public @Nullable Thread thread() {
		return (this.identity instanceof Thread thread) ? thread : null;
	}

	/**
	 * Returns the thread that runs under a lock of this owner, as far as it is known.
	 * @return the thread that this owner stands for, or the one for which
	 * {@link LockContext} names a lock of this owner as the current one
	 */
	public @Nullable Thread worker() {
		Thread thread = thread();
		return (thread != null) ? thread : this.worker;
	}

	void worker(@Nullable Thread worker) {
		this.worker = worker;
	}

	/**
	 * Return whether this owner can still release what it holds.
	 * @return {@code false} once the thread it stands for has ended
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
