package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.memory.InMemoryLockStore;
import io.lockstarter.testing.BlockedLog;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for listeners that take their time.
 */
@ExtendWith(OutputCaptureExtension.class)
class SlowListenerTests {

	private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("io.lockstarter.engine");

	private static final Duration LEASE = Duration.ofMillis(1500);

	private static final EngineSettings SETTINGS = new EngineSettings("one", Duration.ofMinutes(1), LEASE, null, false,
			64);

	private final HangingBackend backend = new HangingBackend(new InMemoryLockStore());

	private final CountDownLatch end = new CountDownLatch(1);

	private final AtomicInteger told = new AtomicInteger();

	private DefaultLockRegistry registry = registry(new LockListener() {
	});

	private DefaultLockRegistry registry(LockListener listener) {
		return new DefaultLockRegistry(this.backend.backend(), SETTINGS, List.of(listener));
	}

	/** Whatever other tests have silenced. */
	@BeforeEach
	void logWarnings() {
		LOGGER.setLevel(Level.WARN);
	}

	@AfterEach
	void close() {
		LOGGER.setLevel(null);
		this.end.countDown();
		this.registry.close();
	}

	@Test
	void locksAreRenewedWhileListenerHearsOfRenewal(CapturedOutput output) throws Exception {
		this.registry = registry(new Blocking());
		LockHandle first = this.registry.acquire(LockRequest.of("first"));
		LockHandle second = this.registry.acquire(LockRequest.of("second").owner(LockOwner.create("second")));
		await().until(() -> this.told.get() > 0);
		int before = this.backend.count("renew").get();
		await().until(() -> this.backend.count("renew").get() >= before + 4);
		assertThat(first.isValid()).isTrue();
		assertThat(second.isValid()).isTrue();
		assertThat(this.told).hasValue(1);
		await().until(() -> output.getAll().contains("Lock listener of type " + Blocking.class.getName()));
		assertThat(output.getAll().lines()).filteredOn((line) -> line.contains("for a renewal")).hasSize(1);
	}

	@Test
	void locksAreRenewedWhileListenerHearsOfFailure() throws Exception {
		this.registry = registry(new Blocking());
		LockHandle lock = this.registry.acquire(LockRequest.of("lock"));
		this.backend.failing = "renew";
		await().until(() -> this.told.get() > 0);
		this.backend.failing = "";
		int before = this.backend.count("renew").get();
		await().until(() -> this.backend.count("renew").get() >= before + 4);
		assertThat(lock.isValid()).isTrue();
	}

	@Test
	void listenerHearsOfAbandonedLockOnCallbackThread() throws Exception {
		CompletableFuture<String> thread = new CompletableFuture<>();
		CompletableFuture<LockHandle> promise = new CompletableFuture<>();
		this.registry = registry(new LockListener() {

			@Override
			public void acquired(LockHandle lock, Duration waited) {
				// Just before the future would be completed
				promise.join().isValid();
			}

			@Override
			public void released(LockHandle lock, Duration held) {
				thread.complete(Thread.currentThread().getName());
			}

		});
		this.backend.hanging = "release";
		CompletableFuture<LockHandle> cancelled = this.registry.acquireAsync(LockRequest.of("lock"));
		await().until(() -> this.backend.count("acquire").get() > 0);
		await().until(() -> this.registry.heldCount() == 1);
		cancelled.cancel(false);
		promise.completeExceptionally(new IllegalStateException("goes on"));
		await().until(thread::isDone);
		assertThat(thread.join()).startsWith("lock-callback");
	}

	/**
	 * One lock ends in vain, another one is lost: both are logged, the former by the
	 * timer.
	 */
	@Test
	@Timeout(60)
	void locksAreRenewedAndLossesToldWhileTheLogBlocks() throws Exception {
		CompletableFuture<LockLoss> told = new CompletableFuture<>();
		this.registry = registry(new LockListener() {

			@Override
			public void lost(LockLoss loss) {
				if (loss.name().equals("told")) {
					told.complete(loss);
				}
			}

		});
		try (BlockedLog log = BlockedLog.begin()) {
			LockHandle held = this.registry.acquire(LockRequest.of("held"));
			this.backend.hanging = "acquire";
			this.backend.failing = "release";
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> this.registry.acquire(LockRequest.of("in vain").leaseTime(Duration.ofMillis(100))));
			this.backend.hanging = "";
			await().until(() -> this.backend.count("release").get() > 0);
			int before = this.backend.count("renew").get();
			await().until(() -> this.backend.count("renew").get() >= before + 9);
			assertThat(held.isValid()).isTrue();
			for (String name : List.of("lost", "told")) {
				this.registry
					.acquire(LockRequest.of(name).leaseTime(Duration.ofMillis(100)).owner(LockOwner.create(name)));
			}
			await().until(told::isDone);
			log.release();
			// Another thread logs the loss than tells the listener of it
			await().untilAsserted(() -> assertThat(log.lines())
				.anyMatch((line) -> line.startsWith("Lock 'in vain': the release of tenure"))
				.anyMatch((line) -> line.startsWith("Lock 'told' was held by")));
		}
	}

	private void block() {
		this.told.incrementAndGet();
		try {
			this.end.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private final class Blocking implements LockListener {

		@Override
		public void renewed(LockHandle lock) {
			block();
		}

		@Override
		public void renewalFailed(LockHandle lock, @Nullable Throwable cause) {
			block();
		}

	}

}
