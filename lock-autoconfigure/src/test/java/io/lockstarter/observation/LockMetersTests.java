package io.lockstarter.observation;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.lockstarter.actuate.FakeLockMonitor;
import io.lockstarter.core.FenceRefusal;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener.Outcome;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockObserver;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class LockMetersTests {

	private static final Duration TIME = Duration.ofMillis(250);

	private final MockClock clock = new MockClock();

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, this.clock);

	private final LockMeters meters = new LockMeters(this.registry);

	private final LockObservations observations = observations();

	private final LockHandle lock = new FakeLockHandle("ship:42", "OrderService.ship");

	private final LockRequest request = LockRequest.of("ship:42").metricName("OrderService.ship");

	private LockObservations observations() {
		ObservationRegistry observed = ObservationRegistry.create();
		observed.observationConfig().observationHandler(new LockObservationTimers(this.registry));
		return new LockObservations(observed, new DefaultLockAcquireConvention(), new DefaultLockHoldConvention());
	}

	/** Begins a request, which then waits for {@link #TIME}. */
	private LockObserver.Wait begin(LockRequest request) {
		LockObserver.Wait wait = this.observations.requested(request);
		this.clock.add(TIME);
		return wait;
	}

	private LockObserver.Span acquire() {
		return begin(this.request).acquired(this.lock);
	}

	@Test
	void timesAnAcquisition() {
		acquire();
		assertThatTimed("distributed.lock.acquire", "outcome", "acquired");
	}

	@ParameterizedTest
	@EnumSource
	void timesAFailureToAcquireByItsOutcome(Outcome outcome) {
		begin(this.request).notAcquired(outcome, null);
		assertThatTimed("distributed.lock.acquire", "outcome", outcome.name().toLowerCase(Locale.ROOT));
	}

	@Test
	void tellsApartWhoDidNotWait() {
		begin(this.request.waitTime(Duration.ZERO)).notAcquired(Outcome.TIMEOUT, null);
		assertThatTimed("distributed.lock.acquire", "outcome", "busy");
		begin(this.request.waitTime(Duration.ZERO)).notAcquired(Outcome.ERROR, null);
		assertThatTimed("distributed.lock.acquire", "outcome", "error");
		begin(this.request.waitTime(Duration.ofMillis(1))).notAcquired(Outcome.TIMEOUT, null);
		assertThatTimed("distributed.lock.acquire", "outcome", "timeout");
	}

	@Test
	void timesAHoldUntilRelease() {
		LockObserver.Span hold = acquire();
		this.clock.add(TIME);
		hold.released();
		assertThatTimed("distributed.lock.hold");
	}

	@ParameterizedTest
	@EnumSource
	void countsALossByItsReason(LockLoss.Reason reason) {
		this.meters.lost(loss(reason));
		assertThatCounted("distributed.lock.lost", "reason", reason.name().toLowerCase(Locale.ROOT));
	}

	@Test
	void timesAHoldUntilLoss() {
		LockObserver.Span hold = acquire();
		this.clock.add(TIME);
		hold.lost(loss(LockLoss.Reason.LEASE_EXPIRED));
		assertThatTimed("distributed.lock.hold");
	}

	@Test
	void countsRenewalsByTheirOutcome() {
		this.meters.renewed(this.lock);
		this.meters.renewalFailed(this.lock, new IllegalStateException());
		assertThatCounted("distributed.lock.renewals", "outcome", "renewed");
		assertThatCounted("distributed.lock.renewals", "outcome", "failed");
	}

	@Test
	void countsHandovers() {
		this.meters.handedOver(this.lock);
		assertThatCounted("distributed.lock.handovers");
	}

	@Test
	void countsWhatTheDatabaseSays() {
		this.meters.fenceCommitted(this.lock);
		assertThatCounted("distributed.lock.fenced", "outcome", "committed");
		assertThat(this.registry.get("distributed.lock.fenced").tag("outcome", "refused").counter().count()).isZero();
		this.meters.fenceRefused(refusal(FenceRefusal.Stage.COMMIT));
		this.meters.fenceRefused(refusal(FenceRefusal.Stage.REGISTRATION));
		assertThatCounted("distributed.lock.fenced", "outcome", "refused");
		assertThatCounted("distributed.lock.fenced", "outcome", "stale");
	}

	private static FenceRefusal refusal(FenceRefusal.Stage stage) {
		return new FenceRefusal("ship:42", "OrderService.ship", LockType.REENTRANT, LockOwner.currentThread(), null, 7,
				8L, stage, Instant.EPOCH);
	}

	@Test
	void addsUpWhatHasTheSameTags() {
		acquire();
		acquire();
		Timer timer = this.registry.get("distributed.lock.acquire").timer();
		assertThat(timer.count()).isEqualTo(2);
		assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(500);
	}

	@Test
	void makesNoMeterOfAResolvedName() {
		IntStream.range(0, 100)
			.mapToObj((id) -> new FakeLockHandle("ship:" + id, "OrderService.ship"))
			.forEach((it) -> {
				LockRequest ofIt = LockRequest.of(it.name()).metricName(it.metricName());
				LockObserver.Span hold = begin(ofIt).acquired(it);
				this.meters.renewed(it);
				hold.released();
			});
		assertThat(this.registry.getMeters()).hasSize(3);
	}

	@Test
	void goesOnRecordingAfterTheRegistryWasCleared() {
		acquire();
		this.registry.clear();
		acquire();
		assertThatTimed("distributed.lock.acquire", "outcome", "acquired");
	}

	@ParameterizedTest
	@EnumSource
	void recordsEveryDocumentedMeterAsDocumented(LockMeterDocumentation documented) {
		LockGauges gauges = new LockGauges(this.registry, new FakeLockMonitor(), Map.of());
		new MeterInitializer(this.meters, gauges).requested(this.request);
		gauges.acquired(new FakeLockHandle("ship:42", "OrderService.ship", 4), TIME);
		acquire().released();
		this.meters.handedOver(this.lock);
		this.meters.renewed(this.lock);
		this.meters.fenceCommitted(this.lock);
		this.meters.lost(loss(LockLoss.Reason.NOT_OWNED));
		Meter.Id id = this.registry.get(documented.getName()).meter().getId();
		assertThat(id.getType()).isEqualTo(documented.getType());
		assertThat(id.getDescription()).isEqualTo(documented.description());
		assertThat(id.getTags()).extracting(Tag::getKey)
			.containsExactlyInAnyOrder(
					Arrays.stream(documented.getKeyNames()).map(KeyName::asString).toArray(String[]::new));
	}

	private LockLoss loss(LockLoss.Reason reason) {
		return new LockLoss("ship:42", "OrderService.ship", LockType.REENTRANT, LockOwner.currentThread(), 7, reason,
				Instant.EPOCH, TIME, null);
	}

	private void assertThatTimed(String meter, String... tags) {
		Timer timer = this.registry.get(meter)
			.tags("name", "OrderService.ship", "type", "reentrant")
			.tags(tags)
			.timer();
		assertThat(timer.count()).isEqualTo(1);
		assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(250);
	}

	private void assertThatCounted(String meter, String... tags) {
		Counter counter = this.registry.get(meter)
			.tags("name", "OrderService.ship", "type", "reentrant")
			.tags(tags)
			.counter();
		assertThat(counter.count()).isEqualTo(1);
	}

}
