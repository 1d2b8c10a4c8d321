package io.lockstarter.observation;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockObserver;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.NamedLock;
import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.Observation.Scope;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static io.lockstarter.observation.ObservedLocks.REQUEST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests of {@link LockObservations} on a real registry.
 */
class LockObservationsTests {

	private static final String ACQUIRE = "distributed.lock.acquire";

	private static final String HOLD = "distributed.lock.hold";

	private final TestObservationRegistry observed = TestObservationRegistry.create();

	private final LockObservations observations = new LockObservations(this.observed,
			new DefaultLockAcquireConvention(), new DefaultLockHoldConvention());

	private final ObservedLocks locks = new ObservedLocks(this.observations);

	@AfterEach
	void close() {
		this.locks.close();
	}

	private TestObservationRegistryAssert.TestObservationRegistryAssertReturningObservationContextAssert assertOne(
			String name) {
		return TestObservationRegistryAssert.assertThat(this.observed)
			.hasNumberOfObservationsWithNameEqualTo(name, 1)
			.hasObservationWithNameEqualTo(name)
			.that();
	}

	@Test
	void observesRequestAndHold() throws Exception {
		LockHandle lock = this.locks.registry().acquire(REQUEST);
		String token = Long.toString(lock.fencingToken());
		assertOne(ACQUIRE).hasBeenStopped()
			.hasContextualNameEqualTo("acquire OrderService.ship")
			.hasLowCardinalityKeyValue("name", "OrderService.ship")
			.hasLowCardinalityKeyValue("type", "reentrant")
			.hasLowCardinalityKeyValue("outcome", "acquired")
			.hasHighCardinalityKeyValue("lock", "ship:42")
			.hasHighCardinalityKeyValue("token", token);
		assertOne(HOLD).hasBeenStarted().isNotStopped();
		lock.close();
		assertOne(HOLD).hasBeenStopped()
			.doesNotHaveError()
			.hasContextualNameEqualTo("hold OrderService.ship")
			.hasLowCardinalityKeyValue("name", "OrderService.ship")
			.hasLowCardinalityKeyValue("type", "reentrant")
			.hasHighCardinalityKeyValue("lock", "ship:42")
			.hasHighCardinalityKeyValue("token", token);
	}

	@ParameterizedTest
	@CsvSource({ "0, busy", "1, timeout" })
	void observesTheWaitForALockThatIsNotFreeInTime(int millis, String outcome) throws Exception {
		LockRequest waiting = REQUEST.waitTime(Duration.ofMillis(millis));
		try (LockHandle taken = this.locks.other().acquire(REQUEST)) {
			assertThat(taken.isValid()).isTrue();
			assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
				.isThrownBy(() -> this.locks.registry().acquire(waiting));
		}
		assertOne(ACQUIRE).hasBeenStopped().hasLowCardinalityKeyValue("outcome", outcome);
		TestObservationRegistryAssert.assertThat(this.observed).hasNumberOfObservationsWithNameEqualTo(HOLD, 0);
	}

	@Test
	void observesARequestThatIsCancelled() throws Exception {
		try (LockHandle taken = this.locks.other().acquire(REQUEST)) {
			assertThat(taken.isValid()).isTrue();
			CompletableFuture<LockHandle> request = this.locks.registry()
				.acquireAsync(REQUEST.waitTime(LockRequest.FOREVER));
			request.cancel(false);
			await().untilAsserted(
					() -> assertOne(ACQUIRE).hasBeenStopped().hasLowCardinalityKeyValue("outcome", "cancelled"));
		}
	}

	@Test
	void tellsARegistryThatIsClosedFromAnError() {
		this.locks.registry().close();
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> this.locks.registry().acquire(REQUEST));
		assertOne(ACQUIRE).hasBeenStopped().hasError().hasLowCardinalityKeyValue("outcome", "closed");
	}

	@Test
	void observesALossAsAnError() throws Exception {
		LockHandle lock = this.locks.registry().acquire(REQUEST.leaseTime(Duration.ofMillis(200)));
		await().untilAsserted(() -> assertOne(HOLD).hasBeenStopped()
			.thenError()
			.isInstanceOf(LockLostException.class)
			.hasMessageContaining("ship:42"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
		assertOne(HOLD).hasBeenStopped();
	}

	@Test
	void observesNoReentry() {
		NamedLock lock = this.locks.registry().get(REQUEST);
		lock.lock();
		lock.lock();
		lock.unlock();
		assertOne(HOLD).isNotStopped();
		lock.unlock();
		assertOne(ACQUIRE).hasBeenStopped();
		assertOne(HOLD).hasBeenStopped();
	}

	@Test
	void hasTheObservationAsItsParentThatWasCurrentWhereTheLockWasAskedFor() throws Exception {
		Observation request = Observation.start("request", this.observed);
		CompletableFuture<LockHandle> asked;
		try (LockHandle taken = this.locks.other().acquire(REQUEST)) {
			assertThat(taken.isValid()).isTrue();
			try (Scope scope = request.openScope()) {
				assertThat(scope.getCurrentObservation()).isSameAs(request);
				asked = this.locks.registry().acquireAsync(REQUEST.waitTime(LockRequest.FOREVER));
			}
		}
		asked.get().releaseAsync().toCompletableFuture().get();
		assertOne(ACQUIRE).hasParentObservationEqualTo(request);
		assertOne(HOLD).hasBeenStopped().hasParentObservationEqualTo(request);
	}

	@ParameterizedTest
	@EnumSource
	void hasTheKeysThatAreDocumented(LockObservationDocumentation documented) throws Exception {
		this.locks.registry().acquire(REQUEST).close();
		String name = (documented == LockObservationDocumentation.ACQUIRE) ? ACQUIRE : HOLD;
		assertOne(name).hasOnlyKeys(Arrays
			.stream(KeyName.merge(documented.getLowCardinalityKeyNames(), documented.getHighCardinalityKeyNames()))
			.map(KeyName::asString)
			.toArray(String[]::new));
	}

	@Test
	void makesTimersThroughMicrometersHandler() throws Exception {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		this.observed.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
		this.locks.registry().acquire(REQUEST).close();
		assertThat(meters.get(ACQUIRE).tag("outcome", "acquired").timer().count()).isEqualTo(1);
		assertThat(meters.get(HOLD).tag("name", "OrderService.ship").timer().count()).isEqualTo(1);
	}

	@Test
	void isFollowedByOthersWhenAnObserverFails() throws Exception {
		LockObserver failing = (request) -> {
			throw new IllegalStateException("planted");
		};
		try (ObservedLocks more = new ObservedLocks(failing, this.observations)) {
			more.registry().acquire(REQUEST).close();
		}
		assertOne(ACQUIRE).hasBeenStopped();
		assertOne(HOLD).hasBeenStopped();
	}

}
