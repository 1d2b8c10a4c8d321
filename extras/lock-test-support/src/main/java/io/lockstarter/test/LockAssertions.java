package io.lockstarter.test;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * Assertions about the locks under which code runs. They work with any backend, in an
 * application that Spring Boot configures and with {@link InMemoryLocks}.
 */
public final class LockAssertions {

	private LockAssertions() {
	}

	/**
	 * Runs an action and records the locks that it acquires:
	 *
	 * <pre class="code">
	 * assertThatLocked(() -&gt; orders.ship("42")).holds("OrderService.ship:42");
	 * </pre>
	 *
	 * Only locks that the calling thread acquires before the action returns count.
	 * Therefore, an action that starts asynchronous work has to wait for its end. See
	 * {@link LockedAssert#onAnyThread()} for the locks of other threads. A lock that the
	 * thread already holds is re-entered and does not count.
	 * @param action the action to run; an exception of the action is thrown to the caller
	 * @return assertions about the locks
	 * @throws IllegalStateException if the acquired locks cannot be recorded, for example
	 * because the application under test defines its own registry
	 */
	public static LockedAssert assertThatLocked(ThrowingCallable action) {
		TestedApplication.unrecordedRegistry().ifPresent((registry) -> {
			throw new IllegalStateException("The lock registry " + registry
					+ " does not report which locks it acquires: let Spring Boot configure one in its place"
					+ " (in a test slice by @AutoConfigureInMemoryLocks), or verify the calls to it");
		});
		if (!LockRecorder.isAnyOpen()) {
			throw new IllegalStateException("No lock registry reports which locks it acquires: let Spring Boot"
					+ " configure one (in a test slice by @AutoConfigureInMemoryLocks), or use that of"
					+ " InMemoryLocks.create()");
		}
		try {
			return new LockedAssert(LockRecording.of(action));
		}
		catch (RuntimeException | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new AssertionError("The action failed with " + ex, ex);
		}
	}

}
