package io.lockstarter.contract;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.NamedLock;
import org.junit.jupiter.api.Test;

import static java.time.Duration.ZERO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Who may re-enter and release.
 */
interface OwnerSemantics extends TwoRegistries {

	@Test
	default void closesTheHandleOfAnExplicitOwnerOnAnotherThread() throws InterruptedException {
		LockHandle handle = one().acquire(request().owner(LockOwner.create("task")));
		actor().run(handle::close);
		assertThat(handle.isValid()).isFalse();
		assertThat(handle.remainingLease()).isZero();
		assertNothingLeft();
	}

	@Test
	default void locksForAnExplicitOwnerOnOneThreadAndUnlocksOnAnother() {
		NamedLock lock = one().get(request().owner(LockOwner.create("task")));
		lock.lock();
		Actor other = actor();
		assertThat(other.call(() -> lock.tryLock())).as("re-entered").isTrue();
		assertThat(lock.holdCount()).isEqualTo(2);
		assertThat(other.call(() -> lock().tryLock())).as("for the thread itself").isFalse();
		other.run(lock::unlock);
		other.run(lock::unlock);
		assertNothingLeft();
	}

	@Test
	default void tellsTwoExplicitOwnersOnOneThreadApart() throws InterruptedException {
		LockRequest request = request().waitTime(ZERO);
		try (LockHandle handle = one().acquire(request.owner(LockOwner.create("task")))) {
			assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
				.isThrownBy(() -> one().acquire(request.owner(LockOwner.create("task"))));
			assertThat(lock().isHeldByCurrentOwner()).isFalse();
		}
	}

	@Test
	default void refusesToCloseTheHandleOfAThreadOnAnotherThread() throws InterruptedException {
		LockHandle handle = one().acquire(request());
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> actor().run(handle::close));
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> actor().run(handle::releaseAsync));
		assertThat(handle.isValid()).isTrue();
		assertThat(otherLock().tryLock()).isFalse();
		handle.close();
		assertNothingLeft();
	}

	@Test
	default void refusesToCloseAHandleTwice() throws InterruptedException {
		LockHandle outer = one().acquire(request());
		LockHandle inner = one().acquire(request());
		inner.close();
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(inner::close).withMessageContaining(name());
		assertThat(outer.isValid()).isTrue();
		assertThat(lock().holdCount()).isOne();
		outer.close();
		assertNothingLeft();
	}

	@Test
	default void countsHandlesAndLockingTogether() throws InterruptedException {
		LockHandle handle = one().acquire(request());
		lock().lock();
		handle.close();
		assertThat(lock().holdCount()).isOne();
		lock().unlock();
		assertNothingLeft();
	}

	@Test
	default void refusesToCloseAHandleWhoseHoldWasUnlockedAway() throws InterruptedException {
		LockHandle handle = one().acquire(request());
		lock().unlock();
		assertThat(handle.isValid()).isFalse();
		otherLock().lock();
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(handle::close);
		assertThat(otherLock().isHeldByCurrentOwner()).isTrue();
	}

	@Test
	default void tellsATaskOnAnotherThreadWhetherItLostTheLockOrNeverHeldIt() throws InterruptedException {
		LockOwner task = LockOwner.create("task");
		LockHandle handle = acquireShortly(one(), request().owner(task));
		NamedLock same = one().get(request().owner(task));
		NamedLock other = one().get(request().owner(LockOwner.create("other")));
		await().until(() -> events().losses.size() == 1);
		assertThat(same.isHeldByCurrentOwner()).isFalse();
		Actor worker = actor();
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> worker.run(other::unlock))
			.withMessageContaining("not held by this owner");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> worker.run(handle::close))
			.withMessageContaining("but lost at");
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> worker.run(same::unlock));
		assertNothingLeft();
	}

	@Test
	default void describesItsHold() throws InterruptedException {
		LockOwner owner = LockOwner.create("task");
		try (LockHandle handle = one().acquire(request().metricName("orders").owner(owner))) {
			assertThat(handle.name()).isEqualTo(name());
			assertThat(handle.metricName()).isEqualTo("orders");
			assertThat(handle.owner()).isEqualTo(owner);
			assertThat(handle.toString()).contains(name(), owner.toString(), Long.toString(handle.fencingToken()));
		}
	}

}
