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
	 * Run an action, and look at the locks that it takes meanwhile:
	 *
	 * <pre class="code">
	 * assertThatLocked(() -&gt; orders.ship("42")).holds("OrderService.ship:42");
	 * </pre>
	 *
	 * Counted are the locks that the calling thread asks for and gets before the action
	 * returns, so an action that starts something asynchronous has to wait for it; see
	 * {@link LockedAssert#onAnyThread()} for what other threads do. A lock that the
	 * thread holds already is not taken, but re-entered, and does not count.
	 * @param action what to run; what it throws is thrown on
	 * @return assertions about the locks
	 * @throws IllegalStateException if nothing tells which locks are taken, as with a
	 * registry of your own in the application of the test
	 */
	public static LockedAssert assertThatLocked(ThrowingCallable action) {
		TestedApplication.unrecordedRegistry().ifPresent((registry) -> {
			throw new IllegalStateException("The lock registry " + registry
					+ " does not tell which locks it takes: let Spring Boot configure one in its place"
					+ " (in a test slice by @AutoConfigureInMemoryLocks), or verify how it is called");
		});
		if (!LockRecorder.isAnyOpen()) {
			throw new IllegalStateException("No lock registry tells which locks it takes: let Spring Boot configure it"
					+ " (in a test slice by @AutoConfigureInMemoryLocks), or take that of InMemoryLocks.create()");
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
