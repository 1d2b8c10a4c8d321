package io.lockstarter.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Entrance}: asynchronous requests while the client id is generated.
 */
class EntranceTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final int REQUESTS = 20;

	private final CountDownLatch entropy = new CountDownLatch(1);

	private volatile boolean identified;

	private final InMemoryLockBackend memory = new InMemoryLockBackend(new InMemoryLockStore());

	private final DefaultLockRegistry registry = new DefaultLockRegistry(slowToIdentify(),
			new EngineSettings("here", PATIENCE, Duration.ofSeconds(30), null, false, 64), List.of());

	private final Queue<Integer> order = new ConcurrentLinkedQueue<>();

	@AfterEach
	void close() {
		this.entropy.countDown();
		this.registry.close();
		this.memory.close();
	}

	@Test
	void requestsKeepTheirOrder() {
		List<CompletableFuture<Void>> requests = new ArrayList<>();
		IntStream.range(0, REQUESTS).forEach((i) -> requests.add(request(i)));
		assertThat(requests).noneMatch(CompletableFuture::isDone);
		this.entropy.countDown();
		IntStream.range(REQUESTS, 2 * REQUESTS).forEach((i) -> requests.add(request(i)));
		assertThat(CompletableFuture.allOf(requests.toArray(CompletableFuture[]::new))).succeedsWithin(PATIENCE);
		assertThat(this.order).containsExactlyElementsOf(IntStream.range(0, 2 * REQUESTS).boxed().toList());
	}

	@Test
	void cancelledRequestDoesNotEnter() {
		CompletableFuture<Void> first = request(0);
		CompletableFuture<?> cancelled = this.registry.acquireAsync(LockRequest.of("a"));
		CompletableFuture<Void> last = request(2);
		cancelled.cancel(false);
		this.entropy.countDown();
		assertThat(CompletableFuture.allOf(first, last)).succeedsWithin(PATIENCE);
		assertThat(this.registry.heldCount()).isZero();
	}

	private CompletableFuture<Void> request(int number) {
		return this.registry
			.acquireAsync(LockRequest.of("a").type(LockType.FAIR).owner(LockOwner.create("task " + number)))
			.thenAccept((handle) -> {
				this.order.add(number);
				handle.close();
			});
	}

	/** Returns a backend whose client id needs entropy that is not there yet. */
	private LockBackend slowToIdentify() {
		return (LockBackend) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { LockBackend.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals("isIdentified")) {
						return this.identified;
					}
					if (method.getName().equals("clientId")) {
						this.entropy.await();
						this.identified = true;
					}
					try {
						return method.invoke(this.memory, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

}
