package io.lockstarter.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Locks under which the current method runs, the innermost first.
 * <p>
 * The context belongs to the calling thread. Work that continues on another thread takes
 * the context along by {@link #capture()} on the first thread and {@link #restore()} on
 * the other one. In a reactive pipeline, the Reactor context contains it under the key
 * {@code LockContext.class}. Instances are immutable and thread-safe.
 */
public final class LockContext {

	private static final LockContext NONE = new LockContext(null, null);

	private static final ThreadLocal<@Nullable LockContext> CURRENT = new ThreadLocal<>();

	private final @Nullable LockHandle innermost;

	private final @Nullable LockContext outer;

	private LockContext(@Nullable LockHandle innermost, @Nullable LockContext outer) {
		this.innermost = innermost;
		this.outer = outer;
	}

	/**
	 * Returns the handle of the innermost lock under which the calling thread runs an
	 * annotated method or work of {@link LockRegistry#execute}.
	 * @return the handle
	 * @throws IllegalStateException if the thread runs under no lock
	 */
	public static LockHandle current() {
		return find().orElseThrow(() -> new IllegalStateException("Thread '" + Thread.currentThread().getName()
				+ "' runs under no lock. LockContext.current() works within LockRegistry.execute, and in a"
				+ " method annotated with @DistributedLock that is called through its Spring bean. A call has no lock"
				+ " if the object was created by new, if a bean calls its own method, or in a test slice without"
				+ " @AutoConfigureInMemoryLocks of lock-test-support"));
	}

	/**
	 * Returns the handle of the innermost lock under which the calling thread runs an
	 * annotated method or work of {@link LockRegistry#execute}, if there is one.
	 * @return the handle, or empty
	 */
	public static Optional<LockHandle> find() {
		return capture().handle();
	}

	/**
	 * Checks that the calling thread runs under a lock that is still held, for instance
	 * in a test that the annotation takes effect. Costs no round trip.
	 * @throws IllegalStateException if the thread runs under no lock, or has lost its
	 * lock
	 */
	public static void assertHeld() {
		LockHandle handle = current();
		if (!handle.isValid()) {
			throw new IllegalStateException("The current lock is no longer held: " + handle);
		}
	}

	/**
	 * Returns the locks of the calling thread, in order to restore them on another
	 * thread.
	 * @return the locks, possibly none
	 */
	public static LockContext capture() {
		LockContext current = CURRENT.get();
		return (current != null) ? current : NONE;
	}

	/**
	 * Makes a handle the current one of the calling thread until the scope is closed.
	 * @param handle the handle
	 * @return the scope, to be closed on the same thread
	 */
	public static Scope enter(LockHandle handle) {
		return capture().with(handle).restore();
	}

	/**
	 * Makes these locks the current ones of the calling thread until the scope is closed.
	 * @return the scope, to be closed on the same thread
	 */
	public Scope restore() {
		LockContext before = CURRENT.get();
		set(this);
		LockOwner task = task();
		if (task == null) {
			return () -> set(before);
		}
		Thread workerBefore = task.worker();
		task.worker(Thread.currentThread());
		return () -> {
			task.worker(workerBefore);
			set(before);
		};
	}

	/** Returns the owner of the innermost lock if the owner is not a thread. */
	private @Nullable LockOwner task() {
		LockOwner owner = (this.innermost != null) ? this.innermost.owner() : null;
		return (owner != null && owner.thread() == null) ? owner : null;
	}

	private static void set(@Nullable LockContext context) {
		if (context != null && context.innermost != null) {
			CURRENT.set(context);
		}
		else {
			CURRENT.remove();
		}
	}

	/**
	 * Returns these locks with another lock as the innermost.
	 * @param handle the handle of the other lock
	 * @return the locks with the other lock
	 */
	public LockContext with(LockHandle handle) {
		return new LockContext(handle, this);
	}

	/**
	 * Returns the handle of the innermost lock.
	 * @return the handle, or empty if there is no lock
	 */
	public Optional<LockHandle> handle() {
		return Optional.ofNullable(this.innermost);
	}

	/**
	 * Returns the handles of all these locks, including those that were lost.
	 * @return the handles, the innermost first
	 */
	public List<LockHandle> handles() {
		List<LockHandle> handles = new ArrayList<>();
		for (LockContext context = this; context != null; context = context.outer) {
			if (context.innermost != null) {
				handles.add(context.innermost);
			}
		}
		return handles;
	}

	/**
	 * Returns the innermost handle that still holds a lock, whose owner can therefore
	 * re-enter the lock.
	 * @param name the lock's name
	 * @return the handle, or empty if the lock is not held; one of the
	 * {@link LockHandle#parts()} if several locks were acquired as one
	 */
	public Optional<LockHandle> holding(String name) {
		return holding((part) -> part.name().equals(name));
	}

	/**
	 * Returns the innermost handle that still holds a lock of a certain registry.
	 * @param name the lock's name
	 * @param registry the registry's name, or {@code null} if there is only one
	 * @return the handle, as for {@link #holding(String)}
	 */
	public Optional<LockHandle> holding(String name, @Nullable String registry) {
		return holding((part) -> part.name().equals(name) && Objects.equals(part.registry(), registry));
	}

	private Optional<LockHandle> holding(Predicate<LockHandle> wanted) {
		for (LockContext context = this; context != null; context = context.outer) {
			if (context.innermost != null) {
				for (LockHandle part : context.innermost.parts()) {
					if (wanted.test(part) && part.isValid()) {
						return Optional.of(part);
					}
				}
			}
		}
		return Optional.empty();
	}

	/**
	 * Returns the task that still holds a lock, and can therefore re-enter the lock on
	 * any thread.
	 * @param name the lock's name
	 * @param registry the registry's name, or {@code null} if there is only one
	 * @return an owner that is not a thread, or empty if no such owner holds the lock
	 */
	public Optional<LockOwner> taskHolding(String name, @Nullable String registry) {
		return holding(name, registry).map(LockHandle::owner).filter((owner) -> owner.thread() == null);
	}

	/**
	 * Returns a request for work that continues without the calling thread. If the
	 * request names no owner and a task holds the lock, that task becomes its owner.
	 * @param request the request
	 * @param registry the registry that receives the request by
	 * {@link LockRegistry#acquireAsync}
	 * @return the request
	 * @throws IllegalArgumentException if the request names a thread as the owner
	 */
	public LockRequest forTask(LockRequest request, LockRegistry registry) {
		request.requireNoThread();
		if (request.owner() != null) {
			return request;
		}
		String named = request.registry();
		return taskHolding(request.name(), (named != null) ? named : registry.registry()).map(request::owner)
			.orElse(request);
	}

	/**
	 * Span in which locks are the current ones.
	 */
	@FunctionalInterface
	public interface Scope extends AutoCloseable {

		@Override
		void close();

	}

}
