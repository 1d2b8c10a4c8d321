package io.lockstarter.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * The locks under which the current method runs, the innermost first.
 * <p>
 * Belongs to the calling thread. Work that goes on elsewhere takes it along:
 * {@link #capture()} here, {@link #restore()} there. In a reactive pipeline the Reactor
 * context has it under the key {@code LockContext.class}. Instances are immutable and
 * thread-safe.
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
	 * Return the handle of the innermost lock under which the calling thread runs an
	 * annotated method, or work of {@link LockRegistry#execute}.
	 * @return the handle
	 * @throws IllegalStateException if the thread runs under no lock
	 */
	public static LockHandle current() {
		return find().orElseThrow(() -> new IllegalStateException("No lock is in force on thread '"
				+ Thread.currentThread().getName()
				+ "'. LockContext.current() works within LockRegistry.execute, and in a"
				+ " method annotated with @DistributedLock that is called through its Spring bean. A call runs without the"
				+ " lock on an object that was made by new, if a bean calls its own method, and in a test slice without"
				+ " @AutoConfigureInMemoryLocks of lock-test-support"));
	}

	/**
	 * Return the handle of the innermost lock under which the calling thread runs an
	 * annotated method or work of {@link LockRegistry#execute}, if there is one.
	 * @return the handle, or empty
	 */
	public static Optional<LockHandle> find() {
		return capture().handle();
	}

	/**
	 * Make sure that the calling thread runs under a lock that is still held, for
	 * instance to prove in a test that the annotation takes effect. Costs no round trip.
	 * @throws IllegalStateException if the thread runs under no lock, or has lost it
	 */
	public static void assertHeld() {
		LockHandle handle = current();
		if (!handle.isValid()) {
			throw new IllegalStateException("The lock in force is no longer held: " + handle);
		}
	}

	/**
	 * Return the locks of the calling thread, to be restored on another one.
	 * @return the locks, which may be none
	 */
	public static LockContext capture() {
		LockContext current = CURRENT.get();
		return (current != null) ? current : NONE;
	}

	/**
	 * Make a handle the current one of the calling thread until the scope is closed.
	 * @param handle the handle
	 * @return the scope, to be closed on the same thread
	 */
	public static Scope enter(LockHandle handle) {
		return capture().with(handle).restore();
	}

	/**
	 * Make these locks those of the calling thread until the scope is closed.
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

	/** The owner of the innermost lock, if it is bound to no thread. */
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
	 * Return these locks with a further one as the innermost.
	 * @param handle the further one
	 * @return the locks with it
	 */
	public LockContext with(LockHandle handle) {
		return new LockContext(handle, this);
	}

	/**
	 * Return the handle of the innermost lock.
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
	 * Return the innermost handle that still holds a lock, whose owner can therefore take
	 * that lock again.
	 * @param name the lock's name
	 * @return the handle, which is one of the {@link LockHandle#parts()} where several
	 * locks were taken as one, or empty if the lock is not held
	 */
	public Optional<LockHandle> holding(String name) {
		return holding((part) -> part.name().equals(name));
	}

	/**
	 * Return the innermost handle that still holds a lock of a certain registry.
	 * @param name the lock's name
	 * @param registry the registry's name, or {@code null} if there is only one
	 * @return the handle, as {@link #holding(String)} does
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
	 * Return the task that still holds a lock, and can therefore take it again wherever
	 * its work goes on.
	 * @param name the lock's name
	 * @param registry the registry's name, or {@code null} if there is only one
	 * @return an owner that is bound to no thread, or empty if none holds the lock
	 */
	public Optional<LockOwner> taskHolding(String name, @Nullable String registry) {
		return holding(name, registry).map(LockHandle::owner).filter((owner) -> owner.thread() == null);
	}

	/**
	 * Return a request for work that goes on without the calling thread. If it names no
	 * owner, it is made in the name of the task that holds the lock, if one does.
	 * @param request the request
	 * @param registry whom it is made to, by {@link LockRegistry#acquireAsync}
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
	 * The span in which locks are the current ones.
	 */
	@FunctionalInterface
	public interface Scope extends AutoCloseable {

		@Override
		void close();

	}

}
