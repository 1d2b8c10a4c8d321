package io.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockMonitor.Held;
import io.lockstarter.core.LockMonitor.RenewalState;
import io.lockstarter.core.LockRequest;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

class LockRegistryBuilderTests {

	private final InMemoryLockStore store = new InMemoryLockStore();

	private LockRegistryBuilder builder() {
		return LockRegistryBuilder.of(new InMemoryLockBackend(this.store));
	}

	@Test
	void hasTheDefaultsOfTheProperties() throws Exception {
		try (DefaultLockRegistry registry = builder().build();
				LockHandle lock = registry.acquire(LockRequest.of("a"))) {
			assertThat(lock.remainingLease()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
			assertThat(registry.instance()).isEqualTo("jvm-" + ProcessHandle.current().pid());
			assertThat(registry.held()).extracting(Held::renewal).containsExactly(RenewalState.RENEWING);
		}
	}

	@Test
	void appliesItsSettings() throws Exception {
		RecordedLosses losses = new RecordedLosses();
		try (DefaultLockRegistry registry = builder().instance("orders-1")
			.waitTime(Duration.ZERO)
			.leaseTime(Duration.ofMillis(300))
			.maxHoldTime(Duration.ofMillis(300))
			.listener(losses)
			.interruptOnLoss()
			.build(); DefaultLockRegistry other = builder().waitTime(Duration.ZERO).build()) {
			LockHandle lock = registry.acquire(LockRequest.of("a"));
			assertThat(registry.instance()).isEqualTo("orders-1");
			assertThat(other.tryAcquire(LockRequest.of("a"))).isEmpty();
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> new CountDownLatch(1).await());
			await().until(() -> losses.last != null);
			assertThat(lock.isValid()).isFalse();
		}
	}

	@Test
	void refusesSettingsThatAreOutOfRange() {
		assertThatIllegalArgumentException().isThrownBy(() -> builder().leaseTime(Duration.ofMillis(99)).build());
		assertThatIllegalArgumentException().isThrownBy(() -> builder().waitTime(Duration.ofMillis(-1)).build());
		assertThatIllegalArgumentException().isThrownBy(() -> builder().callbackThreads(0).build());
		assertThatIllegalArgumentException()
			.isThrownBy(() -> builder().maxHoldTime(Duration.ofSeconds(1)).leaseTime(Duration.ofSeconds(2)).build());
	}

	private static final class RecordedLosses implements LockListener {

		private volatile @Nullable LockLoss last;

		@Override
		public void lost(LockLoss loss) {
			this.last = loss;
		}

	}

}
