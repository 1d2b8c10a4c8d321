package io.lockstarter.aop;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnTimeout;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockInterruptedException;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockType;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockInterceptor}.
 */
class LockInterceptorTests {

	private final LockedBeans beans = new LockedBeans();

	private final FakeLockRegistry registry = this.beans.registry;

	private final Service service = this.beans.bean(Service.class);

	@AfterEach
	void close() {
		assertThat(this.registry.held).isEmpty();
		assertThat(LockContext.find()).isEmpty();
		this.beans.close();
	}

	@Test
	void holdsLockWhileMethodRuns() {
		assertThat(this.service.validInside()).isTrue();
	}

	@Test
	void makesHandleKnownInsideMethod() {
		assertThat(this.service.nameInside("7")).isEqualTo("Service.nameInside:7");
	}

	@Test
	void makesOuterHandleKnownAgainAfterNestedLock() {
		assertThat(this.service.nested(this.service)).isEqualTo("Service.nameInside:1 in Service.nested");
	}

	@Test
	void passesExceptionOfMethodOnAfterRelease() {
		assertThatExceptionOfType(IOException.class).isThrownBy(this.service::failing)
			.withMessage("business")
			.satisfies((ex) -> assertThat(ex.getSuppressed()).isEmpty());
	}

	@Test
	void keepsExceptionOfMethodPrimaryWhenReleaseFails() {
		this.registry.releaseFailure = lost();
		assertThatExceptionOfType(IOException.class).isThrownBy(this.service::failing)
			.satisfies((ex) -> assertThat(ex.getSuppressed()).containsExactly(this.registry.releaseFailure));
	}

	@Test
	void throwsLossAfterNormalReturn() {
		this.registry.releaseFailure = lost();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.service::validInside)
			.isSameAs(this.registry.releaseFailure);
	}

	@Test
	void throwsWhenNotAcquiredInTime() {
		this.registry.refusal = timeout();
		assertThatExceptionOfType(LockAcquisitionTimeoutException.class).isThrownBy(this.service::validInside)
			.isSameAs(this.registry.refusal);
	}

	@Test
	void returnsNothingWhenSkipped() {
		this.registry.refusal = timeout();
		assertThat(this.service.skipObject()).isNull();
		assertThat(this.service.skipOptional()).isEmpty();
		assertThat(this.service.skipOptionalInt()).isEmpty();
		assertThat(this.service.skipOptionalLong()).isEmpty();
		this.service.skipVoid();
		assertThat(this.service.runs).isZero();
	}

	@Test
	void runsSkippableMethodWhenAcquired() {
		assertThat(this.service.skipOptional()).contains("done");
	}

	@Test
	void doesNotSkipWhenBackendFails() {
		this.registry.refusal = new LockBackendException("x", LockBackendException.Reason.UNREACHABLE, "down", null);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(this.service::skipObject);
	}

	@Test
	void doesNotSkipWhenMethodItselfRunsIntoAnotherLock() {
		assertThatExceptionOfType(LockAcquisitionTimeoutException.class).isThrownBy(this.service::skipRunningIntoLock);
	}

	@Test
	void setsInterruptFlagAgainWhereMethodCannotThrowIt() {
		this.registry.interrupted = true;
		assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(this.service::validInside)
			.withMessage("Lock 'Service.validInside' was not acquired: the waiting thread was interrupted")
			.withCauseInstanceOf(InterruptedException.class);
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void throwsInterruptWhereMethodDeclaresIt() {
		this.registry.interrupted = true;
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(this.service::interruptible);
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void leavesOtherMethodsAlone() {
		this.service.unlocked();
		assertThat(this.registry.requests).isEmpty();
	}

	@Test
	void locksProxyByTypeThatItsTargetDoesNotImplement() {
		assertThat(proxied(TypedRepository.class).store()).isEqualTo("TypedRepository.store");
	}

	@Test
	void locksProxyByMethodThatItsTargetDoesNotImplement() {
		assertThat(proxied(Repository.class).store()).isEqualTo("Repository.store");
	}

	/** As repositories are made: a proxy before a store that knows nothing of it. */
	private <T> T proxied(Class<T> type) {
		Store store = new Store();
		ProxyFactory factory = new ProxyFactory();
		factory.setTarget(store);
		factory.setInterfaces(type);
		factory.addAdvice((MethodInterceptor) (invocation) -> store.store());
		return this.beans.bean(type.getName(), type, () -> type.cast(factory.getProxy()));
	}

	private static LockAcquisitionTimeoutException timeout() {
		return new LockAcquisitionTimeoutException("x", Duration.ofSeconds(1), null);
	}

	private static LockLostException lost() {
		return new LockLostException(new LockLoss("x", "x", LockType.REENTRANT, LockOwner.currentThread(), 1,
				LockLoss.Reason.LEASE_EXPIRED, Instant.now(), Duration.ofSeconds(30), null));
	}

	static class Service {

		int runs;

		@DistributedLock
		public boolean validInside() {
			return LockContext.current().isValid();
		}

		@DistributedLock(key = "#id")
		public String nameInside(String id) {
			return LockContext.current().name();
		}

		@DistributedLock
		public String nested(Service self) {
			return self.nameInside("1") + " in " + LockContext.current().name();
		}

		@DistributedLock
		public void failing() throws IOException {
			throw new IOException("business");
		}

		@DistributedLock
		public void interruptible() throws InterruptedException {
			throw new IllegalStateException("not reached");
		}

		@DistributedLock(onTimeout = OnTimeout.SKIP)
		public Object skipObject() {
			this.runs++;
			return "done";
		}

		@DistributedLock(onTimeout = OnTimeout.SKIP)
		public Optional<String> skipOptional() {
			this.runs++;
			return Optional.of("done");
		}

		@DistributedLock(onTimeout = OnTimeout.SKIP)
		public OptionalInt skipOptionalInt() {
			this.runs++;
			return OptionalInt.of(1);
		}

		@DistributedLock(onTimeout = OnTimeout.SKIP)
		public OptionalLong skipOptionalLong() {
			this.runs++;
			return OptionalLong.of(1);
		}

		@DistributedLock(onTimeout = OnTimeout.SKIP)
		public void skipVoid() {
			this.runs++;
		}

		@DistributedLock(onTimeout = OnTimeout.SKIP)
		public void skipRunningIntoLock() {
			throw timeout();
		}

		public void unlocked() {
		}

	}

	@DistributedLock
	interface TypedRepository {

		String store();

	}

	interface Repository {

		@DistributedLock
		String store();

	}

	static class Store {

		public String store() {
			return LockContext.find().map(LockHandle::name).orElse("unlocked");
		}

	}

}
