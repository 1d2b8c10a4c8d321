package io.lockstarter.core;

import java.util.concurrent.FutureTask;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockOwner}.
 */
class LockOwnerTests {

	@Test
	void isShownByTheNameOfItsThread() throws Exception {
		assertThat(owner("worker-1").get()).hasToString("worker-1");
	}

	/** Virtual threads have none, unless somebody names them. */
	@Test
	void isShownByTheNumberOfAThreadWithoutName() throws Exception {
		LockOwner owner = owner("").get();
		assertThat(owner).hasToString("thread#" + owner.thread().getId());
	}

	private static FutureTask<LockOwner> owner(String threadName) {
		FutureTask<LockOwner> owner = new FutureTask<>(LockOwner::currentThread);
		new Thread(owner, threadName).start();
		return owner;
	}

}
