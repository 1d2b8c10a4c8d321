package io.lockstarter.core;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LockContext}.
 */
class LockContextTests {

	private final LockHandle outer = handle("outer");

	private final LockHandle inner = handle("inner");

	@Test
	void assertsThatLockIsHeld() {
		try (LockContext.Scope scope = LockContext.enter(this.outer)) {
			assertThatNoException().isThrownBy(LockContext::assertHeld);
		}
	}

	@Test
	void assertionFailsWithoutLock() {
		assertThatIllegalStateException().isThrownBy(LockContext::assertHeld)
			.withMessageContaining("Thread '" + Thread.currentThread().getName() + "' runs under no lock")
			.withMessageContaining("LockRegistry.execute")
			.withMessageContaining("called through its Spring bean")
			.withMessageContaining("@AutoConfigureInMemoryLocks of lock-test-support");
	}

	@Test
	void assertionFailsWhenLockIsLost() {
		given(this.outer.isValid()).willReturn(false);
		try (LockContext.Scope scope = LockContext.enter(this.outer)) {
			assertThatIllegalStateException().isThrownBy(LockContext::assertHeld)
				.withMessageContaining("no longer held");
		}
	}

	@Test
	void isRestoredOnAnotherThread() throws Exception {
		LockContext captured;
		try (LockContext.Scope scope = LockContext.enter(this.outer)) {
			captured = LockContext.capture();
		}
		Thread thread = new Thread(() -> {
			try (LockContext.Scope scope = captured.restore()) {
				assertThat(LockContext.current()).isSameAs(this.outer);
			}
			assertThat(LockContext.find()).isEmpty();
		});
		Throwable[] failure = new Throwable[1];
		thread.setUncaughtExceptionHandler((failed, ex) -> failure[0] = ex);
		thread.start();
		thread.join();
		assertThat(failure[0]).isNull();
		assertThat(LockContext.find()).isEmpty();
	}

	@Test
	void restoringNoLocksHidesThoseOfThread() {
		LockContext none = LockContext.capture();
		try (LockContext.Scope scope = LockContext.enter(this.outer)) {
			try (LockContext.Scope hidden = none.restore()) {
				assertThat(LockContext.find()).isEmpty();
			}
			assertThat(LockContext.current()).isSameAs(this.outer);
		}
	}

	@Test
	void findsInnermostHandleThatHoldsTheLock() {
		LockHandle again = handle("outer");
		LockContext context = LockContext.capture().with(this.outer).with(again).with(this.inner);
		assertThat(context.holding("outer")).containsSame(again);
		assertThat(context.holding("inner")).containsSame(this.inner);
		assertThat(context.holding("other")).isEmpty();
		given(again.isValid()).willReturn(false);
		assertThat(context.holding("outer")).containsSame(this.outer);
	}

	@Test
	void findsTheOneOfSeveralHandlesThatHoldsTheLock() {
		LockHandle part = handle("part");
		LockHandle joint = handle("outer, part");
		given(joint.parts()).willReturn(List.of(this.outer, part));
		LockContext context = LockContext.capture().with(joint);
		assertThat(context.holding("part")).containsSame(part);
		given(part.isValid()).willReturn(false);
		assertThat(context.holding("part")).isEmpty();
		assertThat(context.holding("outer")).containsSame(this.outer);
	}

	private static LockHandle handle(String name) {
		LockHandle handle = mock(LockHandle.class);
		given(handle.name()).willReturn(name);
		given(handle.isValid()).willReturn(true);
		given(handle.parts()).willReturn(List.of(handle));
		return handle;
	}

}
